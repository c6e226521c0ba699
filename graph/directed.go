package graph

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/traverse"
)

// directed is a graph.Directed over sorted slices: unlike gonum's own graphs, which are maps, it iterates in the same order each
// time.
type directed struct {
	nodes    []graph.Node
	from, to [][]graph.Node
}

var _ graph.Directed = (*directed)(nil)

func newDirected(nodes int) *directed {
	d := &directed{
		nodes: make([]graph.Node, nodes),
		from:  make([][]graph.Node, nodes),
		to:    make([][]graph.Node, nodes),
	}
	for i := range d.nodes {
		d.nodes[i] = simple.Node(i)
	}
	return d
}

// add adds an edge. It must be called in ascending order of u, and of v for the same u; the same edge again is dropped.
func (d *directed) add(u, v int) {
	if n := len(d.from[u]); n > 0 && d.from[u][n-1] == d.nodes[v] {
		return
	}
	d.from[u] = append(d.from[u], d.nodes[v])
	d.to[v] = append(d.to[v], d.nodes[u])
}

func (d *directed) Node(id int64) graph.Node {
	if id < 0 || id >= int64(len(d.nodes)) {
		return nil
	}
	return d.nodes[id]
}

func (d *directed) Nodes() graph.Nodes        { return iterator.NewOrderedNodes(d.nodes) }
func (d *directed) From(id int64) graph.Nodes { return iterator.NewOrderedNodes(d.from[id]) }
func (d *directed) To(id int64) graph.Nodes   { return iterator.NewOrderedNodes(d.to[id]) }
func (d *directed) HasEdgeBetween(u, v int64) bool {
	return d.HasEdgeFromTo(u, v) || d.HasEdgeFromTo(v, u)
}

func (d *directed) HasEdgeFromTo(u, v int64) bool {
	_, ok := slices.BinarySearchFunc(d.from[u], v, func(n graph.Node, id int64) int { return int(n.ID() - id) })
	return ok
}

func (d *directed) Edge(u, v int64) graph.Edge {
	if !d.HasEdgeFromTo(u, v) {
		return nil
	}
	return simple.Edge{F: d.nodes[u], T: d.nodes[v]}
}

// reversed is a graph with its edges reversed, for searches.
type reversed struct{ *directed }

func (r reversed) From(id int64) graph.Nodes { return r.To(id) }

// loop returns a shortest path from a node back to itself along nodes for which within is true; nil if there is none.
func (d *directed) loop(start int, within func(id int64) bool) []int {
	first := int64(start)
	before := map[int64]int64{}
	walk := traverse.BreadthFirst{Traverse: func(e graph.Edge) bool {
		u, v := e.From().ID(), e.To().ID()
		if _, met := before[v]; !met && within(v) {
			before[v] = u
		}
		return within(v)
	}}
	walk.Walk(d, d.nodes[start], func(graph.Node, int) bool {
		_, back := before[first]
		return back
	})
	if _, back := before[first]; !back {
		return nil
	}
	var loop []int
	for id := before[first]; id != first; id = before[id] {
		loop = append(loop, int(id))
	}
	loop = append(loop, start)
	slices.Reverse(loop)
	return loop
}
