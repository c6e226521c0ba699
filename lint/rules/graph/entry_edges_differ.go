package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
)

var entryEdgesDiffer = lint.Rule{
	ID: "graph/entry-edges-differ", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `a bundle has different skipRanges in two channels
Users can upgrade to the bundle from some versions in one channel and from others in another. The usual cause is that only one of
the two was changed.
Give both the same skipRange, unless the difference is intended.`,
	Reference: "OLM resolver SkipRangeIncludesPredicate",
	Check:     checkEdgesDiffer,
}

// checkEdgesDiffer reports once per package an entry with different skipRanges in different channels.
func checkEdgesDiffer(p *lint.Pass) {
	type place struct {
		channel   string
		skipRange catalogs.Text
	}
	first := map[string]place{}
	var all []lint.Finding
	lint.EachChannel(func(_ *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
		for _, i := range g.Entries() {
			name, here := g.Name(i), c.Entries[i].SkipRange
			other, met := first[name]
			if here.Value == "" || met && other.skipRange.Value == here.Value {
				continue
			}
			if !met {
				first[name] = place{c.Name.Value, here}
				continue
			}
			f := atRange(g, i)
			f.Message = fmt.Sprintf("the skipRange of %q is %q in channel %q and %q in channel %q",
				name, here.Value, c.Name.Value, other.skipRange.Value, other.channel)
			f.Related = []lint.Related{{Pos: other.skipRange.Pos, Message: "the other one"}}
			all = append(all, f)
		}
	})(p)
	reportFirst(p, all, "give both the same skipRange, unless the channels should upgrade from different versions")
}
