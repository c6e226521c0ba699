package upgrades

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// eachRange returns a Check that calls check for each entry with a valid skipRange.
func eachRange(check func(*lint.Pass, *graph.Graph, int, versions.Range)) func(*lint.Pass) {
	return lint.EachChannel(func(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
		for _, i := range g.Entries() {
			if r := versions.ParseRange(c.Entries[i].SkipRange.Value); r.In != nil {
				check(p, g, i, r)
			}
		}
	})
}

// atRange returns a finding at the skipRange of an entry.
func atRange(g *graph.Graph, i int) lint.Finding {
	f := edges.AtEntry(g, i)
	f.Pos = words.FirstKnown(g.Channel.Entries[i].SkipRange.Pos, f.Pos)
	return f
}

// newerInRange returns the newer entries that the skipRange of an entry covers.
func newerInRange(g *graph.Graph, i int) []int {
	own := g.Channel.Entries[i].Bundle
	return slices.DeleteFunc(g.CoveredUpward(i), func(other int) bool {
		return !versions.NewerThan(g.Channel.Entries[other].Bundle, own)
	})
}
