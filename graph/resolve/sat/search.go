package sat

import (
	"context"
	"errors"
	"math/bits"
	"slices"
)

// restartAfter is the number of conflicts before the first restart.
const restartAfter = 128

var errRestart = errors.New("to begin again with what was learnt")

// Solve reports whether all clauses and assumptions can be satisfied together. The error is the context's, or ErrLimit.
func (s *Solver) Solve(ctx context.Context, assume ...Lit) (bool, error) {
	s.undo(0)
	s.core = nil
	for restarts := 1; ; restarts++ {
		ok, err := s.search(ctx, assume, restartAfter*luby(restarts))
		if err != errRestart {
			return ok, err
		}
	}
}

// luby returns the nth number of the sequence 1, 1, 2, 1, 1, 2, 4, …
func luby(n int) int {
	for {
		k := bits.Len(uint(n))
		if n == 1<<k-1 {
			return 1 << (k - 1)
		}
		n -= 1<<(k-1) - 1
	}
}

// search continues until there is an answer or a number of conflicts.
func (s *Solver) search(ctx context.Context, assume []Lit, conflicts int) (bool, error) {
	for !s.unsatisfiable {
		if err := s.checkInterrupt(ctx); err != nil {
			return false, err
		}
		if against := s.propagate(); against != nil {
			if len(s.starts) == 0 {
				s.unsatisfiable = true
				break
			}
			s.learn(against)
			conflicts--
			continue
		}
		if conflicts <= 0 {
			s.undo(0)
			return false, errRestart
		}
		next := s.decide(assume)
		switch {
		case next == 0:
			s.model = slices.Clone(s.values)
			return true, nil
		case s.values[next.index()] < 0: // an assumption that contradicts those before
			s.core = s.assumptionCore(next)
			return false, nil
		}
		s.starts = append(s.starts, len(s.trail))
		if s.values[next.index()] == 0 {
			s.assign(next, nil)
		}
	}
	return false, nil
}

// checkInterrupt returns why the search must end, or nil.
func (s *Solver) checkInterrupt(ctx context.Context) error {
	if s.budget.left <= 0 {
		return ErrLimit
	}
	return ctx.Err()
}

// decide returns the next literal to assume: each assumption has a level of its own, then open variables follow. It is zero if none
// is open.
func (s *Solver) decide(assume []Lit) Lit {
	if level := len(s.starts); level < len(assume) {
		return assume[level]
	}
	v := s.queue.first(func(v int) bool { return s.values[Lit(v).index()] == 0 })
	if s.phases[v] {
		return Lit(v)
	}
	return -Lit(v)
}

func (s *Solver) assign(l Lit, because clause) {
	s.values[l.index()], s.values[l.Not().index()] = 1, -1
	s.levels[l.variable()], s.reasons[l.variable()] = len(s.starts), because
	s.trail = append(s.trail, l)
}

// undo backtracks to a level.
func (s *Solver) undo(level int) {
	if len(s.starts) <= level {
		return
	}
	start := s.starts[level]
	for _, l := range s.trail[start:] {
		s.values[l.index()], s.values[l.Not().index()] = 0, 0
		s.phases[l.variable()] = l > 0
		s.queue.reopen(l.variable())
	}
	s.trail, s.starts, s.propagated = s.trail[:start], s.starts[:level], min(s.propagated, start)
}

// propagate performs unit propagation. It returns a clause that is in conflict, or nil.
func (s *Solver) propagate() clause {
	for s.propagated < len(s.trail) {
		gone := s.trail[s.propagated].Not()
		s.propagated++
		if against := s.propagateFalse(gone); against != nil {
			return against
		}
	}
	return nil
}

// propagateFalse visits the clauses that watch a literal which has become false.
func (s *Solver) propagateFalse(gone Lit) clause {
	all := s.watches[gone.index()]
	s.budget.left -= len(all) + 1
	kept := all[:0]
	for i, w := range all {
		if s.values[w.blocker.index()] > 0 {
			kept = append(kept, w)
			continue
		}
		c := w.clause
		if c[0] == gone {
			c[0], c[1] = c[1], c[0]
		}
		if s.values[c[0].index()] <= 0 && s.rewatch(c) {
			continue
		}
		kept = append(kept, watch{c, c[0]})
		switch s.values[c[0].index()] {
		case 0:
			s.assign(c[0], c)
		case -1:
			s.watches[gone.index()] = append(kept, all[i+1:]...)
			return c
		}
	}
	s.watches[gone.index()] = kept
	return nil
}

// rewatch replaces the second watched literal of a clause by another one that is not false, if there is one.
func (s *Solver) rewatch(c clause) bool {
	for i := 2; i < len(c); i++ {
		if s.values[c[i].index()] >= 0 {
			c[1], c[i] = c[i], c[1]
			s.watches[c[1].index()] = append(s.watches[c[1].index()], watch{c, c[0]})
			return true
		}
	}
	return false
}

// learn derives from a conflict the clause with only one literal of the last level (first unique implication point), backtracks and
// assigns that literal.
func (s *Solver) learn(against clause) {
	learnt, open, at := clause{0}, 0, len(s.trail)
	for {
		s.budget.left -= len(against)
		for _, l := range against {
			v := l.variable()
			if s.values[l.index()] > 0 || s.seen[v] || s.levels[v] == 0 {
				continue
			}
			s.seen[v] = true
			if s.levels[v] == len(s.starts) {
				open++
			} else {
				learnt = append(learnt, l)
			}
		}
		for at--; !s.seen[s.trail[at].variable()]; at-- {
		}
		open--
		if open == 0 {
			break
		}
		s.seen[s.trail[at].variable()] = false
		against = s.reasons[s.trail[at].variable()]
	}
	learnt[0] = s.trail[at].Not()
	s.addLearnt(learnt)
}

// addLearnt adds a learnt clause, backtracks to the level at which it is a unit, and assigns its literal.
func (s *Solver) addLearnt(learnt clause) {
	level := 0
	for i, l := range learnt {
		s.seen[l.variable()] = false
		if i > 0 && s.levels[l.variable()] > level {
			level = s.levels[l.variable()]
			learnt[1], learnt[i] = learnt[i], learnt[1]
		}
	}
	s.queue.bump(learnt)
	s.undo(level)
	if len(learnt) > 1 {
		s.watch(learnt)
	}
	s.assign(learnt[0], learnt)
}

// assumptionCore returns an assumption and those that contradict it.
func (s *Solver) assumptionCore(l Lit) []Lit {
	core := []Lit{l}
	s.seen[l.variable()] = true
	for i := len(s.trail) - 1; i >= 0; i-- {
		v := s.trail[i].variable()
		if !s.seen[v] {
			continue
		}
		s.seen[v] = false
		switch because := s.reasons[v]; {
		case s.levels[v] == 0:
		case because == nil:
			core = append(core, s.trail[i])
		default:
			for _, m := range because {
				s.seen[m.variable()] = m.variable() != v
			}
		}
	}
	slices.Sort(core)
	return slices.Compact(core)
}

// Push assumes one more literal and reports whether unit propagation finds no contradiction. Pop undoes it in both cases. Nothing
// is learnt. Solve and AddClause undo all assumptions.
func (s *Solver) Push(l Lit) bool {
	if len(s.starts) == 0 && s.propagate() != nil {
		s.unsatisfiable = true
	}
	s.starts = append(s.starts, len(s.trail))
	if s.unsatisfiable || s.values[l.index()] < 0 {
		return false
	}
	if s.values[l.index()] == 0 {
		s.assign(l, nil)
	}
	return s.propagate() == nil
}

// Pop undoes the last Push.
func (s *Solver) Pop() { s.undo(len(s.starts) - 1) }
