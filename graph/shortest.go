package graph

import "slices"

// ShortestPath returns a path of fewest edges from one entry to another over replaces, skips and skipRange, whether OLM follows them
// or not; nil if there is none, or from is to. Of several equally short ones it is always the same.
func (g *Graph) ShortestPath(from, to int) []Edge {
	step := g.searchBackwards([]int{to}, allEdges()).towards
	var path []Edge
	for i := from; i != to; i = step[i].To {
		if step[i].To < 0 {
			return nil
		}
		path = append(path, step[i])
	}
	return path
}

// WithoutPathToHead returns the entries from which no edges of any kind lead to a head, in file order. Empty if there is no head.
func (g *Graph) WithoutPathToHead() []int {
	heads := g.Heads()
	if len(heads) == 0 {
		return nil
	}
	reaches := g.searchBackwards(heads, allEdges()).assigned
	return slices.DeleteFunc(slices.Clone(g.members), func(i int) bool { return reaches[i] })
}
