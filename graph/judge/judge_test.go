package judge_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// release is a bundle: the versions of its CRD, the first one stored, the install modes of its operator, and whether the CRD is in
// v1beta1.
type release struct {
	versions []string
	modes    string
	v1beta1  bool
}

func crdText(versions []string, status string) string {
	var all []string
	for i, v := range versions {
		all = append(all, fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object"}}}`, v, i == 0))
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"boats.example.com"},`+
		`"spec":{"group":"example.com","names":{"kind":"Boat","listKind":"BoatList","plural":"boats","singular":"boat"},"scope":"Namespaced","versions":[%s]}%s}`,
		strings.Join(all, ","), status)
}

// openPackage returns a package in which each release replaces the one before: a.v1.0.0, a.v2.0.0 and so on.
func openPackage(t *testing.T, releases ...release) *catalogs.Package {
	t.Helper()
	var bundles [][]string
	for i, r := range releases {
		csv := fmt.Sprintf(`{"kind":"ClusterServiceVersion","metadata":{"name":"a.v%d.0.0"},"spec":{"installModes":[{"type":%q,"supported":true}]}}`, i+1, r.modes)
		crd := crdText(r.versions, "")
		if r.v1beta1 {
			crd = strings.Replace(crd, "k8s.io/v1", "k8s.io/v1beta1", 1)
		}
		bundles = append(bundles, []string{csv, crd})
	}
	return openBundles(t, bundles...)
}

// openBundles returns a package in which each bundle, a.v1.0.0, a.v2.0.0 and so on, has some objects and replaces the one before.
func openBundles(t *testing.T, objectsOf ...[]string) *catalogs.Package {
	t.Helper()
	var entries, bundles []string
	for i, texts := range objectsOf {
		entry := fmt.Sprintf(`{"name":"a.v%d.0.0"`, i+1)
		if i > 0 {
			entry += fmt.Sprintf(`,"replaces":"a.v%d.0.0"`, i)
		}
		entries = append(entries, entry+"}")
		objects := fmt.Sprintf(`{"type":"olm.package","value":{"packageName":"a","version":"%d.0.0"}}`, i+1)
		for _, text := range texts {
			objects += `,{"type":"olm.bundle.object","value":{"data":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}}`
		}
		bundles = append(bundles, fmt.Sprintf(`{"schema":"olm.bundle","package":"a","name":"a.v%d.0.0","image":"i","properties":[%s]}`, i+1, objects))
	}
	text := fmt.Sprintf(`{"schema":"olm.package","name":"a","defaultChannel":"c"}{"schema":"olm.channel","package":"a","name":"c","entries":[%s]}%s`,
		strings.Join(entries, ","), strings.Join(bundles, "\n"))
	return opentest.Text(t, text).Packages[0]
}

// migratedPackage returns a package that migrates from v1alpha1 to v1, and drops v1alpha1 last.
func migratedPackage(t *testing.T) *catalogs.Package {
	return openPackage(t, release{[]string{"v1alpha1"}, "AllNamespaces", false}, release{[]string{"v1", "v1alpha1"}, "AllNamespaces", false},
		release{[]string{"v1"}, "AllNamespaces", false})
}

// TestHistories: a version stays in status.storedVersions until the operator migrates the objects.
func TestHistories(t *testing.T) {
	pkg := migratedPackage(t)
	since := semver.MustParse("2.0.0")
	for want, options := range map[string]judge.Options{
		"[[v1] [v1 v1alpha1] [v1alpha1]] lost [v1alpha1]": {},
		"[[v1] [v1] [v1alpha1]] lost []":                  {MigratesSince: &since},
	} {
		all := judge.New(pkg, options).Histories(pkg.Channels[0])
		if len(all) != 1 || len(all[0].Revisions) != 3 {
			t.Fatalf("%+v", all)
		}
		var stored [][]string
		for _, r := range all[0].Revisions {
			stored = append(stored, r.Stored)
		}
		if got := fmt.Sprint(stored, " lost ", all[0].Revisions[0].MissingVersions); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestRejected: the upgrade that drops a version is rejected only for users who upgraded from the bundle that stores it.
func TestRejected(t *testing.T) {
	pkg := migratedPackage(t)
	p := judge.New(pkg, judge.Options{})
	all := p.StoredVersions()
	if len(all) != 2 {
		t.Fatalf("%d versions: %v", len(all), all)
	}
	i := slices.IndexFunc(all, func(s *judge.StoredVersion) bool { return s.Version == "v1alpha1" })
	direct, carried := all[i].RejectedUpgrades()
	found, ok := all[i].PathTo(carried, judge.AutomaticV0, graph.ForOthers)
	if len(direct) != 0 || len(carried) != 1 || !ok || found.Path[0].Name != "a.v1.0.0" || found.From.Name != "a.v2.0.0" {
		t.Errorf("%v, %v, %v %v", direct, carried, found, ok)
	}
	before := p.StoredBefore("a.v2.0.0", all[i].CRD)
	if len(before) != 1 || before[0].Version != "v1alpha1" || len(before[0].Path) != 2 || before[0].Path[0].Name != "a.v1.0.0" {
		t.Errorf("%+v", before)
	}
}

// TestUpgradesByGeneration: OLM v1 makes no upgrade to a bundle that it does not install.
func TestUpgradesByGeneration(t *testing.T) {
	all, v1 := "AllNamespaces", []string{"v1"}
	pkg := openPackage(t, release{v1, all, true}, release{v1, all, false}, release{v1, all, false}, release{v1, "OwnNamespace", false})
	for _, c := range []struct {
		olm  []graph.Generation
		want string
	}{
		{nil, "a.v1.0.0-a.v2.0.0 true false, a.v2.0.0-a.v3.0.0 true true, a.v3.0.0-a.v4.0.0 true false"},
		{[]graph.Generation{graph.V0}, "a.v1.0.0-a.v2.0.0 true false, a.v2.0.0-a.v3.0.0 true false, a.v3.0.0-a.v4.0.0 true false"},
		{[]graph.Generation{graph.V1}, "a.v2.0.0-a.v3.0.0 false true"},
	} {
		var got []string
		for _, u := range judge.New(pkg, judge.Options{OLM: c.olm}).Upgrades() {
			got = append(got, fmt.Sprintf("%s-%s %t %t", u.From.Name.Value, u.To.Name.Value, u.V0, u.V1))
		}
		slices.Sort(got)
		if all := strings.Join(got, ", "); all != c.want {
			t.Errorf("%v: %s, want %s", c.olm, all, c.want)
		}
	}
}

// TestCluster: the versions in status.storedVersions of the cluster count, and what an upgrade stores is added to them.
func TestCluster(t *testing.T) {
	pkg := migratedPackage(t)
	path := graph.Path{}
	g := graph.New(pkg, pkg.Channels[0])
	for _, e := range g.SuccessorsV1(0) {
		path = append(path, graph.Step{From: g.Name(0), To: g.Name(e.To), Edge: e})
	}
	for _, e := range g.SuccessorsV1(1) {
		path = append(path, graph.Step{From: g.Name(1), To: g.Name(e.To), Edge: e})
	}
	for stored, want := range map[string]string{`"v1"`: "[] [v1], [] [v1]", `"v1alpha1"`: "[] [v1alpha1 v1], [v1alpha1] [v1alpha1 v1]"} {
		objects, err := bundled.ParseObjects([]byte(crdText([]string{"v1alpha1", "v1"}, `,"status":{"storedVersions":[`+stored+`]}`)))
		if err != nil {
			t.Fatal(err)
		}
		cluster, err := judge.NewCluster(objects, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range judge.New(pkg, judge.Options{}).Judge(path, judge.On{OLM: graph.V0, Cluster: cluster, Resolved: true}) {
			var rejected []string
			for _, r := range o.Reasons {
				rejected = append(rejected, strings.Fields(strings.TrimPrefix(r.Message, "status.storedVersions has "))[0])
			}
			got = append(got, fmt.Sprint(strings.ReplaceAll(fmt.Sprint(rejected), ",", ""), " ", o.Stored[0].Versions))
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("stored %s: %s, want %s", stored, all, want)
		}
	}
}
