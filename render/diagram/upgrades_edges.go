package diagram

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/wording"
)

// edges returns the edges to draw, at most one between two entries. rows are those of all entries, the newest version last.
func (b *upgradeBuilder) edges(rows []graph.EntryRow) []*Edge {
	drawn, upgraded := map[[2]int]*Edge{}, map[int]bool{}
	draw := func(e graph.Edge, kind EdgeKind) {
		at := [2]int{e.From, e.To}
		if old, met := drawn[at]; met && old.Kind <= kind && kind != kindBlocked || e.From == e.To || !b.shown[e.From] || !b.shown[e.To] {
			return
		}
		drawn[at] = &Edge{From: b.id(e.From), To: b.id(e.To), Kind: kind, Marks: b.downgradeMark(e) | markIf(kind == kindReplaces && upgraded[e.From], markOvertaken, 0), Tooltip: []string{b.edgeTooltip(e, kind)}}
		for _, r := range b.Failing[[2]string{b.Name(e.From), b.Name(e.To)}] {
			if kind.isAutomatic() {
				drawn[at].Marks |= markFails
				drawn[at].Tooltip[0] += "; fails: " + r.String()
			}
		}
	}
	ignored := b.ignoredEdges()
	for i := range rows {
		if next, _, _ := b.automaticUpgrade(&rows[i]); next.To >= 0 {
			draw(next, kindNextReplaces+EdgeKind(next.Kind))
			upgraded[next.From] = true
		}
	}
	for _, i := range b.Entries() {
		for _, e := range b.declaredEdges(i) {
			switch {
			case ignored[[2]int{e.From, e.To}]:
				draw(e, kindIgnored)
			case e.Kind == graph.Replaces || b.Mode != Auto:
				draw(e, kindReplaces+EdgeKind(e.Kind))
			}
		}
	}
	for _, edge := range b.blocked {
		draw(edge.Edge, kindBlocked)
	}
	return b.sortEdges(drawn, rows)
}

// declaredEdges returns the edges out of an entry that the mode draws.
func (b *upgradeBuilder) declaredEdges(i int) []graph.Edge {
	if b.Mode == All {
		return b.SuccessorsV1(i)
	}
	return b.Graph.Edges(i)
}

// ignoredEdges returns the replaces edges that OLM v0 ignores because one end is skipped.
func (b *upgradeBuilder) ignoredEdges() map[[2]int]bool {
	ignored := map[[2]int]bool{}
	if b.OLM == graph.V0 {
		for _, e := range b.UnusedReplaces() {
			ignored[[2]int{e.From, e.To}] = true
		}
	}
	return ignored
}

// findBlocked finds the blocked edges out of stuck entries, to be drawn. Auto draws one for each entry, the replaces if there is one.
func (b *upgradeBuilder) findBlocked() {
	if b.OLM != graph.V0 {
		return
	}
	for _, stuck := range b.Graph.Stuck() {
		blocked := stuck.Blocked
		if b.Mode == Auto && len(blocked) > 1 {
			at := max(0, slices.IndexFunc(blocked, func(b graph.BlockedEdge) bool { return b.Edge.Kind == graph.Replaces }))
			blocked = blocked[at : at+1]
		}
		b.blocked = append(b.blocked, blocked...)
	}
	b.blockedFrom, b.blockedTo = map[int]bool{}, map[int]graph.BlockedEdge{}
	for _, edge := range slices.Backward(b.blocked) {
		b.blockedFrom[edge.Edge.From], b.blockedTo[edge.Edge.To] = true, edge
	}
}

// noteCause says why a stuck entry is stuck, if no edge does, and why an entry is never offered that blocks others and is not stuck itself.
func (b *upgradeBuilder) noteCause(n *Node, entry int) {
	into, blocks := b.blockedTo[entry]
	switch {
	case n.Marks&markStuck != 0:
		if !b.blockedFrom[entry] {
			n.Lines = append(n.Lines, "nothing upgrades it")
		}
	case blocks:
		n.Marks |= markBlocking
		n.Lines = append(n.Lines, b.WhyNeverOffered(into.SkippedBy, func(name string) string { return wording.Version(b.packageGraph, name) }))
	}
}

// downgradeMark returns the mark of a downgrade.
func (b *upgradeBuilder) downgradeMark(e graph.Edge) Mark {
	if v, w := b.Version(e.From), b.Version(e.To); v != nil && w != nil && w.LT(*v) {
		return markDowngrade
	}
	return 0
}

// edgeTooltip explains an edge for its tooltip.
func (b *upgradeBuilder) edgeTooltip(e graph.Edge, kind EdgeKind) string {
	line := b.Name(e.To) + " " + wording.Edge(e, b.Name(e.From)) + " (" + b.position(e.Where.Pos) + ")"
	switch {
	case kind.isAutomatic():
		line += "; OLM follows it automatically"
	case kind == kindIgnored:
		line += "; OLM v0 ignores it"
	case kind == kindBlocked:
		line += "; blocked, because the target is never offered"
	}
	return line
}

// sortEdges returns the edges by target, then by source, the newest versions first, which is the order in which Graphviz stacks
// them.
func (b *upgradeBuilder) sortEdges(drawn map[[2]int]*Edge, rows []graph.EntryRow) []*Edge {
	place := make([]int, len(b.Channel.Entries))
	for i := range rows {
		place[rows[i].Entry] = -i
	}
	keys := make([][2]int, 0, len(drawn))
	for key := range drawn {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y [2]int) int {
		return cmp.Or(cmp.Compare(place[x[1]], place[y[1]]), cmp.Compare(place[x[0]], place[y[0]]))
	})
	arrows := make([]*Edge, len(keys))
	for i, key := range keys {
		arrows[i] = drawn[key]
	}
	return arrows
}
