package resolve

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// Bounds of the search for other outcomes: how many orders of subscriptions are tried, and how many outcomes are returned.
const (
	maxOrders   = 750 // all orders of six
	maxOutcomes = 12
)

// outcomes are the results that OLM may come to, depending on the order in which it processes subscriptions and channels: that
// of Go's maps, which differs each time.
type outcomes struct {
	*search
	probe *sat.Solver
	deep  *system // with a solver of its own, which has its own budget
	all   []map[*option]bool
	more  bool // there may be others
	// others are all but the one that was chosen.
	others []map[*option]bool
}

// outcomes returns all results that OLM may come to, and whether there may be more. If the chosen one is none of them, the first
// of them is chosen instead.
func (s *search) outcomes(ctx context.Context) (*outcomes, error) {
	out := &outcomes{search: s, probe: s.newSolver(s.effort.orders)}
	moving := out.undecidedAnchors()
	if len(moving) == 0 {
		return out, nil
	}
	deep := *s.system
	deep.solver = deep.newSolver(s.effort.orders)
	out.deep = &deep
	err := out.tryOrders(ctx, moving)
	if errors.Is(err, sat.ErrLimit) {
		out.more, err = true, nil
	}
	if err != nil || len(out.all) == 0 {
		return out, err
	}
	chosen := func(o map[*option]bool) bool { return s.same(o, s.chosen) }
	if !slices.ContainsFunc(out.all, chosen) {
		s.fixed = out.all[0]
		if _, err := s.run(ctx); err != nil {
			return nil, err
		}
	}
	out.others = slices.DeleteFunc(out.all, chosen)
	return out, nil
}

func (s *search) same(a, b map[*option]bool) bool {
	return !slices.ContainsFunc(s.options, func(o *option) bool { return a[o] != b[o] })
}

// undecidedAnchors returns the anchors whose order may matter: those that are tied by constraints to a decision that is not certain.
//
// A decision is certain if one of its candidates is chosen, and each better one contradicts what was guessed at lower levels:
// those guesses come before it in every order. If all decisions are certain, every order makes the same guesses. For as long as
// all guesses are of the solution none of them is ever taken back, and each decision comes to its one candidate that is.
func (o *outcomes) undecidedAnchors() []root {
	anchors := o.roots()
	loose := map[int]bool{}
	decisions := slices.Clone(o.made)
	slices.SortStableFunc(decisions, func(a, b *decision) int { return a.level - b.level })
	supposed := 0
	for _, d := range decisions {
		for ; supposed < len(o.guesses) && o.guesses[supposed].by.level < d.level; supposed++ {
			o.probe.Push(o.guesses[supposed].option.lit)
		}
		if !o.isCertain(d) {
			loose[d.root] = true
		}
	}
	for o.probe.Depth() > 0 {
		o.probe.Pop()
	}
	if len(loose) == 0 {
		return nil
	}
	return o.connected(anchors, loose)
}

func (o *outcomes) isCertain(d *decision) bool {
	chosen := -1
	for i, candidate := range d.options {
		if o.chosen[candidate] {
			if chosen >= 0 {
				return false
			}
			chosen = i
		}
	}
	for i, candidate := range d.options {
		if (i < chosen || i > chosen && d.sameName(candidate, d.options[chosen])) && o.consistent(candidate) {
			return false
		}
	}
	return true
}

// consistent reports whether an option is consistent with what is assumed.
func (o *outcomes) consistent(candidate *option) bool {
	defer o.probe.Pop()
	return o.probe.Push(candidate.lit)
}

// sameName reports whether it is random which of two candidates OLM prefers: bundles of one name in several channels.
func (d *decision) sameName(a, b *option) bool {
	return d.want != nil && d.want.Channel == "" && a.source != nil && b.source != nil && a.Name == b.Name
}

// connected returns the anchors that constraints tie to some, by their index as roots of decisions.
func (o *outcomes) connected(anchors []root, loose map[int]bool) []root {
	group := map[*option]*option{}
	var find func(a *option) *option
	find = func(a *option) *option {
		if group[a] == nil || group[a] == a {
			return a
		}
		group[a] = find(group[a])
		return group[a]
	}
	for _, c := range o.constraints {
		first := c.subject
		for _, other := range c.options {
			if first == nil {
				first = other
			}
			group[find(other)] = find(first)
		}
	}
	of := func(root int) *option {
		if root < len(o.wants) {
			return find(o.wants[root].options[0])
		}
		return find(o.installed[root-len(o.wants)])
	}
	groups := map[*option]bool{}
	for root := range loose {
		groups[of(root)] = true
	}
	return slices.DeleteFunc(anchors, func(a root) bool {
		if a.want != nil {
			return !groups[find(a.want.options[0])]
		}
		return !groups[find(a.unowned)]
	})
}

// tryOrders tries the orders of some anchors, and of the channels of subscriptions that name none; the other anchors follow.
func (o *outcomes) tryOrders(ctx context.Context, moving []root) error {
	rest := slices.DeleteFunc(o.roots(), func(a root) bool { return slices.Contains(moving, a) })
	turns := 1
	for _, a := range moving {
		turns *= a.channels()
		if turns > maxOrders {
			turns, o.more = maxOrders, true
		}
	}
	first := maxPermuted(len(moving), maxOrders/turns)
	o.more = o.more || first < len(moving)-1
	for turn := range turns {
		for order := range permutations(len(moving), first) {
			var anchors []root
			for _, i := range order {
				anchors = append(anchors, moving[i])
			}
			w, err := o.deep.walk(ctx, o.probe, append(anchors, rest...), turn)
			if err == nil && w.backtracked && len(rest) > 0 { // so all others matter too
				o.all, o.more = nil, false
				return o.tryOrders(ctx, o.roots())
			}
			if err == nil {
				o.more = o.more || w.leavesOpen() // the result of the solver is not predicted
				err = o.complete(ctx, w, slices.Clone(w.queue))
			}
			switch {
			case err != nil:
				return err
			case len(o.all) > maxOutcomes:
				o.more = true
				return nil
			}
		}
	}
	return nil
}

// maxPermuted returns how many of n things can be permuted at the front within so many permutations.
func maxPermuted(n, most int) int {
	arranged := 1
	for first := range n {
		if arranged *= n - first; arranged > most {
			return first
		}
	}
	return n
}

// permutations yields n things with each choice of so many of them first, in each order, and the others in their order.
func permutations(n, first int) iter.Seq[[]int] {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return func(yield func([]int) bool) { permute(order, 0, min(first, n-1), yield) }
}

func permute(order []int, at, first int, yield func([]int) bool) bool {
	if at >= first {
		return yield(order)
	}
	for i := at; i < len(order); i++ {
		next := slices.Clone(order)
		copy(next[at+1:i+1], order[at:i])
		next[at] = order[i]
		if !permute(next, at+1, first, yield) {
			return false
		}
	}
	return true
}

// complete adds the results of a walk. What it left open the solver decides, in any order: here, with as few options as
// possible.
func (o *outcomes) complete(ctx context.Context, w *walk, queue []step) error {
	at := slices.IndexFunc(queue, func(s step) bool { return !w.meets(s.options) })
	if at < 0 {
		if !slices.ContainsFunc(o.all, func(known map[*option]bool) bool { return o.same(known, w.picked) }) {
			o.all = append(o.all, maps.Clone(w.picked))
		}
		return nil
	}
	for _, c := range queue[at].options {
		if len(o.all) > maxOutcomes {
			return nil
		}
		ok, err := o.deep.solver.Solve(ctx, append(o.literals(w.picked), c.lit)...)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		w.picked[c] = true
		if err := o.complete(ctx, w, append(slices.Clip(queue), c.steps()...)); err != nil {
			return err
		}
		delete(w.picked, c)
	}
	return nil
}

// literals returns those of options, in the order of the space.
func (o *outcomes) literals(of map[*option]bool) []sat.Lit {
	var all []sat.Lit
	for _, c := range o.options {
		if of[c] {
			all = append(all, c.lit)
		}
	}
	return all
}
