package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var deadEdge = lint.Rule{
	ID: "graph/dead-edge", Severity: lint.Info, Gates: lint.GateOLMv0,
	Doc: `OLM v0 never follows a replaces
A skipped entry is never offered, so nothing is upgraded to it along its replaces. If both ends are skipped, the edge has no
effect in OLM v0; OLM v1 may follow it.
No change is required. Remove it if it has no purpose.`,
	Reference: "OLM resolver sortChannel",
	Check:     lint.EachChannel(checkUnusedReplaces),
}

// checkUnusedReplaces reports once per channel the replaces between two skipped entries that OLM v0 never follows. Entries
// without another upgrade are left to graph/stuck, those below a replaced and skipped one to graph/replaces-and-skips.
func checkUnusedReplaces(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	if !edges.IsValid(g) {
		return
	}
	told := map[int]bool{}
	if p.Runs("graph/replaces-and-skips", c.Name.Value) {
		told = belowReplacedAndSkipped(g)
	}
	var dead []graph.Edge
	for _, e := range g.UnusedReplaces() {
		_, moves := g.Next(e.From)
		if moves && !told[e.To] && g.Skipped(g.Name(e.To)) && g.Skipped(g.Name(e.From)) {
			dead = append(dead, e)
		}
	}
	if len(dead) == 0 {
		return
	}
	first := dead[0]
	f := edges.AtEntry(g, first.To)
	f.Cause = []string{f.Channel}
	f.Pos = words.FirstKnown(first.Where.Pos, f.Pos)
	f.Message = fmt.Sprintf("OLM v0 never upgrades %q to %q, which replaces it, since both are skipped",
		g.Name(first.From), g.Name(first.To))
	if more := len(dead) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (%d more in channel %q)", more, c.Name.Value)
		for _, e := range dead {
			f.Details = append(f.Details, lint.Related{Pos: e.Where.Pos, Message: fmt.Sprintf("%q replaces %q", g.Name(e.To), g.Name(e.From))})
		}
	}
	f.Fix = fixUnlessGenerated(p, fmt.Sprintf("the replaces of %q has no effect; remove it if it has no purpose", g.Name(first.To)))
	p.Report(f)
}
