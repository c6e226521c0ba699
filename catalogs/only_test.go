package catalogs

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// summary is what of a package is compared.
type summary struct {
	Name, Default string
	Pos           Pos
	Channels      []Channel
	Bundles       []Text
	Images        []Text
	Versions      []Text
	Properties    []int
	Deprecations  []*Deprecations
}

func summaryOf(p *Package) summary {
	s := summary{Name: p.Name.Value, Default: p.DefaultChannel.Value, Pos: p.Pos, Deprecations: p.Deprecations}
	for _, c := range p.Channels {
		copied := *c
		copied.Entries = slices.Clone(c.Entries)
		for i := range copied.Entries {
			copied.Entries[i].Bundle = nil
		}
		s.Channels = append(s.Channels, copied)
	}
	for _, b := range p.Bundles {
		s.Bundles, s.Images, s.Versions = append(s.Bundles, b.Name), append(s.Images, b.Image), append(s.Versions, b.Version)
		s.Properties = append(s.Properties, len(b.Properties))
	}
	return s
}

// TestOnly reads each package of the real catalogs alone: it must be the one that stands in the whole.
func TestOnly(t *testing.T) {
	refs, _ := filepath.Glob(filepath.Join("..", "..", "shared", "data", "fbc", "community-v4.*"))
	if len(refs) == 0 {
		t.Skip("the real catalogs are not beside the project")
	}
	for _, ref := range refs {
		whole := openOne(t, ref, Options{})
		for _, p := range whole.Packages {
			alone := openOne(t, ref, Options{Package: p.Name.Value})
			if len(alone.Packages) != 1 {
				t.Fatalf("%s: %d packages instead of %s", ref, len(alone.Packages), p.Name.Value)
			}
			if diff := cmp.Diff(summaryOf(p), summaryOf(alone.Packages[0])); diff != "" {
				t.Errorf("%s, %s alone (-whole +alone):\n%s", ref, p.Name.Value, diff)
			}
		}
		if alone := openOne(t, ref, Options{Package: "no-such-package"}); len(alone.Packages) > 0 || len(alone.Problems) > 0 {
			t.Errorf("%s: a package that is not there: %d packages, %v", ref, len(alone.Packages), alone.Problems)
		}
	}
}

func openOne(t testing.TB, ref string, o Options) *Catalog {
	t.Helper()
	cats, err := Open(context.Background(), ref, o)
	if err != nil || len(cats) != 1 {
		t.Fatalf("%s: %d catalogs, %v", ref, len(cats), err)
	}
	return cats[0]
}

// FuzzOnly holds a package that is read alone against the same in the whole, however its name is written.
func FuzzOnly(f *testing.F) {
	f.Add([]byte("schema: olm.package\nname: a.b\n---\nschema: olm.channel\npackage: \"a\\x2eb\"\nname: c\n"), "a.b")
	f.Add([]byte(`{"schema":"olm.package","name":"\u0061"} {"schema":"olm.bundle","package":"a","name":"\u003c"}`), "a")
	f.Add([]byte("schema: olm.bundle\npackage: \"a\\\n  b\"\nname: x\n"), "ab")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		if len(text) == 0 || refuseContainer(text[:min(len(text), headSize)], "", "") != nil {
			return // it is no catalog, whatever is wanted of it
		}
		read := func(o Options) *Catalog {
			o.Stdin = bytes.NewReader(text)
			return openOne(t, "-", o)
		}
		var want, got []summary
		for _, p := range read(Options{}).Packages {
			if name != "" && p.Name.Value == name {
				want = append(want, summaryOf(p))
			}
		}
		if name == "" {
			return
		}
		for _, p := range read(Options{Package: name}).Packages {
			got = append(got, summaryOf(p))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q in %q (-whole +alone):\n%s", name, text, diff)
		}
	})
}
