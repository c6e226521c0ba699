package graph

import (
	"slices"

	"github.com/blang/semver/v4"
)

// Next returns the edge along which OLM v0 upgrades an installed entry, dependencies left out; false if there is none. It leads
// to the first entry of the order that replaces it, skips it, or has its version in the skipRange (OLM: resolver
// getSubscriptionVariables). If that is the installed entry itself, because its skipRange covers its own version, there is none.
func (g *Graph) Next(from int) (Edge, bool) { return g.automaticV0().edge(from) }

func (g *Graph) automaticV0() *automaticEdges {
	return g.v0.value(func() *automaticEdges { return g.automaticFrom(g) })
}

// automaticFrom returns the upgrades in this channel from the entries of another one, under OLM v0. From of the edges is in that
// channel.
func (g *Graph) automaticFrom(from *Graph) *automaticEdges {
	c := newAutomaticEdges(len(from.Channel.Entries))
	assignment := g.newEdgeAssignment(from.versionIndex(), len(c.next))
	order, _ := g.Order()
	for _, to := range order {
		assignment.assign(to, func(e Edge) bool {
			if from.Name(e.From) != g.Name(to) {
				c.next[e.From] = e
			}
			return true
		})
	}
	return c
}

// NextOfInstalled is Next for something installed that may not be in the channel. Version may be empty. From of the edge is the
// entry of that name, or -1.
func (g *Graph) NextOfInstalled(name, version string) (Edge, bool) {
	order, _ := g.Order()
	for e := range g.edgesFromInstalled(order, name, ParseVersion(version)) {
		return e, e.From != e.To
	}
	return noEdge, false
}

// NextOfAllInstalled is NextOfInstalled for many that are not in the channel, at once; To is -1 where there is no upgrade.
func (g *Graph) NextOfAllInstalled(all []InstalledBundle) []Edge {
	c, names, versions := newAutomaticEdges(len(all)), map[string]int{}, make([]*semver.Version, len(all))
	for i, in := range all {
		names[in.Name] = i
		versions[i] = ParseVersion(in.Version)
	}
	assignment := g.newEdgeAssignment(newVersionIndex(names, versions), len(all))
	order, _ := g.Order()
	for _, to := range order {
		assignment.assign(to, func(e Edge) bool {
			c.next[e.From] = Edge{From: -1, To: to, Kind: e.Kind, Where: e.Where}
			return true
		})
	}
	return c.next
}

// StuckAfterSwitch returns the entries of g that cannot be upgraded once the subscription is switched to channel to: under OLM v0 they have
// no upgrade there, and are not the head there. In file order; empty if to has no order.
func (g *Graph) StuckAfterSwitch(to *Graph) []int {
	order, err := to.Order()
	if err != nil {
		return nil
	}
	there, head := to.automaticFrom(g), to.Name(order[0])
	return slices.DeleteFunc(slices.Clone(g.members), func(i int) bool {
		_, kept := there.edge(i)
		return kept || g.Name(i) == head
	})
}

// UnusedReplaces returns the replaces edges from or to skipped entries that OLM v0 never follows, by From and To, in file order.
// Empty if the channel has no order.
func (g *Graph) UnusedReplaces() []Edge {
	if _, err := g.Order(); err != nil {
		return nil
	}
	var dead []Edge
	for _, i := range g.members {
		next, _ := g.Next(i)
		for _, e := range g.Edges(i) {
			skips := g.Skipped(g.Name(e.From)) || g.Skipped(g.Name(e.To))
			if e.Kind == Replaces && skips && (next.To != e.To || next.Kind != Replaces) {
				dead = append(dead, e)
			}
		}
	}
	return dead
}
