package graph

import "slices"

// Stuck is an entry that OLM v0 never takes any further.
type Stuck struct {
	Entry int
	// Cut holds the replaces and skips edges out of the entry, by target. OLM v0 offers none of these.
	Cut []Cut
	// Cure is the entry that should take the stuck one over by skipping it: the one that cut it off if OLM v0 offers that,
	// else the nearest one above that it offers, at last the head. With it the channel has the same head and order as
	// before, and opm strands nothing more.
	Cure int
	// Also are the entries that Cure should skip along with the stuck one, by index: those that could go no further than
	// it, and it is not offered any more once it is skipped. There are none unless opm refuses the channel.
	Also []int
}

// Cut is an edge that OLM v0 never follows, and the skips edge because of which it never offers the target. By.To is -1
// where the target is not skipped but off the walk from the head.
type Cut struct {
	Edge Edge
	By   Edge
}

// Stuck returns the entries, the head excepted, from which OLM v0 offers no next, in the order of the text. Empty where
// the channel has no order, or the catalog does not tell its edges.
func (g *Graph) Stuck() []Stuck { return g.stuck.get(g.findStuck) }

func (g *Graph) findStuck() []Stuck {
	order, err := g.Order()
	if err != nil || g.Channel.Edgeless {
		return nil
	}
	var all []Stuck
	for _, i := range g.members {
		if _, ok := g.Next(i); !ok && i != order[0] {
			all = append(all, Stuck{Entry: i, Cut: g.cuts(i)})
		}
	}
	if all == nil {
		return nil
	}
	saved := g.waysTo(order[:1], rules{offers: g.Offers, follows: g.mayFollow}).claimed
	ending := g.endingAt()
	for i := range all {
		s := &all[i]
		s.Cure = g.cure(s, saved)
		if g.Offers(s.Entry) {
			s.Also = slices.DeleteFunc(ending[s.Entry], func(i int) bool { return saved[i] })
		}
	}
	return all
}

func (g *Graph) cuts(from int) []Cut {
	var cuts []Cut
	for _, e := range g.Edges(from) {
		if !g.Offers(e.To) {
			by, _ := g.SkippedBy(e.To)
			cuts = append(cuts, Cut{Edge: e, By: by})
		}
	}
	return cuts
}

// cure returns the entry that should skip a stuck one, given which entries have some way to the head over entries that OLM
// v0 offers: the others may be stuck and cured themselves.
func (g *Graph) cure(s *Stuck, saved []bool) int {
	order, _ := g.Order()
	place := g.ordering().place
	lowest := 0
	for _, cut := range s.Cut {
		if cut.By.To >= 0 {
			lowest = max(lowest, place[cut.By.To])
		}
	}
	best := order[0]
	for _, i := range order {
		if place[i] <= lowest && saved[i] && !g.older(i, s.Entry) {
			best = i
		}
	}
	return best
}

// mayFollow reports whether OLM v0 could follow an edge into an entry that it offers, if it offered nothing nearer to the
// head: not so where the entry that it comes from is itself nearer and covered by its own skipRange.
func (g *Graph) mayFollow(e Edge) bool {
	waits := g.Offers(e.From) && g.covered(e.From, e.From)
	return !waits || g.nearer(e.To, e.From)
}

// older reports whether the version of a is lower than that of b.
func (g *Graph) older(a, b int) bool {
	v, w := g.Version(a), g.Version(b)
	return v != nil && w != nil && v.LT(*w)
}
