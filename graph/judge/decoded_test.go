package judge

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// TestDecodedCache: the CRDs that were used last are cached, up to a limit.
func TestDecodedCache(t *testing.T) {
	var text strings.Builder
	const n = 12
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.b.c%d}\n"+
			"spec: {group: b.c%d, names: {kind: A, plural: as}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, "+
			"schema: {openAPIV3Schema: {type: object, description: '%s'}}}]}\n", i, i, strings.Repeat("a", maxDecoded/5))
	}
	objects, err := bundled.ParseObjects([]byte(text.String()))
	if err != nil || len(objects) != n {
		t.Fatal(len(objects), err)
	}
	var d decodedCache
	first, err := d.decode(crd.NewSum(objects[0].JSON()), objects[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects[1:] {
		if _, err := d.decode(crd.NewSum(o.JSON()), o); err != nil {
			t.Fatal(err)
		}
		if again, _ := d.decode(crd.NewSum(objects[0].JSON()), objects[0]); again != first {
			t.Fatalf("%s was let go of, and had just been asked for", first.Name)
		}
		if d.bytes > maxDecoded {
			t.Errorf("%d bytes of %d CRDs are held", d.bytes, len(d.entries))
		}
	}
	if len(d.entries) != 4 {
		t.Errorf("%d are held, want 4", len(d.entries))
	}
}

// TestPrepared: after the checks are computed together no CRD stays decoded, and their results need no decoding, here and with another
// package that uses the same cache. They are the same in one goroutine and in several.
func TestPrepared(t *testing.T) {
	cats := opentest.Open(t, catalogtest.Data(t, "bundle-repo"))
	manifests, compared := 0, 0
	for _, pkg := range cats[0].Packages {
		if len(pkg.Bundles) > 10 {
			continue // larger ones take long
		}
		o := Options{Checks: CheckFaults | CheckChanges | CheckUnseen | CheckExamples, Goroutines: 4, Cache: &Cache{}}
		several := collectAnswers(New(pkg, o))
		o.Goroutines = 0
		again := New(pkg, o)
		o.Cache = nil
		for name, found := range map[string]answers{"again": collectAnswers(again), "alone": collectAnswers(New(pkg, o))} {
			if !reflect.DeepEqual(found, several) {
				t.Errorf("package %s, %s: other results", pkg.Name.Value, name)
			}
		}
		if n := len(again.decoded.entries); n > 0 {
			t.Errorf("package %s: %d CRDs are decoded again", pkg.Name.Value, n)
		}
		manifests, compared = manifests+len(several.faults), compared+len(several.changes)
	}
	if manifests == 0 || compared == 0 {
		t.Errorf("%d manifests, %d comparisons", manifests, compared)
	}
}

// answers are the results of all checks of a package.
type answers struct {
	faults  [][]crd.Fault
	changes [][]crd.Change
	broken  [][]BrokenExample
}

func collectAnswers(p *Package) (all answers) {
	for _, b := range p.pkg.Bundles {
		for _, m := range p.CRDManifests(b) {
			_, faults, _ := p.Faults(m)
			all.faults = append(all.faults, faults)
		}
	}
	for _, u := range p.Upgrades() {
		for _, old := range p.CRDs(u.From) {
			new := p.ReadableCRD(u.To, old.Manifest.Name)
			if old.Outline == nil || new == nil || new.APIVersion != crd.V1 || old.Manifest.Object == new.Manifest.Object {
				continue
			}
			changes, _ := p.Changes(u.From, u.To, old, new)
			all.changes = append(all.changes, changes)
			if u.V0 {
				unseen, _ := p.Unseen(old, new)
				all.changes = append(all.changes, unseen)
				all.broken = append(all.broken, p.BrokenExamples(u.From, old, new))
			}
		}
	}
	return all
}
