package excerpt

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Excerpts returns the lines of places in the catalog's files, by place. Places that are unknown, cannot be read or are outside the
// catalog are left out. Each file is read once, and only what is returned is kept.
func Excerpts(c *catalogs.Catalog, places []catalogs.Pos) map[catalogs.Pos]Excerpt {
	byFile := map[string][]Place{}
	for _, p := range places {
		if p.Known() && p.Line > 0 {
			byFile[p.File] = append(byFile[p.File], Place{Line: p.Line, Col: p.Col})
		}
	}
	found := map[catalogs.Pos]Excerpt{}
	for name, places := range byFile {
		if c.Source.Restricted(name) {
			continue
		}
		f, err := c.Source.Fsys.Open(c.Source.Path(name))
		if err != nil {
			continue
		}
		slices.SortFunc(places, func(a, b Place) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
		for at, e := range Read(f, slices.Compact(places)) {
			found[catalogs.Pos{File: name, Line: at.Line, Col: at.Col}] = e
		}
		f.Close()
	}
	return found
}
