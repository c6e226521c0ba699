package graph

import (
	"iter"
	"slices"
)

// Upgrade is an edge that OLM may take. V0 is set if OLM v0 upgrades along it, V1 if OLM v1 does automatically or a user can
// request its target: see Next and SuccessorsV1.
type Upgrade struct {
	Edge
	V0, V1 bool
}

// Upgrades yields every upgrade that some user of the channel may make, by target, in file order. With skipRanges there can be
// as many as pairs of entries.
func (g *Graph) Upgrades() iter.Seq[Upgrade] {
	return func(yield func(Upgrade) bool) {
		met := make([]int, len(g.Channel.Entries)) // by entry: the last target, plus one, to which it has an edge
		assignment := g.newEdgeAssignment(g.coverage().versionIndex, len(met))
		for _, to := range g.members {
			var into []Edge
			assignment.offerEdges(to, func(e Edge) bool {
				if e.From != to && met[e.From] != to+1 {
					met[e.From] = to + 1
					into = append(into, e)
				}
				return false
			})
			slices.SortFunc(into, func(a, b Edge) int { return a.From - b.From })
			for _, e := range into {
				if u := g.upgrade(e); (u.V0 || u.V1) && !yield(u) {
					return
				}
			}
		}
	}
}

func (g *Graph) upgrade(e Edge) Upgrade {
	next, _ := g.Next(e.From)
	_, from := g.extension().entryBundle(g, e.From)
	_, to := g.extension().entryBundle(g, e.To)
	return Upgrade{Edge: e, V0: next.To == e.To && next.To >= 0, V1: from && to}
}

// maxReduced is the number of upgrades of a channel above which only automatic ones are compared, and maxReducedEntries that of entries.
// Real channels have hundreds.
const maxReduced, maxReducedEntries = 1 << 18, 1 << 12

// DirectUpgrades returns the upgrades without transitive edges: what was compared along them need not be compared between their ends
// again. All upgrades of OLM v0 are among them; of OLM v1 those that cannot be made in two upgrades instead. In a channel of
// more than maxReduced upgrades or maxReducedEntries entries it returns automatic ones only.
func (g *Graph) DirectUpgrades() []Upgrade {
	if len(g.members) > maxReducedEntries {
		return slices.Collect(g.automatic())
	}
	var all []Upgrade
	for u := range g.Upgrades() {
		if len(all) == maxReduced {
			return slices.Collect(g.automatic())
		}
		all = append(all, u)
	}
	b := newIntermediates(g, all)
	return slices.DeleteFunc(all, func(u Upgrade) bool { return !u.V0 && b.hasBetween(u.From, u.To) })
}

func (g *Graph) automatic() iter.Seq[Upgrade] {
	return func(yield func(Upgrade) bool) {
		for _, i := range g.members {
			v0, ok := g.Next(i)
			v1, ok1 := g.NextV1(i)
			if ok && !yield(Upgrade{Edge: v0, V0: true, V1: ok1 && v1.To == v0.To}) {
				return
			}
			if ok1 && (!ok || v1.To != v0.To) && !yield(Upgrade{Edge: v1, V1: true}) {
				return
			}
		}
	}
}

// intermediates finds the entries between the ends of an upgrade: those with a version between theirs to which the first is upgraded,
// and which are upgraded to the last. The order of versions keeps the edges of a loop from making each other transitive.
type intermediates struct {
	rank             []int // of each entry, by version
	targets, sources [][]uint64
}

func newIntermediates(g *Graph, all []Upgrade) *intermediates {
	n := len(g.Channel.Entries)
	b := &intermediates{rank: make([]int, n), targets: make([][]uint64, n), sources: make([][]uint64, n)}
	sorted := g.ByVersion()
	for at, i := range sorted {
		b.rank[i] = len(sorted) - 1 - at
	}
	set := func(sets [][]uint64, i, place int) {
		if sets[i] == nil {
			sets[i] = make([]uint64, n/64+1)
		}
		sets[i][place/64] |= 1 << (place % 64)
	}
	for _, u := range all {
		set(b.targets, u.From, b.rank[u.To])
		set(b.sources, u.To, b.rank[u.From])
	}
	return b
}

// hasBetween reports whether there is one.
func (b *intermediates) hasBetween(from, to int) bool {
	ahead, into := b.targets[from], b.sources[to]
	for place := b.rank[from] + 1; place < b.rank[to]; place++ {
		if word := ahead[place/64] & into[place/64]; word == 0 {
			place |= 63 // on to the next word
		} else if word&(1<<(place%64)) != 0 {
			return true
		}
	}
	return false
}
