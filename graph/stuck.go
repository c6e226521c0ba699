package graph

import (
	"fmt"
	"slices"
)

// Stuck is an entry that OLM v0 never takes any further.
type Stuck struct {
	Entry int
	// Blocked holds the replaces and skips edges out of the entry, by target. OLM v0 offers none of these.
	Blocked []BlockedEdge
	// Unskip holds the skips edges to remove, from the head down, so that OLM v0 offers an entry that replaces or skips the stuck
	// one: each comes from an entry that replaces what it skips. If there are any, FixEntry and AlsoSkip are not needed.
	Unskip []Edge
	// FixEntry is the entry that should skip the stuck one: the one that skips its upgrade if OLM v0 offers that, else the nearest
	// one above that it offers, finally the head; if these are older, the next one below that is not. The fix keeps the head and
	// the order of the channel, and opm strands no further entries. It is -1 if everything that is offered and leads to the head is
	// older than the stuck entry, as far as is known: the fix would be a downgrade, or hide a release.
	FixEntry int
	// AlsoSkip are further entries that FixEntry should skip, by index: those that only upgrade to the stuck one, which is not
	// offered any more once it is skipped. There are none unless opm rejects the channel.
	AlsoSkip []int
}

// BlockedEdge is an edge that OLM v0 never follows, and the skips edge because of which it never offers the target. SkippedBy.To is
// -1 if the target is not skipped, but the walk from the head does not reach it.
type BlockedEdge struct {
	Edge      Edge
	SkippedBy Edge
}

// Why says why OLM v0 never follows the edge: "v2, which skips it, is skipped by v3". name writes the name of an entry.
func (b *BlockedEdge) Why(g *Graph, name func(string) string) string {
	return fmt.Sprintf("%s, which %s it, is %s", name(g.Name(b.Edge.To)), b.Edge.Kind, g.WhyNeverOffered(b.SkippedBy, name))
}

// WhyNeverOffered says why OLM v0 never offers an entry, as what follows "is": skippedBy is what skips it, or To is -1.
func (g *Graph) WhyNeverOffered(skippedBy Edge, name func(string) string) string {
	if skippedBy.To < 0 {
		return "not on the path to the head"
	}
	return "skipped by " + name(g.Name(skippedBy.To))
}

// NeverUpgrades says of an entry that it is stuck, and NothingUpgrades why it is where no edge leads out of it.
const (
	NeverUpgrades   = "OLM v0 never upgrades it"
	NothingUpgrades = "no entry that it offers replaces, skips or covers it"
)

// Stuck returns the entries, the head excepted, from which OLM v0 offers no next, in the order of the text. Empty where
// the channel has no order, or the catalog does not tell its edges.
func (g *Graph) Stuck() []Stuck { return g.stuck.value(g.ordering().findStuck) }

func (o *ordering) findStuck() []Stuck {
	if o.err != nil || o.Channel.Edgeless {
		return nil
	}
	var all []Stuck
	for _, i := range o.members {
		if _, ok := o.Next(i); !ok && i != o.offered[0] {
			all = append(all, Stuck{Entry: i, Blocked: o.blockedEdges(i)})
		}
	}
	if all == nil {
		return nil
	}
	saved := o.searchBackwards(o.offered[:1], edgeFilter{offers: o.Offers, follows: o.mayFollow}).assigned
	ending := o.automaticV0().sourcesByEnd()
	for i := range all {
		s := &all[i]
		s.Unskip = o.fewestUnskips(s)
		s.FixEntry = o.fixEntry(s, saved)
		if s.FixEntry >= 0 && o.offers[s.Entry] {
			s.AlsoSkip = slices.DeleteFunc(ending[s.Entry], func(i int) bool { return saved[i] })
		}
		if slices.ContainsFunc(append([]int{s.Entry}, s.AlsoSkip...), func(i int) bool { return o.Version(i) == nil }) {
			s.FixEntry, s.AlsoSkip = -1, nil
		}
	}
	return all
}

func (o *ordering) blockedEdges(from int) []BlockedEdge {
	var blocked []BlockedEdge
	for _, e := range o.Edges(from) {
		if !o.offers[e.To] {
			by, _ := o.SkippedBy(e.To)
			blocked = append(blocked, BlockedEdge{Edge: e, SkippedBy: by})
		}
	}
	return blocked
}

// maxUnskips bounds how many skips Unskip returns.
const maxUnskips = 20

// Unskip returns the skips to take out so that OLM v0 offers a skipped entry, and opm's walk meets it, from the head down: its
// own, and those of the entries between it and the first one that is offered. All come from entries that replace what they
// skip. Nil if there is another skip as well, or if one of them would lead users down or back, or is above something newer.
func (g *Graph) Unskip(i int) []Edge { return g.unskips.value(g.ordering().findUnskips)[i] }

func (o *ordering) findUnskips() [][]Edge {
	all := make([][]Edge, len(o.Channel.Entries))
	if o.err != nil {
		return all
	}
	chain := map[int]bool{}
	for _, i := range o.Chain().Entries {
		chain[i] = true
	}
	for n, i := range o.walk {
		if o.offers[i] {
			continue
		}
		above := o.walk[n-1]
		edges := o.contradictedSkips(i)
		if all[above] == nil && !(o.offers[above] && chain[above]) || edges == nil || o.allowsDowngrade(i) {
			continue
		}
		if edges = slices.Concat(all[above], edges); len(edges) <= maxUnskips {
			all[i] = edges
		}
	}
	return all
}

// contradictedSkips returns the skips of an entry if all are of entries that replace it as well and are not older.
func (o *ordering) contradictedSkips(i int) []Edge {
	var skips []Edge
	replacing := -1
	for _, e := range o.Edges(i) { // of one target replaces comes first
		switch {
		case e.Kind == Replaces:
			replacing = e.To
		case replacing != e.To || e.To == i || o.older(e.To, i):
			return nil
		default:
			skips = append(skips, e)
		}
	}
	return skips
}

// fewestUnskips returns the fewest skips without which OLM v0 upgrades a stuck entry; nil if there are none.
func (o *ordering) fewestUnskips(s *Stuck) []Edge {
	var fewest []Edge
	for _, blocked := range s.Blocked {
		edges := o.Unskip(blocked.Edge.To)
		if edges != nil && !o.older(blocked.Edge.To, s.Entry) && (fewest == nil || len(edges) < len(fewest)) {
			fewest = edges
		}
	}
	return fewest
}

// allowsDowngrade reports whether an entry replaces, skips or covers a newer one, or one that the walk from the head meets before it.
func (o *ordering) allowsDowngrade(i int) bool {
	for _, where := range declaredNames(&o.Channel.Entries[i]) {
		if other, ok := o.Index(where.Value); ok && (o.older(i, other) || o.closerToHead(other, i)) {
			return true
		}
	}
	return o.coverage().spans[i] != nil &&
		(slices.ContainsFunc(o.walk[:o.position[i]], func(above int) bool { return o.coverage().isCovered(above, i) }) ||
			slices.ContainsFunc(o.CoveredUpward(i), func(other int) bool { return o.older(i, other) }))
}

// fixEntry returns the entry that should skip a stuck one, given which entries have a path to the head over entries that OLM v0
// offers: the others may be stuck and need a fix themselves.
func (o *ordering) fixEntry(s *Stuck, saved []bool) int {
	lowest := 0
	for _, blocked := range s.Blocked {
		if blocked.SkippedBy.To >= 0 {
			lowest = max(lowest, o.position[blocked.SkippedBy.To])
		}
	}
	best := -1
	for _, i := range o.offered {
		if (best < 0 || o.position[i] <= lowest) && saved[i] && !o.older(i, s.Entry) {
			best = i
		}
	}
	return best
}

// mayFollow reports whether OLM v0 could follow an edge into an entry that it offers, if it offered nothing nearer to the
// head: not so where the entry that it comes from is itself nearer and covered by its own skipRange.
func (o *ordering) mayFollow(e Edge) bool {
	waits := o.offers[e.From] && o.coverage().isCovered(e.From, e.From)
	return !waits || o.closerToHead(e.To, e.From)
}

// older reports whether the version of a is lower than that of b.
func (g *Graph) older(a, b int) bool { return Older(g.Version(a), g.Version(b)) }

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
			skips := g.IsSkipped(g.Name(e.From)) || g.IsSkipped(g.Name(e.To))
			if e.Kind == Replaces && skips && (next.To != e.To || next.Kind != Replaces) {
				dead = append(dead, e)
			}
		}
	}
	return dead
}
