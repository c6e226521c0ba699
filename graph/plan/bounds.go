package plan

// bounds is a lower bound of what is left to do for one part.
type bounds struct {
	cost
	none bool // there is no path at all
}

type lowerKey struct {
	part  *part
	minor Minor
}

// heuristic returns a lower bound of the cost that is left; false if there is no path. The parts of a namespace need at least what each
// of them needs without the constraints of the others, and one approval can be for all of them.
func (s *search) heuristic(n *node) (cost, bool) {
	var h cost
	if s.w.relaxed || len(n.parts) < 2 || s.goal.reach || s.blind {
		return h, true
	}
	for i := range n.parts {
		b := s.partBounds(n, i)
		if b.none {
			return h, false
		}
		for f, c := range b.cost {
			if f == approvals {
				h[f] = max(h[f], c)
			} else {
				h[f] += c
			}
		}
	}
	return h, true
}

// partBound is the bound of one part, nothing where there are no bounds.
func (s *search) partBound(n *node, i int) cost {
	if s.w.relaxed || len(n.parts) < 2 || s.goal.reach {
		return cost{}
	}
	return s.partBounds(n, i).cost
}

// partBounds returns the bound of one part at a node. A part of a namespace with approvals is searched twice: for the fewest approvals, and for
// the fewest upgrades whatever the approvals.
func (s *search) partBounds(n *node, i int) *bounds {
	at := lowerKey{n.parts[i], n.minor}
	if known := s.w.lower[at]; known != nil {
		return known
	}
	alone := *s.w
	alone.relaxed, alone.bound = true, maxLower
	if s.goal.best {
		return s.measure(&alone, at, cost{frozen: 1, lowered: 1, short: 1, switches: 1, missed: 1}, true)
	}
	if !s.w.approvals {
		return s.measure(&alone, at, planFields, true)
	}
	b := s.measure(&alone, at, cost{lowered: 1, switches: 1, approvals: 1}, false)
	if !b.none {
		whenever := planFields
		whenever[approvals] = 0
		rest := s.measure(&alone, at, whenever, false)
		for f := upgradesMade; f <= lateness; f++ {
			b.cost[f] = rest.cost[f]
		}
	}
	s.w.lower[at] = b
	return b
}

// measure searches the path of one part. The costs along a path that was found are kept, if all fields count.
func (s *search) measure(alone *world, at lowerKey, mask cost, keep bool) *bounds {
	r := alone.run(s.goal, mask, at.minor, []*part{at.part})
	s.block(r.obstacles)
	b := &bounds{}
	switch {
	case r.found != nil:
		b.cost = r.found.g
		for n := r.found.parent; n != nil && keep; n = n.parent {
			key := lowerKey{n.parts[0], n.minor}
			if s.w.lower[key] == nil {
				left := b.cost
				for f := range left {
					left[f] -= n.g[f]
				}
				s.w.lower[key] = &bounds{cost: left}
			}
		}
	case r.limited:
		b.cost = r.floor
	default:
		b.none = true
	}
	if keep {
		s.w.lower[at] = b
	}
	return b
}
