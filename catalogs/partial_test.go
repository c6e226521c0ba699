package catalogs

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/filetype"
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

// FuzzOnly compares a package that is read alone with the same one in the whole catalog, for any spelling of its name.
func FuzzOnly(f *testing.F) {
	f.Add([]byte("schema: olm.package\nname: a.b\n---\nschema: olm.channel\npackage: \"a\\x2eb\"\nname: c\n"), "a.b")
	f.Add([]byte(`{"schema":"olm.package","name":"\u0061"} {"schema":"olm.bundle","package":"a","name":"\u003c"}`), "a")
	f.Add([]byte("schema: olm.bundle\npackage: \"a\\\n  b\"\nname: x\n"), "ab")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		if len(text) == 0 || filetype.RefuseContainer(text[:min(len(text), filetype.HeadSize)], "", "") != nil {
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

// counting is a file system that tells of each file that is opened.
type counting struct {
	fstest.MapFS
	opened func(name string)
}

func (c counting) Open(name string) (fs.File, error) {
	c.opened(name)
	return c.MapFS.Open(name)
}

// TestPairReadIsCancelled gives up wherever a comparison is: what it has found by then is no answer.
func TestPairReadIsCancelled(t *testing.T) {
	const same = "schema: olm.package\nname: same\n"
	read := func(until int32) (int32, error) {
		var opened atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		open := func(text string) *Catalog {
			files := fstest.MapFS{"a.yaml": {Data: []byte(text)}, "b.yaml": {Data: []byte(same)}, "c.yaml": {Data: []byte(same + "# 2\n")}}
			s := &source{fsys: counting{files, func(name string) {
				if opened.Add(1) == until {
					cancel()
				}
			}}}
			c, err := openFolder(ctx, s, ".", Options{Deferred: true})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		p := Pair{Now: open("schema: olm.package\nname: p\ndefaultChannel: a\n"), Base: open("schema: olm.package\nname: p\n")}
		opened.Store(0)
		err := p.Read(ctx)
		return opened.Load(), err
	}
	all, err := read(0)
	if err != nil || all == 0 {
		t.Fatal(all, err)
	}
	for until := int32(1); until <= all; until++ { // another goroutine may be about to open one
		if opened, err := read(until); !errors.Is(err, context.Canceled) || opened >= until+int32(runtime.GOMAXPROCS(0)) {
			t.Errorf("cancelled with the %dth file of %d: %d were opened, %v", until, all, opened, err)
		}
	}
}

// TestDeprecationObjects reads the first olm.deprecations object of a package only, and of several entries about one object the
// first.
func TestDeprecationObjects(t *testing.T) {
	entry := func(schema, name, message string) Deprecation {
		return Deprecation{Schema: Text{Value: schema}, Name: Text{Value: name}, Message: Text{Value: message}}
	}
	p := &Package{Deprecations: []*Deprecations{
		{Entries: []Deprecation{entry(SchemaBundle, "a.v1", "first"), entry(SchemaBundle, "a.v1", "again"), entry(SchemaPackage, "", "all"),
			entry(SchemaChannel, "a.v2", "a channel")}},
		{Entries: []Deprecation{entry(SchemaBundle, "a.v2", "second object"), entry(SchemaChannel, "beta", "second object")}},
	}}
	for key, want := range map[[2]string]string{
		{SchemaBundle, "a.v1"}: "first", {SchemaBundle, "a.v2"}: "", {SchemaChannel, "beta"}: "", {SchemaChannel, "a.v2"}: "a channel",
		{SchemaPackage, ""}: "all", {SchemaPackage, "whatever"}: "all",
	} {
		got := ""
		if d := p.Deprecation(key[0], key[1]); d != nil {
			got = d.Message.Value
		}
		if got != want {
			t.Errorf("%v: %q, want %q", key, got, want)
		}
	}
	if all := p.DeprecatedBundles(); len(all) != 1 || all["a.v1"].Message.Value != "first" {
		t.Errorf("deprecated bundles: %v", all)
	}
	if n := len(p.DeprecationEntries()); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}
	if p := (&Package{}); p.Deprecation(SchemaPackage, "") != nil || len(p.DeprecatedBundles()) > 0 || p.DeprecationEntries() != nil {
		t.Error("a package without olm.deprecations deprecates something")
	}
}

// TestReadLater wants what was known of a catalog when it was opened to stay when it is read later.
func TestReadLater(t *testing.T) {
	s := &source{fsys: fstest.MapFS{"red.yaml": {Data: []byte("schema: olm.package\nname: red\n")}}}
	c, err := loadOrDefer(t.Context(), s, []string{"red.yaml"}, nil, Options{Deferred: true})
	if err != nil || len(c.Packages) > 0 {
		t.Fatal(c, err)
	}
	c.Name, c.Form, c.Container, c.OpenShift = "v4.18", PackageManifests, "tar archive", "4.18"
	if err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.Name != "v4.18" || c.Form != PackageManifests || c.Container != "tar archive" || c.OpenShift != "4.18" || c.Package("red") == nil {
		t.Errorf("got %+v", c)
	}
}
