package open

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
)

func summarize(p *catalogs.Package) summary {
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

// FuzzOnly compares a package that is read alone with the same one in the whole catalog, for any spelling of its name.
func FuzzOnly(f *testing.F) {
	f.Add([]byte("schema: olm.package\nname: a.b\n---\nschema: olm.channel\npackage: \"a\\x2eb\"\nname: c\n"), "a.b")
	f.Add([]byte(`{"schema":"olm.package","name":"\u0061"} {"schema":"olm.bundle","package":"a","name":"\u003c"}`), "a")
	f.Add([]byte("schema: olm.bundle\npackage: \"a\\\n  b\"\nname: x\n"), "ab")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		if len(text) == 0 || filetype.RejectContainer(text[:min(len(text), filetype.HeadSize)], "", "") != nil {
			return // it is no catalog, whatever is wanted of it
		}
		read := func(o form.Options) *catalogs.Catalog {
			o.Stdin = bytes.NewReader(text)
			return openOne(t, "-", o)
		}
		var want, got []summary
		for _, p := range read(form.Options{}).Packages {
			if name != "" && p.Name.Value == name {
				want = append(want, summarize(p))
			}
		}
		if name == "" {
			return
		}
		for _, p := range read(form.Options{Package: name}).Packages {
			got = append(got, summarize(p))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q in %q (-whole +alone):\n%s", name, text, diff)
		}
	})
}

// TestDeprecationObjects reads the first olm.deprecations object of a package only, and of several entries about one object the
// first.
func TestDeprecationObjects(t *testing.T) {
	entry := func(schema, name, message string) catalogs.Deprecation {
		return catalogs.Deprecation{Schema: catalogs.Text{Value: schema}, Name: catalogs.Text{Value: name}, Message: catalogs.Text{Value: message}}
	}
	p := &catalogs.Package{Deprecations: []*catalogs.Deprecations{
		{Entries: []catalogs.Deprecation{entry(catalogs.SchemaBundle, "a.v1", "first"), entry(catalogs.SchemaBundle, "a.v1", "again"), entry(catalogs.SchemaPackage, "", "all"),
			entry(catalogs.SchemaChannel, "a.v2", "a channel")}},
		{Entries: []catalogs.Deprecation{entry(catalogs.SchemaBundle, "a.v2", "second object"), entry(catalogs.SchemaChannel, "beta", "second object")}},
	}}
	for key, want := range map[[2]string]string{
		{catalogs.SchemaBundle, "a.v1"}: "first", {catalogs.SchemaBundle, "a.v2"}: "", {catalogs.SchemaChannel, "beta"}: "", {catalogs.SchemaChannel, "a.v2"}: "a channel",
		{catalogs.SchemaPackage, ""}: "all", {catalogs.SchemaPackage, "whatever"}: "all",
	} {
		got := ""
		if d := p.Deprecation(key[0], key[1]); d != nil {
			got = d.Message.Value
		}
		if got != want {
			t.Errorf("%v: %q, want %q", key, got, want)
		}
	}
	if n := len(p.DeprecationEntries()); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}
	if p := (&catalogs.Package{}); p.Deprecation(catalogs.SchemaPackage, "") != nil || p.DeprecationEntries() != nil {
		t.Error("a package without olm.deprecations deprecates something")
	}
}

// summary is what is compared of a package.
type summary struct {
	Name, Default string
	Pos           catalogs.Pos
	Channels      []catalogs.Channel
	Bundles       []catalogs.Text
	Images        []catalogs.Text
	Versions      []catalogs.Text
	Properties    []int
	Deprecations  []*catalogs.Deprecations
}
