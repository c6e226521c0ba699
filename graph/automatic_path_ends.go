package graph

import (
	"slices"

	"gonum.org/v1/gonum/graph/topo"
)

// automaticEdges has the automatic upgrade of each entry: at most one edge from each.
type automaticEdges struct {
	next         []Edge // To is -1 where there is none
	allEndpoints lazy[endpoints]
}

// endpoints are where the automatic upgrades of all entries end.
type endpoints struct {
	byEntry []endpoint // from each entry
	loops   [][]int    // sorted
}

// endpoint is where the automatic upgrades of an entry end.
type endpoint struct {
	hops, end int
	loop      bool
}

func newAutomaticEdges(entries int) *automaticEdges {
	a := &automaticEdges{next: make([]Edge, entries)}
	for i := range a.next {
		a.next[i] = noEdge
	}
	return a
}

func (a *automaticEdges) edge(i int) (Edge, bool) { return a.next[i], a.next[i].To >= 0 }

// endpoint returns after how many upgrades the automatic upgrades of an entry end and where; in a loop, at the first entry that
// repeats.
func (a *automaticEdges) endpoint(i int) endpoint { return a.endpoints().byEntry[i] }

func (a *automaticEdges) endpoints() endpoints { return a.allEndpoints.value(a.computeEndpoints) }

func (a *automaticEdges) computeEndpoints() endpoints {
	t := endpoints{byEntry: make([]endpoint, len(a.next))}
	// Components come in reverse topological order: what an entry leads to comes before it.
	for _, component := range topo.TarjanSCC(a.toDirected()) {
		i := int(component[0].ID())
		next := a.next[i].To
		switch {
		case len(component) > 1:
			t.loops = append(t.loops, a.loopFrom(i))
			for _, node := range component {
				t.byEntry[node.ID()] = endpoint{hops: len(component), end: int(node.ID()), loop: true}
			}
		case next >= 0:
			t.byEntry[i] = t.byEntry[next]
			t.byEntry[i].hops++
		default:
			t.byEntry[i] = endpoint{end: i}
		}
	}
	slices.SortFunc(t.loops, slices.Compare)
	return t
}

// loopFrom returns the loop that an entry is in, its smallest index first.
func (a *automaticEdges) loopFrom(i int) []int {
	loop := []int{i}
	for next := a.next[i].To; next != i; next = a.next[next].To {
		loop = append(loop, next)
	}
	first := slices.Index(loop, slices.Min(loop))
	return slices.Concat(loop[first:], loop[:first])
}

func (a *automaticEdges) toDirected() *directed {
	d := newDirected(len(a.next))
	for i, e := range a.next {
		if e.To >= 0 {
			d.add(i, e.To)
		}
	}
	return d
}

// Hops returns how many automatic upgrades OLM v0 makes from an entry, and where they end. In a loop ok is false, end is the
// first entry that repeats, and hops the upgrades until then.
func (g *Graph) Hops(from int) (hops, end int, ok bool) {
	t := g.automaticV0().endpoint(from)
	return t.hops, t.end, !t.loop
}

// Reachable returns the entries that automatic upgrades of OLM v0 pass from an entry, nearest first, without the entry
// itself.
func (g *Graph) Reachable(from int) []int {
	next := g.automaticV0().next
	var passed []int
	seen := make([]bool, len(next))
	seen[from] = true
	for i := next[from].To; i >= 0 && !seen[i]; i = next[i].To {
		seen[i] = true
		passed = append(passed, i)
	}
	return passed
}

// sourcesByEnd returns, by the entry at which automatic upgrades end, the entries from which they end there.
func (a *automaticEdges) sourcesByEnd() map[int][]int {
	from := map[int][]int{}
	for i, at := range a.endpoints().byEntry {
		if !at.loop && at.hops > 0 {
			from[at.end] = append(from[at.end], i)
		}
	}
	return from
}

// Loops returns the endless loops of automatic upgrades under OLM v0, each from its first entry in file order, sorted by that.
func (g *Graph) Loops() [][]Edge {
	a := g.automaticV0()
	var loops [][]Edge
	for _, loop := range a.endpoints().loops {
		edges := make([]Edge, len(loop))
		for at, i := range loop {
			edges[at] = a.next[i]
		}
		loops = append(loops, edges)
	}
	return loops
}
