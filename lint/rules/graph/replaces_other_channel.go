package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var replacesOtherChannel = lint.Rule{
	ID: "graph/replaces-other-channel", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `an entry replaces one that is in other channels only
The replaced entry is not in this channel, so the edge applies only to users who switch channels. This is correct if the channel
continues another one.
If it is not intended, add the replaced entry to the channel.`,
	Reference: "operator-registry alpha/model validateReplacesChain",
	Check:     checkReplacesOtherChannel,
}

func checkReplacesOtherChannel(p *lint.Pass) {
	in := edges.NamesIn(p.Package)
	var all []lint.Finding
	edges.EachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		where := in[m.Where.Value]
		if m.Kind != graph.Replaces || len(where) == 0 {
			return
		}
		f := edges.AtEntry(g, m.Entry)
		f.Pos = words.FirstKnown(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q replaces %q, which is not in channel %q but in %s",
			g.Name(m.Entry), m.Where.Value, f.Channel, words.AllOf(where))
		all = append(all, f)
	})(p)
	reportFirst(p, all, fixUnlessGenerated(p, "correct if users should switch channels there; otherwise add the replaced entry to this channel"))
}
