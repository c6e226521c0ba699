package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

var channelName = lint.Rule{
	ID: "graph/channel-name", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `the head of a channel is of another version than its name says
Users subscribe to a channel like stable-1.25 to stay with 1.25, and OLM upgrades them to its head, of whatever version. The rule reports
a head of another minor version if other entries of the channel are of the named one: of channels that are named after the version of
something else, as OpenShift, it says nothing.
Move the entry to the channel of its version.`,
	Reference: "OLM documentation: channel naming recommendations",
	Check:     lint.EachChannel(checkChannelName),
}

func checkChannelName(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	head, ok := g.Head()
	if !ok || g.Version(head) == nil {
		return
	}
	if in, named := g.InNamed(*g.Version(head)); in || !named {
		return
	}
	fits := func(g *graph.Graph, entry int) bool {
		v := g.Version(entry)
		if v == nil {
			return false
		}
		in, _ := g.InNamed(*v)
		return in
	}
	if !slices.ContainsFunc(g.Entries(), func(i int) bool { return fits(g, i) }) {
		return
	}
	f := edges.AtEntry(g, head)
	f.Cause = []string{f.Channel, g.Name(head)}
	f.Message = fmt.Sprintf("channel %q ends at %s, of another version than its name says: its users are upgraded to that", c.Name.Value, g.Name(head))
	f.Fix = fmt.Sprintf("remove %q from the channel", g.Name(head))
	p.Report(f)
}
