package graph

import "slices"

// Stuck is an entry that OLM v0 never takes any further.
type Stuck struct {
	Entry int
	// Cut holds the replaces and skips edges out of the entry, by target. OLM v0 offers none of these.
	Cut []Cut
	// Unskip holds the skips edges to take out, from the head down, so that OLM v0 offers an entry that replaces or skips the
	// stuck one: each comes from an entry that replaces what it skips. Where there are any, Cure and Also are not needed.
	Unskip []Edge
	// Cure is the entry that should take the stuck one over by skipping it: the one that cut it off if OLM v0 offers that,
	// else the nearest one above that it offers, at last the head. With it the channel has the same head and order as
	// before, and opm strands nothing more. It is -1 where all of these are older than the stuck one: they would lead its users
	// down.
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
	u := g.unskips()
	for i := range all {
		s := &all[i]
		s.Unskip = u.of(s)
		s.Cure = g.cure(s, saved)
		if s.Cure >= 0 && g.Offers(s.Entry) {
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

// maxUnskips bounds how many skips Stuck.Unskip holds.
const maxUnskips = 20

// unskips knows which skips contradict the replaces of their own entry. Where OLM v0 takes such an entry's walk on, it would
// offer what is skipped if it were only replaced.
type unskips struct {
	*Graph
	chain []bool         // the entries that opm's walk meets
	known map[int][]Edge // what above returned, by entry
}

func (g *Graph) unskips() unskips {
	u := unskips{g, make([]bool, len(g.Channel.Entries)), map[int][]Edge{}}
	for _, i := range g.Chain().Entries {
		u.chain[i] = true
	}
	return u
}

// of returns the fewest skips without which OLM v0 upgrades a stuck entry, from the head down; nil if there are none.
func (u unskips) of(s *Stuck) []Edge {
	var fewest []Edge
	for _, cut := range s.Cut {
		if u.older(cut.Edge.To, s.Entry) {
			continue
		}
		edges, met := u.known[cut.Edge.To]
		if !met {
			edges = u.above(cut.Edge.To)
			u.known[cut.Edge.To] = edges
		}
		if edges != nil && (fewest == nil || len(edges) < len(fewest)) {
			fewest = edges
		}
	}
	return fewest
}

// above returns the skips without which OLM v0 offers a skipped entry, and opm's walk meets it: its own, and those of the
// entries between it and the first one that is offered. Nil if an entry skips one of them and does not replace it, or if one of
// them would take over what is newer.
func (u unskips) above(i int) []Edge {
	var all []Edge
	for !u.Offers(i) {
		edges, by := u.contradicted(i)
		if edges == nil || len(all)+len(edges) > maxUnskips || u.leadsDown(i) {
			return nil
		}
		all, i = append(all, edges...), by
	}
	if !u.chain[i] {
		return nil
	}
	slices.Reverse(all)
	return all
}

// contradicted returns the skips of an entry if all are of entries that replace it as well, and which of those the walk from
// the head meets.
func (u unskips) contradicted(i int) (edges []Edge, by int) {
	by = -1
	replacing := map[int]bool{}
	place := u.ordering().place
	for _, e := range u.Edges(i) { // of one target replaces comes first
		switch {
		case e.Kind == Replaces:
			replacing[e.To] = e.To != i
			if place[i] > 0 && place[e.To] == place[i]-1 {
				by = e.To
			}
		case !replacing[e.To]:
			return nil, -1
		default:
			edges = append(edges, e)
		}
	}
	if by < 0 {
		return nil, -1
	}
	return edges, by
}

// leadsDown reports whether an entry replaces, skips or covers a newer one.
func (u unskips) leadsDown(i int) bool {
	for _, where := range named(&u.Channel.Entries[i]) {
		if other, ok := u.Index(where.Value); ok && u.older(i, other) {
			return true
		}
	}
	return slices.ContainsFunc(u.InRangeFrom(i), func(other int) bool { return u.older(i, other) })
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
	best := -1
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
