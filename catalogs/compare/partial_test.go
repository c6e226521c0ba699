package compare

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// summary is what of a package is compared.
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
		open := func(text string) *repo.Opened {
			files := fstest.MapFS{"a.yaml": {Data: []byte(text)}, "b.yaml": {Data: []byte(same)}, "c.yaml": {Data: []byte(same + "# 2\n")}}
			s := &source.Source{Fsys: counting{files, func(name string) {
				if opened.Add(1) == until {
					cancel()
				}
			}}}
			return repo.FromFiles(fbc.OpenFolder(s, form.Options{}))[0]
		}
		now, base := open("schema: olm.package\nname: p\ndefaultChannel: a\n"), open("schema: olm.package\nname: p\n")
		p := Pair{Now: now.Catalog, Base: base.Catalog, now: now, base: base}
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
