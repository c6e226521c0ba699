package upgrades

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

var noHead = lint.Rule{
	ID: "graph/no-head", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0,
	Doc: `a channel has no head
The head of a channel is the entry that no other entry replaces or skips: new users get it. If another entry names every entry,
opm rejects the catalog, and OLM v0 resolves nothing in a namespace subscribed to the channel.
Remove the newest entry from the replaces and skips that name it.`,
	Reference: "operator-registry alpha/model Channel.Head; OLM resolver sortChannel",
	HasEdits:  true,
	Check:     lint.EachChannel(checkNoHead),
}

func checkNoHead(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	if len(g.Entries()) == 0 || len(g.Heads()) > 0 {
		return
	}
	top := edges.Newest(g, g.Entries())
	name := g.Name(top)
	f := edges.AtEntry(g, top)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("channel %q has no head: every entry is replaced or skipped by another, so it has nothing to install",
		c.Name.Value)
	var where []string
	for n, e := range g.Edges(top) {
		where = append(where, fmt.Sprintf("the %s of %q", e.Kind, g.Name(e.To)))
		if n == 0 && e.Where.Pos.Known() {
			f.Pos = e.Where.Pos
			continue
		}
		f.Related = append(f.Related, lint.Related{Pos: e.Where.Pos, Message: fmt.Sprintf("%q also names %q",
			g.Name(e.To), name)})
	}
	if len(g.Entries()) == 1 {
		f.Message = fmt.Sprintf("channel %q has no head: its only entry %q replaces or skips itself", c.Name.Value, name)
	}
	f.Fix = fmt.Sprintf("remove %q, the newest, from %s", name, strings.Join(where, " and of "))
	if hasOnlySelfEdges(g, top) {
		for _, own := range g.Edges(top) {
			f.Edits = append(f.Edits, edges.RemoveSelfReference(g, top, own)...)
		}
	}
	p.Report(f)
}
