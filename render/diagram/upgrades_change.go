package diagram

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/wording"
)

// MarkChange marks, in a diagram of Diff, the users of a channel who are stranded, with what they had, the upgrades whose loss strands them, and
// those who are still upgraded though their entry is removed: the edge to their upgrade is then not marked as removed. Nor are edges that the catalog
// still has, but OLM no longer follows.
func MarkChange(d *Diagram, c *graph.Change) {
	g := channelGroup(d, c.Now.Channel.Name.Value)
	if g == nil {
		return
	}
	nodes := map[string]*Node{}
	for _, n := range g.Nodes {
		nodes[n.Name] = n
	}
	for _, o := range c.Outcomes() {
		n := nodes[c.Base.Name(o.Entry)]
		switch {
		case n == nil:
		case o.IsStranded():
			n.strand(c, &o)
		case o.NextNow.To >= 0 && n.Marks&MarkRemoved != 0 && nodes[c.Now.Name(o.NextNow.To)] != nil:
			n.Marks |= markStillUpgraded
			g.keep(n, nodes[c.Now.Name(o.NextNow.To)], o.NextNow)
		}
	}
	g.restore(c.Now)
	stranded := map[string]bool{}
	for _, n := range g.Nodes {
		stranded[n.ID] = n.Marks&MarkStranded != 0
	}
	for _, e := range g.Edges {
		if stranded[e.From] && (e.Kind.isAutomatic() && e.Marks&MarkRemoved != 0 || e.Kind == kindBlocked) {
			e.Marks |= MarkStranded
		}
	}
}

// restore draws no removal of edges that were automatic upgrades and that the channel still has, where OLM takes a later version instead: replaces as those
// that it does not follow, others, as in each diagram, not at all.
func (g *Group) restore(now *graph.Graph) {
	names := namesIn(g)
	g.Edges = slices.DeleteFunc(g.Edges, func(e *Edge) bool {
		from, was := now.Index(names[e.From])
		to, is := now.Index(names[e.To])
		if e.Marks&MarkRemoved == 0 || !was || !is {
			return false
		}
		if _, upgraded := now.Next(from); !upgraded {
			return false
		}
		all := now.SuccessorsV1(from)
		i := slices.IndexFunc(all, func(o graph.Edge) bool { return o.To == to })
		if i >= 0 && all[i].Kind == graph.Replaces {
			e.Kind, e.Marks = kindReplaces, e.Marks&^MarkRemoved|markOvertaken
		}
		return i >= 0 && all[i].Kind != graph.Replaces
	})
}

// strand marks a stranded node, and says what its users had and where they end.
func (n *Node) strand(c *graph.Change, o *graph.Outcome) {
	n.Marks = n.Marks&^(markChanged|markStuck) | MarkStranded
	had := "was the head"
	if o.NextBefore.To >= 0 {
		had = "was upgraded to " + cmp.Or(versionIn(c.Base, o.NextBefore.To), c.Base.Name(o.NextBefore.To))
	}
	lines := []string{had}
	if o.NextNow.To >= 0 || o.End != n.Name {
		end := o.End
		if i, ok := c.Now.Index(o.End); ok {
			end = cmp.Or(versionIn(c.Now, i), o.End)
		}
		lines = append(lines, "now ends at "+end)
	}
	n.Lines, n.Tooltip = append(lines, n.Lines...), append(n.Tooltip, append([]string{"stranded"}, lines...)...)
}

// versionIn returns the version of an entry; "" if its bundle has none.
func versionIn(g *graph.Graph, entry int) string {
	if b := g.Channel.Entries[entry].Bundle; b != nil {
		return b.Version.Value
	}
	return cmp.Or(graph.ParseBundleName(g.Name(entry)).Version, g.Name(entry))
}

// keep draws the upgrade of a removed entry that there still is.
func (g *Group) keep(from, to *Node, edge graph.Edge) {
	i := slices.IndexFunc(g.Edges, func(e *Edge) bool { return e.From == from.ID && e.To == to.ID })
	if i >= 0 && g.Edges[i].Kind.isAutomatic() {
		g.Edges[i].Marks &^= MarkRemoved
		return
	}
	e := &Edge{From: from.ID, To: to.ID, Kind: kindNextReplaces + EdgeKind(edge.Kind), Marks: MarkAdded,
		Tooltip: []string{to.Name + " " + wording.Edge(edge, from.Name)}}
	if i >= 0 {
		g.Edges[i] = e
	} else {
		g.Edges = append(g.Edges, e)
	}
}
