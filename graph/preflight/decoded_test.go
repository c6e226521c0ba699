package preflight

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
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
	objects, err := catalogs.ParseObjects([]byte(text.String()))
	if err != nil || len(objects) != n {
		t.Fatal(len(objects), err)
	}
	var d decodedCache
	first, err := d.get(objects[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects[1:] {
		if _, err := d.get(o); err != nil {
			t.Fatal(err)
		}
		if again, _ := d.get(objects[0]); again != first {
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

// TestPrepared: after the checks are computed together no CRD stays decoded, and their results need no decoding.
func TestPrepared(t *testing.T) {
	cats, err := catalogs.Open(t.Context(), catalogtest.Data(t, "bundle-repo"), catalogs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	manifests, compared := 0, 0
	for _, pkg := range cats[0].Packages {
		p := New(pkg, Options{Checks: CheckFaults | CheckChanges | CheckUnseen | CheckExamples})
		for _, b := range pkg.Bundles {
			for _, m := range p.CRDManifests(b) {
				p.Faults(m)
				manifests++
			}
		}
		for _, u := range p.Upgrades() {
			for _, old := range p.CRDs(u.From) {
				new := p.ReadableCRD(u.To, old.Manifest.Name)
				if old.Outline == nil || new == nil || new.APIVersion != crd.V1 || old.Manifest.Object == new.Manifest.Object {
					continue
				}
				compared++
				p.Changes(u.From, u.To, old, new)
				if u.V0 {
					p.Unseen(old, new)
					p.BrokenExamples(u.From, old, new)
				}
			}
		}
		if n := len(p.cache.decoded.entries); n > 0 {
			t.Errorf("package %s: %d CRDs are decoded again", pkg.Name.Value, n)
		}
	}
	if manifests == 0 || compared == 0 {
		t.Errorf("%d manifests, %d comparisons", manifests, compared)
	}
}
