package graph

import (
	"slices"

	"github.com/blang/semver/v4"
)

// Next returns the edge that OLM v0 follows from an installed entry, dependencies left out; false if there is none. It
// leads to the first entry of the order that replaces it, skips it, or has its version in the skipRange (OLM: resolver
// getSubscriptionVariables). Where that is the installed entry itself, because its skipRange covers its own version,
// nothing is next.
func (g *Graph) Next(from int) (Edge, bool) { return g.courseV0().from(from) }

func (g *Graph) courseV0() *course {
	return g.v0.get(func() *course { return g.takes(g) })
}

// takes returns where OLM v0 takes here whoever has an entry of a channel installed. From of the edges is in that channel.
func (g *Graph) takes(from *Graph) *course {
	c := newCourse(len(from.Channel.Entries))
	claims := g.newClaims(from.own(), len(c.next))
	order, _ := g.Order()
	for _, to := range order {
		claims.claim(to, func(e Edge) bool {
			if from.Name(e.From) != g.Name(to) {
				c.next[e.From] = e
			}
			return true
		})
	}
	return c
}

// NextOf is Next for something installed that may not be in the channel. Version may be empty. From of the edge is the
// entry of that name, or -1.
func (g *Graph) NextOf(name, version string) (Edge, bool) {
	var v *semver.Version
	if parsed, err := semver.ParseTolerant(version); err == nil {
		v = &parsed
	}
	order, _ := g.Order()
	for e := range g.into(order, name, v) {
		if e.From == e.To {
			break
		}
		return e, true
	}
	return none, false
}

// nextOfAll is NextOf for many that are not in the channel, in one go.
func (g *Graph) nextOfAll(all []Installed) []Edge {
	c, names, versions := newCourse(len(all)), map[string]int{}, make([]*semver.Version, len(all))
	for i, in := range all {
		names[in.Name] = i
		if v, err := semver.ParseTolerant(in.Version); err == nil {
			versions[i] = &v
		}
	}
	claims := g.newClaims(newInstalled(names, versions), len(all))
	order, _ := g.Order()
	for _, to := range order {
		claims.claim(to, func(e Edge) bool {
			c.next[e.From] = Edge{From: -1, To: to, Kind: e.Kind, Where: e.Where}
			return true
		})
	}
	return c.next
}

// Lost returns the entries of g that have nowhere to go once they are installed and the subscription is moved to channel
// to: no next under OLM v0 there, and not the head there. They are in the order of the text. Empty where to has no order.
func (g *Graph) Lost(to *Graph) []int {
	order, err := to.Order()
	if err != nil {
		return nil
	}
	there, head := to.takes(g), to.Name(order[0])
	return slices.DeleteFunc(slices.Clone(g.members), func(i int) bool {
		_, kept := there.from(i)
		return kept || g.Name(i) == head
	})
}

// DeadEdges returns the replaces edges out of skipped entries, or into them, that OLM v0 never follows, by From and To, in the order of the text.
// Empty where the channel has no order.
func (g *Graph) DeadEdges() []Edge {
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
