package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/graph/snapshot"
)

func readState(text []byte, in, global string) (*NamespaceState, error) {
	var s snapshot.Snapshot
	if err := s.Read("", bytes.NewReader(text)); err != nil {
		return nil, err
	}
	all, err := ReadStates(&s, in, global)
	if err == nil && len(all) == 0 {
		err = errors.New("no namespace")
	}
	if err != nil {
		return nil, err
	}
	return all[max(0, slices.IndexFunc(all, func(n *NamespaceState) bool { return n.Name == in }))], nil
}

const subscriptionYAML = `
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: a, namespace: %s}
spec: {name: a, source: shop, sourceNamespace: %s}
`

// TestGlobalNamespace checks that the namespace of global CatalogSources is OpenShift's if the objects are of OpenShift.
func TestGlobalNamespace(t *testing.T) {
	const source = "\n---\n{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: shop, namespace: olm}}\n"
	for _, test := range []struct{ text, in, flag, want string }{
		{fmt.Sprintf(subscriptionYAML, "ns", "olm"), "ns", "", "olm"},
		{fmt.Sprintf(subscriptionYAML, "ns", "elsewhere"), "ns", "", "olm"},
		{fmt.Sprintf(subscriptionYAML, "ns", "elsewhere"), "ns", "elsewhere", "elsewhere"},
		{fmt.Sprintf(subscriptionYAML, "openshift-operators", "x"), "openshift-operators", "", "openshift-marketplace"},
		{fmt.Sprintf(subscriptionYAML, "ns", "x") + "---\n{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version}}", "ns", "", "openshift-marketplace"},
		{fmt.Sprintf(subscriptionYAML, "ns", "openshift-marketplace"), "ns", "", "openshift-marketplace"},
		{fmt.Sprintf(subscriptionYAML, "ns", "openshift-marketplace") + source, "ns", "", "olm"},
		{"subscriptions: [{package: a}]", "", "", "olm"},
		{"{subscriptions: [{package: a, catalog: c}], catalogs: [{name: c, namespace: openshift-marketplace}]}", "", "", "openshift-marketplace"},
	} {
		s, err := readState([]byte(test.text), test.in, test.flag)
		if err != nil {
			t.Fatalf("%s: %v", test.text, err)
		}
		if s.Global != test.want {
			t.Errorf("%s: global namespace %q, want %q", test.text, s.Global, test.want)
		}
	}
}

// TestTargets reads which namespaces the operators of an OperatorGroup watch.
func TestTargets(t *testing.T) {
	for body, want := range map[string]string{
		``:                                   "[\"\"] true",
		`, spec: {targetNamespaces: [b, a]}`: `["a" "b"] true`,
		`, spec: {selector: {}}`:             `[""] true`,
		`, spec: {selector: {matchLabels: {tier: sea}}}`:                                                "[] false",
		`, spec: {selector: {matchLabels: {tier: sea}}}, status: {lastUpdated: "2026-01-01T00:00:00Z"}`: "[] true",
		`, spec: {targetNamespaces: [a]}, status: {namespaces: [c, b, b]}`:                              `["b" "c"] true`,
	} {
		group := fmt.Sprintf("---\n{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: ns}%s}", body)
		s, err := readState([]byte(fmt.Sprintf(subscriptionYAML, "ns", "olm")+group), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%q %v", s.Groups.Targets, s.Groups.Known); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// TestPlannedBundles reads what an InstallPlan creates where OLM has unpacked the bundles into ConfigMaps, subscriptions of
// dependencies included.
func TestPlannedBundles(t *testing.T) {
	const plan = `---
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: install-x, namespace: ns}
spec: {approved: false, clusterServiceVersionNames: [a.v2, b.v1]}
status:
  phase: RequiresApproval
  plan:
  - resolving: a.v2
    resource: {kind: ClusterServiceVersion, name: a.v2, manifest: '{"kind":"ConfigMap","name":"x","replaces":"a.v1","properties":"{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"a\",\"version\":\"2.0.0\"}},{\"type\":\"olm.package.required\",\"value\":{\"packageName\":\"b\",\"versionRange\":\">=1.0.0\"}}]}"}'}
  - resolving: b.v1
    resource: {kind: ClusterServiceVersion, name: b.v1, manifest: '{"kind":"ConfigMap","properties":"{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"b\",\"version\":\"1.0.0\"}}]}"}'}
  - resolving: b.v1
    resource: {kind: Subscription, name: b-stable-shop-olm, manifest: '{"spec":{"name":"b","channel":"stable","source":"shop","sourceNamespace":"olm","startingCSV":"b.v1"}}'}
  - resolving: b.v1
    resource: {kind: Role, name: r, manifest: 'torn {'}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: a.v1, namespace: ns}
spec: {version: 1.0.0}
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: ns}}
`
	text := fmt.Sprintf(subscriptionYAML, "ns", "olm")
	text = strings.TrimRight(text, "\n") + "\nstatus: {installedCSV: a.v1, currentCSV: a.v2, installPlanRef: {name: install-x}}\n" + plan
	s, err := readState([]byte(text), "", "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Next(t.Context(), s.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := installs(r), "a.v2 for a instead of a.v1, b.v1 new b-stable-shop-olm"; got != want {
		t.Errorf("installs %s, want %s", got, want)
	}
	if r.Plan == nil || !slices.Equal(r.Plan.Approve, []string{"install-x"}) {
		t.Errorf("the plan is %+v", r.Plan)
	}
	after := s.Namespace.After(r)
	if lacks := after.findUnmet(); len(lacks) > 0 {
		t.Errorf("lacks %+v", lacks)
	}
	if sub := after.Subscriptions[1]; sub.InstalledCSV != "b.v1" || sub.Source != (SourceKey{"shop", "olm"}) {
		t.Errorf("the subscription of the dependency is %+v", sub)
	}
}

// TestWrongTypes checks that errors name the object and the field with the wrong type.
func TestWrongTypes(t *testing.T) {
	const head = "{apiVersion: operators.coreos.com/v1alpha1, metadata: {name: x, namespace: ns}, kind: "
	for body, want := range map[string]string{
		"Subscription, spec: {channel: 4}}":                           `Subscription "x" in namespace "ns": spec.channel: want a string, found number`,
		"CatalogSource, spec: {priority: high}}":                      `CatalogSource "x" in namespace "ns": spec.priority: want an integer, found string`,
		"InstallPlan, spec: {approved: 'yes'}}":                       `InstallPlan "x" in namespace "ns": spec.approved: want true or false, found string`,
		"InstallPlan, spec: {clusterServiceVersionNames: a}}":         `InstallPlan "x" in namespace "ns": spec.clusterServiceVersionNames: want a list, found string`,
		"OperatorCondition, status: []}":                              `OperatorCondition "x" in namespace "ns": status: want an object, found list`,
		"OperatorCondition, status: {conditions: [{status: false}]}}": `OperatorCondition "x" in namespace "ns": status.conditions.status: want a string, found bool`,
		"OperatorGroup, status: {namespaces: {a: b}}}":                `OperatorGroup "x" in namespace "ns": status.namespaces: want a list, found object`,
	} {
		text := fmt.Sprintf(subscriptionYAML, "ns", "olm") + "---\n" + head + body
		_, err := readState([]byte(text), "ns", "")
		if want = "line 8: " + want; err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", body, err, want)
		}
	}
}

// TestTooManyOperators: more operators than a namespace can have are an error with both numbers.
func TestTooManyOperators(t *testing.T) {
	subs := "subscriptions:\n"
	for i := range maxOperators + 1 {
		subs += fmt.Sprintf("- {package: p%d}\n", i)
	}
	for text, want := range map[string]string{
		subs[:strings.LastIndex(subs, "- {")]: "",
		subs:                                  `namespace "operators" has 2001 Subscriptions, but olmgraph takes at most 2000 in a namespace`,
		fmt.Sprintf(subscriptionYAML, "ns", "olm") + "---\n{apiVersion: operators.coreos.com/v1alpha1, kind: InstallPlan, metadata: {name: x, namespace: ns}, spec: {clusterServiceVersionNames: [" +
			strings.Repeat("a, ", maxOperators+1) + "]}}": `namespace "ns" has 2001 names in InstallPlans that have not ended, but olmgraph takes at most 2000 in a namespace`,
	} {
		switch _, err := readState([]byte(text), "", ""); {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTooManyNamespaces: more namespaces, or CatalogSources that these see, than a cluster can have are an error with both numbers.
func TestTooManyNamespaces(t *testing.T) {
	for _, test := range []struct {
		namespaces, sources int
		want                string
	}{
		{maxNamespaces, 1, ""},
		{maxNamespaces + 1, 1, "20001 of its namespaces have Subscriptions or ClusterServiceVersions that are not copied, but olmgraph takes at most 20000"},
		{10, maxSources / 10, ""},
		{11, maxSources / 10, "see 1100000 CatalogSources"},
	} {
		var s snapshot.Snapshot
		if err := s.Read("", strings.NewReader("")); err != nil {
			t.Fatal(err)
		}
		for i := range test.namespaces {
			var sub snapshot.Subscription
			sub.Spec.Package, sub.Spec.Source, sub.Spec.Namespace = "p", "c0", "olm"
			s.Subscriptions[fmt.Sprint("n", i)] = []snapshot.Subscription{sub}
		}
		s.CatalogSources = make([]snapshot.CatalogSource, test.sources)
		for i := range s.CatalogSources {
			s.CatalogSources[i].Metadata.Name, s.CatalogSources[i].Metadata.Namespace = fmt.Sprint("c", i), "olm"
		}
		switch _, err := ReadStates(&s, "", "olm"); {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%d namespaces, %d sources: %v, want %q", test.namespaces, test.sources, err, test.want)
		}
	}
}
