package diagram

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/wording"
)

// edges returns the edges to draw, at most one between two entries. rows are those of all entries, the newest version last.
func (s *upgradeBuilder) edges(rows []graph.EntryRow) []*Edge {
	drawn, upgraded := map[[2]int]*Edge{}, map[int]bool{}
	draw := func(e graph.Edge, kind EdgeKind) {
		at := [2]int{e.From, e.To}
		if old, met := drawn[at]; met && old.Kind <= kind && kind != blockedUpgrade || e.From == e.To || !s.shown[e.From] || !s.shown[e.To] {
			return
		}
		drawn[at] = &Edge{From: s.id(e.From), To: s.id(e.To), Kind: kind, Marks: s.direction(e) | markIf(kind == replaces && upgraded[e.From], overtaken, 0), Facts: []string{s.fact(e, kind)}}
		for _, r := range s.Failing[[2]string{s.Name(e.From), s.Name(e.To)}] {
			if kind.isAutomatic() {
				drawn[at].Marks |= fails
				drawn[at].Facts[0] += "; fails: " + r.String()
			}
		}
	}
	ignored := s.ignoredEdges()
	for i := range rows {
		if next, _, _ := s.next(&rows[i]); next.To >= 0 {
			draw(next, nextReplaces+EdgeKind(next.Kind))
			upgraded[next.From] = true
		}
	}
	for _, i := range s.Entries() {
		for _, e := range s.declaredEdges(i) {
			switch {
			case ignored[[2]int{e.From, e.To}]:
				draw(e, edgeKindIgnored)
			case e.Kind == graph.Replaces || s.Mode != Auto:
				draw(e, replaces+EdgeKind(e.Kind))
			}
		}
	}
	for _, c := range s.blocked {
		draw(c.Edge, blockedUpgrade)
	}
	return s.sortEdges(drawn, rows)
}

// declaredEdges returns the edges out of an entry that the mode draws.
func (s *upgradeBuilder) declaredEdges(i int) []graph.Edge {
	if s.Mode == All {
		return s.SuccessorsV1(i)
	}
	return s.Graph.Edges(i)
}

// ignoredEdges returns the replaces edges that OLM v0 ignores because one end is skipped.
func (s *upgradeBuilder) ignoredEdges() map[[2]int]bool {
	ignored := map[[2]int]bool{}
	if s.OLM == graph.V0 {
		for _, e := range s.UnusedReplaces() {
			ignored[[2]int{e.From, e.To}] = true
		}
	}
	return ignored
}

// findBlocked finds the blocked edges out of stuck entries, to be drawn. Auto draws one for each entry, the replaces if there is one.
func (s *upgradeBuilder) findBlocked() {
	if s.OLM != graph.V0 {
		return
	}
	for _, stuck := range s.Graph.Stuck() {
		cuts := stuck.Blocked
		if s.Mode == Auto && len(cuts) > 1 {
			at := max(0, slices.IndexFunc(cuts, func(c graph.BlockedEdge) bool { return c.Edge.Kind == graph.Replaces }))
			cuts = cuts[at : at+1]
		}
		s.blocked = append(s.blocked, cuts...)
	}
	s.blockedFrom, s.blockedTo = map[int]bool{}, map[int]graph.BlockedEdge{}
	for _, c := range slices.Backward(s.blocked) {
		s.blockedFrom[c.Edge.From], s.blockedTo[c.Edge.To] = true, c
	}
}

// cause says why a stuck entry is stuck, if no edge does, and why an entry is never offered that blocks others and is not stuck itself.
func (s *upgradeBuilder) cause(n *Node, entry int) {
	into, blocks := s.blockedTo[entry]
	switch {
	case n.Marks&markStuck != 0:
		if !s.blockedFrom[entry] {
			n.Lines = append(n.Lines, "nothing upgrades it")
		}
	case !blocks:
	default:
		n.Marks |= blocking
		n.Lines = append(n.Lines, s.WhyNeverOffered(into.SkippedBy, func(name string) string { return wording.Version(s.packageGraph, name) }))
	}
}

// direction returns the mark of a downgrade.
func (s *upgradeBuilder) direction(e graph.Edge) Mark {
	if v, w := s.Version(e.From), s.Version(e.To); v != nil && w != nil && w.LT(*v) {
		return downgrade
	}
	return 0
}

// fact explains an edge for its tooltip.
func (s *upgradeBuilder) fact(e graph.Edge, kind EdgeKind) string {
	said := s.Name(e.To) + " " + wording.Edge(e, s.Name(e.From)) + " (" + s.position(e.Where.Pos) + ")"
	switch {
	case kind.isAutomatic():
		said += "; OLM follows it automatically"
	case kind == edgeKindIgnored:
		said += "; OLM v0 ignores it"
	case kind == blockedUpgrade:
		said += "; blocked, because the target is never offered"
	}
	return said
}

// sortEdges returns the edges by target, then by source, the newest versions first, which is the order in which Graphviz stacks
// them.
func (s *upgradeBuilder) sortEdges(drawn map[[2]int]*Edge, rows []graph.EntryRow) []*Edge {
	place := make([]int, len(s.Channel.Entries))
	for i := range rows {
		place[rows[i].Entry] = -i
	}
	keys := make([][2]int, 0, len(drawn))
	for key := range drawn {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(place[a[1]], place[b[1]]), cmp.Compare(place[a[0]], place[b[0]]))
	})
	arrows := make([]*Edge, len(keys))
	for i, key := range keys {
		arrows[i] = drawn[key]
	}
	return arrows
}
