package graph

import (
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/traverse"
)

// backwardSearch is the graph of all reversed edges, generated as a reverse breadth-first search visits it: an entry is adjacent only to
// the first entry that the search could reach it from. It can be searched once.
type backwardSearch struct {
	*edgeAssignment
	edgeFilter
	towards []Edge // from each entry that was visited, towards the start of the search
}

// edgeFilter says which edges count: those that follows accepts, into entries that offers accepts.
type edgeFilter struct {
	offers  func(to int) bool
	follows func(e Edge) bool
}

// searchBackwards searches all entries from which edges lead to some entries.
func (g *Graph) searchBackwards(ends []int, r edgeFilter) *backwardSearch {
	return searchBackwards(g.newEdgeAssignment(g.coverage().versionIndex, len(g.Channel.Entries)), ends, r)
}

func searchBackwards(a *edgeAssignment, ends []int, r edgeFilter) *backwardSearch {
	w := &backwardSearch{edgeAssignment: a, edgeFilter: r, towards: make([]Edge, len(a.assigned))}
	for i := range w.towards {
		w.towards[i] = noEdge
	}
	for _, end := range ends {
		w.assigned[end] = true
	}
	for _, end := range ends {
		var walk traverse.BreadthFirst
		walk.Walk(w, simple.Node(end), nil)
	}
	return w
}

// From implements traverse.Graph.
func (w *backwardSearch) From(id int64) graph.Nodes {
	if !w.offers(int(id)) {
		return graph.Empty
	}
	var nodes []graph.Node
	w.offerEdges(int(id), func(e Edge) bool {
		if !w.follows(e) {
			return false
		}
		w.towards[e.From] = e
		nodes = append(nodes, simple.Node(e.From))
		return true
	})
	return iterator.NewOrderedNodes(nodes)
}

// Edge implements traverse.Graph.
func (w *backwardSearch) Edge(from, to int64) graph.Edge {
	return simple.Edge{F: simple.Node(from), T: simple.Node(to)}
}
