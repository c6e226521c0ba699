package graph

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph/topo"

	"github.com/olmgraph/olmgraph/catalogs/find"
)

// Cycles returns every strongly connected component of replaces and skips edges as one shortest loop through its first
// entry by name, sorted by that name. A loop is the list of edges, each one's To the next one's From.
func (g *Graph) Cycles() [][]Edge { return g.cycles.value(g.findCycles) }

func (g *Graph) findCycles() [][]Edge {
	d := newDirected(len(g.Channel.Entries))
	for i := range g.Channel.Entries {
		for _, e := range g.Edges(i) {
			d.add(i, e.To)
		}
	}
	components := topo.TarjanSCC(d)
	member := make([]int, len(g.Channel.Entries))
	var loops [][]Edge
	for at, component := range components {
		entries := make([]int, len(component))
		for i, node := range component {
			entries[i] = int(node.ID())
			member[node.ID()] = at
		}
		first := g.byName(entries)[0]
		loop := d.loop(first, func(id int64) bool { return member[id] == at })
		var edges []Edge
		for i, from := range loop {
			to := loop[(i+1)%len(loop)]
			edges = append(edges, find.Value(g.Edges(from), func(e Edge) bool { return e.To == to }))
		}
		if edges != nil {
			loops = append(loops, edges)
		}
	}
	slices.SortFunc(loops, func(a, b []Edge) int { return strings.Compare(g.Name(a[0].From), g.Name(b[0].From)) })
	return loops
}
