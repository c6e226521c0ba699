package resolve

import "slices"

// uncertain reports whether the result may depend on the order in which OLM processes subscriptions and channels: that of Go's maps, which
// differs each time.
//
// A decision is certain if one of its candidates is chosen, and each better one contradicts what was guessed at lower levels:
// those guesses come before it in every order. If all decisions are certain, every order makes the same guesses. For as long as
// all guesses are of the solution none of them is ever taken back, and each decision comes to its one candidate that is.
func (s *search) uncertain() bool {
	probe := s.newSolver(s.effort.orders) // learns nothing
	decisions := slices.Clone(s.made)
	slices.SortStableFunc(decisions, func(a, b *decision) int { return a.level - b.level })
	supposed := 0
	for _, d := range decisions {
		for ; supposed < len(s.guesses) && s.guesses[supposed].by.level < d.level; supposed++ {
			probe.Push(s.guesses[supposed].option.lit)
		}
		consistent := func(candidate *option) bool {
			defer probe.Pop()
			return probe.Push(candidate.lit)
		}
		if !s.isCertain(d, consistent) {
			return true
		}
	}
	return false
}

func (s *search) isCertain(d *decision, consistent func(*option) bool) bool {
	chosen := -1
	for i, candidate := range d.options {
		if s.chosen[candidate] {
			if chosen >= 0 {
				return false
			}
			chosen = i
		}
	}
	for i, candidate := range d.options {
		if (i < chosen || i > chosen && d.sameName(candidate, d.options[chosen])) && consistent(candidate) {
			return false
		}
	}
	return true
}

// sameName reports whether it is random which of two candidates OLM prefers: bundles of one name in several channels.
func (d *decision) sameName(a, b *option) bool {
	return d.want != nil && d.want.Channel == "" && a.source != nil && b.source != nil && a.Name == b.Name
}
