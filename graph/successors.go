package graph

import (
	"slices"

	"gonum.org/v1/gonum/graph/topo"
)

// course is the automatic upgrade of each entry: at most one edge from each.
type course struct {
	next  []Edge // To is -1 where there is none
	whole fact[trails]
}

// trails are where the automatic upgrades of all entries end.
type trails struct {
	of    []trail // from each entry
	loops [][]int // sorted
}

// trail is where the automatic upgrades of an entry end.
type trail struct {
	hops, end int
	loop      bool
}

func newCourse(entries int) *course {
	c := &course{next: make([]Edge, entries)}
	for i := range c.next {
		c.next[i] = none
	}
	return c
}

func (c *course) from(i int) (Edge, bool) { return c.next[i], c.next[i].To >= 0 }

// trail returns after how many upgrades the automatic upgrades of an entry end and where; in a loop, at the first entry that
// repeats.
func (c *course) trail(i int) trail { return c.trails().of[i] }

func (c *course) trails() trails { return c.whole.get(c.follow) }

func (c *course) follow() trails {
	t := trails{of: make([]trail, len(c.next))}
	// Components come in reverse topological order: what an entry leads to comes before it.
	for _, component := range topo.TarjanSCC(c.directed()) {
		i := int(component[0].ID())
		next := c.next[i].To
		switch {
		case len(component) > 1:
			t.loops = append(t.loops, c.round(i))
			for _, node := range component {
				t.of[node.ID()] = trail{hops: len(component), end: int(node.ID()), loop: true}
			}
		case next >= 0:
			t.of[i] = t.of[next]
			t.of[i].hops++
		default:
			t.of[i] = trail{end: i}
		}
	}
	slices.SortFunc(t.loops, slices.Compare)
	return t
}

// round returns the loop that an entry is in, its smallest index first.
func (c *course) round(i int) []int {
	loop := []int{i}
	for next := c.next[i].To; next != i; next = c.next[next].To {
		loop = append(loop, next)
	}
	first := slices.Index(loop, slices.Min(loop))
	return slices.Concat(loop[first:], loop[:first])
}

func (c *course) directed() *directed {
	d := newDirected(len(c.next))
	for i, e := range c.next {
		if e.To >= 0 {
			d.add(i, e.To)
		}
	}
	return d
}

// reach returns the entries that automatic upgrades pass from an entry, nearest first, without the entry itself.
func (c *course) reach(from int) []int {
	var passed []int
	seen := map[int]bool{from: true}
	for i := c.next[from].To; i >= 0 && !seen[i]; i = c.next[i].To {
		seen[i] = true
		passed = append(passed, i)
	}
	return passed
}

// Hops returns how many automatic upgrades OLM v0 makes from an entry, and where they end. In a loop ok is false, end is the
// first entry that repeats, and hops the upgrades until then.
func (g *Graph) Hops(from int) (hops, end int, ok bool) {
	t := g.courseV0().trail(from)
	return t.hops, t.end, !t.loop
}

// Reachable returns the entries that automatic upgrades of OLM v0 pass from an entry, nearest first, without the entry
// itself.
func (g *Graph) Reachable(from int) []int { return g.courseV0().reach(from) }

// End is an entry at which automatic upgrades end.
type End struct {
	Entry int
	From  []int // the entries from which they end there, without Entry itself, in the order of the text
}

// Ends returns the entries that OLM v0 does not upgrade, in file order.
func (g *Graph) Ends() []End {
	ending := g.endingAt()
	var ends []End
	for _, i := range g.members {
		if _, ok := g.Next(i); !ok {
			ends = append(ends, End{Entry: i, From: ending[i]})
		}
	}
	return ends
}

// endingAt returns, by the entry at which automatic upgrades end, the entries from which they end there.
func (g *Graph) endingAt() map[int][]int {
	from := map[int][]int{}
	for _, i := range g.members {
		if hops, end, ok := g.Hops(i); ok && hops > 0 {
			from[end] = append(from[end], i)
		}
	}
	return from
}

// Loops returns the endless loops of automatic upgrades under OLM v0, each from its first entry in file order, sorted by that.
func (g *Graph) Loops() [][]Edge {
	c := g.courseV0()
	var loops [][]Edge
	for _, loop := range c.trails().loops {
		edges := make([]Edge, len(loop))
		for at, i := range loop {
			edges[at] = c.next[i]
		}
		loops = append(loops, edges)
	}
	return loops
}
