package plan

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// withObjects writes a package of two bundles, the newer one with objects, and the older one, too, if both have them.
func withObjects(both bool, objects ...string) string {
	text := `{"schema":"olm.package","name":"a","defaultChannel":"stable"}{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"}]}`
	for version := 1; version <= 2; version++ {
		properties := fmt.Sprintf(`{"type":"olm.package","value":{"packageName":"a","version":"%d.0.0"}}`, version)
		for _, o := range objects {
			if both || version == 2 {
				properties += fmt.Sprintf(`,{"type":"olm.bundle.object","value":{"data":%q}}`, base64.StdEncoding.EncodeToString([]byte(o)))
			}
		}
		text += fmt.Sprintf(`{"schema":"olm.bundle","package":"a","name":"a.v%d","image":"i","properties":[%s]}`, version, properties)
	}
	return text
}

const crdV1 = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"boats.sea"},"spec":{"group":"sea","scope":"Namespaced","names":{"kind":"Boat","plural":"boats"},` +
	`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

// TestManifests checks what keeps a bundle from being installed because of its objects.
func TestManifests(t *testing.T) {
	for name, c := range map[string]struct {
		objects []string
		stored  []string
		minor   Minor
		want    BlockerKind
		blocked bool
		both    bool // the older bundle has the objects, too
	}{
		"nothing":           {minor: 14},
		"stored":            {objects: []string{crdV1}, stored: []string{"v1alpha1"}, minor: 14, want: StoredVersions, blocked: true},
		"migrated":          {objects: []string{crdV1}, stored: []string{"v1"}, minor: 14},
		"no CRD yet":        {objects: []string{crdV1}, minor: 14},
		"old CRD":           {objects: []string{`{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","metadata":{"name":"boats.sea"},"spec":{}}`}, minor: 9, want: RemovedAPI, blocked: true},
		"removed":           {objects: []string{`{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"p"}}`}, minor: 12, want: RemovedAPI, blocked: true},
		"removed since":     {objects: []string{`{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"p"}}`}, minor: 12, want: RemovedAPI, blocked: true, both: true},
		"not yet removed":   {objects: []string{`{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"p"}}`}, minor: 11},
		"the newer version": {objects: []string{`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"p"}}`}, minor: 12},
	} {
		r := openText(t, withObjects(c.both, c.objects...))
		in, _ := r.InstalledOperator("a", "a.v1")
		key := resolve.SourceKey{Name: "c", Namespace: "olm"}
		cluster := Cluster{Minor: c.minor, Stored: map[string][]string{"boats.sea": c.stored}, Namespaces: []resolve.Namespace{{Name: "n", Global: "olm",
			Sources: []resolve.Source{{SourceKey: key}}, Installed: []resolve.InstalledOperator{in},
			Subscriptions: []resolve.Subscription{{Name: "a", Package: "a", Channel: "stable", Source: key, InstalledCSV: "a.v1"}}}}}
		got := mustFind(t, cluster, []Catalog{{Source: key, Content: r}}, Request{To: c.minor + 1})
		if got.IsPossible() == c.blocked || c.blocked && got.Blockers[0].Kind != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestChangedSource reports that a file is gone which is first read to find out what the cluster would do without what blocks it.
func TestChangedSource(t *testing.T) {
	key, at := resolve.SourceKey{Name: "c", Namespace: "olm"}, t.TempDir()
	max := `{"type":"olm.maxOpenShiftVersion","value":"4.14"}`
	first := openText(t, strings.NewReplacer(`"1.0.0"}}`, `"1.0.0"}},`+max, `,{"name":"a.v2","replaces":"a.v1"}`, "").Replace(withObjects(true, crdV1)))
	if err := os.WriteFile(filepath.Join(at, "catalog.json"), []byte(withObjects(true, crdV1)), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := resolve.NewCatalog(t.Context(), opentest.Open(t, at)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(at, "catalog.json")); err != nil {
		t.Fatal(err)
	}
	in, _ := first.InstalledOperator("a", "a.v1")
	cluster := Cluster{Minor: 14, Namespaces: []resolve.Namespace{{Name: "n", Global: "olm", Sources: []resolve.Source{{SourceKey: key}},
		Installed:     []resolve.InstalledOperator{in},
		Subscriptions: []resolve.Subscription{{Name: "a", Package: "a", Channel: "stable", Source: key, InstalledCSV: "a.v1"}}}}}
	if p, err := Find(t.Context(), cluster, []Catalog{{Source: key, Minor: 14, Content: first}, {Source: key, Minor: 15, Content: second}}, Request{To: 15, Any: true}); err == nil {
		t.Errorf("no error: %+v", p)
	}
}
