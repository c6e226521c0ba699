package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

var manyHops = lint.Rule{
	ID: "graph/many-hops", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `the head is many upgrades away
OLM v0 installs every step of the path, one after the other, and waits for each; each one can fail. Paths of more than 20 upgrades
are reported, or of more than maxHops in the configuration.
Let newer entries skip versions that need not be installed, or cover them with a skipRange.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     lint.EachChannel(checkManyHops),
}

// defaultMaxHops is the default of Config.MaxHops.
const defaultMaxHops = 20

// checkManyHops reports once per channel, at the entry with the longest upgrade path.
func checkManyHops(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	limit := p.Config.MaxHops
	if limit == 0 {
		limit = defaultMaxHops
	}
	farthest, most, count := 0, limit, 0
	for _, i := range g.Entries() {
		hops, _, ok := g.Hops(i)
		if !ok || hops <= limit {
			continue
		}
		count++
		if hops > most {
			farthest, most = i, hops
		}
	}
	if count == 0 {
		return
	}
	_, end, _ := g.Hops(farthest)
	f := edges.AtEntry(g, farthest)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("OLM v0 makes %[2]d upgrades one after the other from %[1]q to %[3]q",
		g.Name(farthest), most, g.Name(end))
	if count > 1 {
		f.Message += fmt.Sprintf("; from %d entries of channel %q more than %d", count, c.Name.Value, limit)
	}
	f.Fix = "let newer entries skip versions that need not be installed, or cover them with a skipRange"
	p.Report(f)
}
