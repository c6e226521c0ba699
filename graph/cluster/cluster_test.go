package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// everything has an object of each kind with each field that is read.
const everything = `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"status":{"history":[{"state":"Completed","version":"4.14.30"}]}},
{"apiVersion":"config.openshift.io/v1","kind":"ClusterOperator","metadata":{"name":"dns"},"status":{"conditions":[{"type":"Upgradeable","status":"False","message":"m"}]}},
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"nodeInfo":{"kubeletVersion":"v1.27.6"}}},
{"apiVersion":"operators.coreos.com/v1alpha1","kind":"CatalogSource","metadata":{"name":"shop","namespace":"openshift-marketplace"},"spec":{"priority":1,"image":"i"},"status":{"reason":"r","connectionState":{"lastObservedState":"READY"}}},
{"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup","metadata":{"name":"g","namespace":"ns","annotations":{"olm.operatorframework.io/exclude-global-namespace-resolution":"false"}},
 "spec":{"upgradeStrategy":"Default","targetNamespaces":["ns"],"selector":{"matchLabels":{"a":"b"},"matchExpressions":[]}},"status":{"namespaces":[""],"lastUpdated":"2026-01-01T00:00:00Z"}},
{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"s","namespace":"ns"},"spec":{"name":"a","channel":"c","source":"shop","sourceNamespace":"openshift-marketplace","startingCSV":"a.v1","installPlanApproval":"Manual"},
 "status":{"installedCSV":"a.v1","currentCSV":"a.v2","state":"UpgradePending","installPlanRef":{"name":"p"},"conditions":[{"type":"BundleUnpackFailed","status":"False","message":"m"}]}},
{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"a.v1","namespace":"ns","labels":{"l":"m"},"annotations":{"operatorframework.io/properties":"{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"a\",\"version\":\"1.0.0\"}}]}"}},
 "spec":{"version":"1.0.0","replaces":"a.v0","minKubeVersion":"1.20.0","installModes":[{"type":"AllNamespaces","supported":true}],"customresourcedefinitions":{"owned":[{"name":"x.g","version":"v1","kind":"X"}],"required":[]},
 "apiservicedefinitions":{"owned":[],"required":[]}},"status":{"phase":"Succeeded","reason":"InstallSucceeded"}},
{"apiVersion":"operators.coreos.com/v1alpha1","kind":"InstallPlan","metadata":{"name":"p","namespace":"ns"},"spec":{"approved":false,"clusterServiceVersionNames":["a.v2"]},
 "status":{"phase":"RequiresApproval","plan":[{"resolving":"a.v2","resource":{"kind":"ClusterServiceVersion","name":"a.v2","manifest":"{\"kind\":\"ConfigMap\",\"replaces\":\"a.v1\",\"properties\":\"{\\\"properties\\\":[{\\\"type\\\":\\\"olm.package\\\",\\\"value\\\":{\\\"packageName\\\":\\\"a\\\",\\\"version\\\":\\\"2.0.0\\\"}}]}\"}"}}]}},
{"apiVersion":"operators.coreos.com/v2","kind":"OperatorCondition","metadata":{"name":"a.v1","namespace":"ns","generation":1},"spec":{"overrides":[{"type":"Other","status":"True"}]},"status":{"conditions":[{"type":"Upgradeable","status":"True","observedGeneration":1,"reason":"r","message":"m"}]}},
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"xs.g"},"spec":{"group":"g","scope":"Namespaced","names":{"kind":"X","plural":"xs"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]},"status":{"storedVersions":["v1"]}},
{"apiVersion":"olm.operatorframework.io/v1","kind":"ClusterCatalog","metadata":{"name":"shop"},"spec":{"priority":1,"availabilityMode":"Available","source":{"image":{"ref":"i"}}},"status":{"conditions":[]}},
{"apiVersion":"olm.operatorframework.io/v1","kind":"ClusterExtension","metadata":{"name":"a"},"spec":{"namespace":"a","source":{"catalog":{"packageName":"a","channels":["c"],"version":"","upgradeConstraintPolicy":"CatalogProvided","selector":null}}},
 "status":{"install":{"bundle":{"name":"a.v1","version":"1.0.0"}},"conditions":[{"type":"Progressing","status":"True","message":"m"}]}}]}`

// shop is a catalog of a package with three versions.
func shop(t testing.TB) *resolve.Catalog {
	t.Helper()
	text := "{schema: olm.package, name: a, defaultChannel: c}\n---\n{schema: olm.channel, package: a, name: c, entries: [{name: a.v1}, {name: a.v2, replaces: a.v1}, {name: a.v3, replaces: a.v2}]}\n"
	for i := 1; i <= 3; i++ {
		text += fmt.Sprintf("---\n{schema: olm.bundle, package: a, name: a.v%[1]d, image: i, properties: [{type: olm.package, value: {packageName: a, version: %[1]d.0.0}}, {type: olm.gvk, value: {group: g, version: v1, kind: X}}]}\n", i)
	}
	out, err := resolve.NewCatalog(t.Context(), opentest.Text(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// find reads a text and answers, as the command does. err is of the text.
func find(t testing.TB, text []byte, catalog *resolve.Catalog) (*cluster.Report, error) {
	t.Helper()
	var s snapshot.Snapshot
	if err := s.Read("c.json", bytes.NewReader(text)); err != nil {
		return nil, err
	}
	states, err := resolve.ReadStates(&s, "", "")
	if err != nil {
		return nil, err
	}
	in := cluster.Input{Snapshot: &s, States: states, Catalogs: map[resolve.SourceKey]*resolve.Catalog{{Name: "shop"}: catalog}}
	for _, state := range states {
		for i := range state.Sources {
			in.Catalogs[state.Sources[i].SourceKey] = catalog
		}
	}
	return cluster.Find(t.Context(), in)
}

// TestEverything answers for a snapshot with all kinds of objects.
func TestEverything(t *testing.T) {
	r, err := find(t, []byte(everything), shop(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.OpenShift, " ", r.Kubernetes, " ", len(r.NotUpgradeable), r.Assumed, r.NotGiven); got != "4.14.30 1.27.6 1 [] []" {
		t.Error(got)
	}
	if len(r.Operators) != 1 || r.Operators[0].State != cluster.Approve || r.Operators[0].Next.Name != "a.v2" || r.Operators[0].Last.Name != "a.v3" {
		t.Errorf("%+v %+v", r.Operators, r.Decisions)
	}
	if len(r.Extensions) != 1 || r.Extensions[0].Next.Name != "a.v2" {
		t.Errorf("%+v", r.Extensions)
	}
}

// TestNoOperatorGroups answers for two namespaces, of which one gets an operator that the other has, where OperatorGroups were left out.
func TestNoOperatorGroups(t *testing.T) {
	text := `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"s","namespace":"%s"},"spec":{"name":"a","channel":"c","source":"shop","sourceNamespace":"olm"},"status":{%s}}`
	r, err := find(t, []byte(fmt.Sprintf(text, "new", "")+"\n---\n"+fmt.Sprintf(text, "old", `"installedCSV":"a.v3"`)), shop(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.Blocked || len(r.Operators) != 2 || r.Operators[0].Next.Name != "a.v3" {
		t.Errorf("%+v %+v", r.Operators, r.Decisions)
	}
}

// change replaces or removes each value of a tree in turn, and calls a function with the whole.
func change(root *any, at *any, with []any, call func()) {
	was := *at
	for _, v := range with {
		*at = v
		call()
	}
	*at = was
	switch was := was.(type) {
	case map[string]any:
		for key, value := range was {
			delete(was, key)
			call()
			was[key] = value
			child := value
			change(root, &child, with, func() { was[key] = child; call(); was[key] = value })
		}
	case []any:
		for i, value := range was {
			child := value
			change(root, &child, with, func() { was[i] = child; call(); was[i] = value })
		}
	}
}

// TestChangedSnapshots leaves out each field, gives it values of each type, and cuts the text off at many places: the answer is a report, or an
// error with a line.
func TestChangedSnapshots(t *testing.T) {
	catalog := shop(t)
	var root any
	if err := json.Unmarshal([]byte(everything), &root); err != nil {
		t.Fatal(err)
	}
	var texts [][]byte
	with := []any{nil, "x", 7.5, true, []any{}, []any{"x"}, map[string]any{}, map[string]any{"x": 1}}
	change(&root, &root, with, func() {
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	})
	whole := len(texts)
	for at := range everything {
		if at%7 == 0 && at > 0 {
			texts = append(texts, []byte(everything[:at]))
		}
	}
	var failed atomic.Int64
	parallel.Each(len(texts), func(i int) {
		text := texts[i]
		_, err := find(t, text, catalog)
		if err == nil {
			if i >= whole {
				t.Errorf("nothing is said of what is cut off: ...%s", text[max(0, len(text)-80):])
			}
			return
		}
		failed.Add(1)
		positioned := strings.HasPrefix(err.Error(), "c.json:") || strings.Contains(err.Error(), "Subscription") || strings.Contains(err.Error(), "ClusterServiceVersion") || strings.Contains(err.Error(), "CRD")
		if !positioned {
			t.Errorf("no position: %v", err)
		}
	})
	if len(texts) < 1000 || failed.Load() < 100 {
		t.Errorf("%d snapshots, %d errors", len(texts), failed.Load())
	}
}

// FuzzCluster answers for any text.
func FuzzCluster(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("apiVersion: v1\nitems:\n- apiVersion: operators.coreos.com/v1alpha1\n  kind: Subscription\n  metadata:\n    name: s\n    namespace: ns\n  spec:\n    name: a\n    source: shop\n    sourceNamespace: olm\nkind: List\n"))
	catalog := shop(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := find(t, text, catalog)
		if err != nil {
			return
		}
		for _, o := range r.Operators {
			if slices.ContainsFunc(o.Decisions, func(i int) bool { return i < 0 || i >= len(r.Decisions) }) {
				t.Errorf("%+v", o)
			}
			if len(o.Decisions) == 0 && (o.State == cluster.Blocked || o.State == cluster.Approve) {
				t.Errorf("nothing blocks %+v", o)
			}
		}
	})
}
