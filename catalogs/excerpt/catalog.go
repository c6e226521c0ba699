package excerpt

import (
	"cmp"
	"io/fs"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Excerpts returns the lines of places in the catalog's files, by place. Places that are unknown, cannot be read or are outside the
// catalog are left out. Each file is read once, and only what is returned is kept.
func Excerpts(c *catalogs.Catalog, places []catalogs.Pos) map[catalogs.Pos]Excerpt {
	byFile := map[string][]place{}
	for _, p := range places {
		if p.IsKnown() && p.Line > 0 {
			byFile[p.File] = append(byFile[p.File], place{Line: p.Line, Col: p.Col})
		}
	}
	found := map[catalogs.Pos]Excerpt{}
	for name, places := range byFile {
		f := openIn(c, name)
		if f == nil {
			continue
		}
		slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
		for at, e := range read(f, slices.Compact(places)) {
			found[catalogs.Pos{File: name, Line: at.Line, Col: at.Col}] = e
		}
		f.Close()
	}
	return found
}

// openIn opens a file of a catalog, or of what has manifests that the catalog lacks, by its name in positions; nil if there is none.
func openIn(c *catalogs.Catalog, name string) fs.File {
	sources := []*source.Source{c.Source}
	if c.Supply != nil {
		sources = append(sources, c.Supply.Sources()...)
	}
	for _, s := range sources {
		if s.IsRestricted(name) {
			continue
		}
		if f, err := s.Fsys.Open(s.Path(name)); err == nil {
			return f
		}
	}
	return nil
}
