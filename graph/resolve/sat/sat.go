// Package sat decides whether clauses can hold together. It is the one door to the SAT solver and knows nothing of
// catalogs.
package sat

import (
	"context"
	"slices"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// Lit is a variable, or with a minus sign its opposite. Zero is none.
type Lit int

// Not returns the opposite.
func (l Lit) Not() Lit { return -l }

// Solver holds clauses. It is not safe for concurrent use.
type Solver struct {
	gini *gini.Gini
	vars int
	core []Lit
}

// New returns a solver without clauses.
func New() *Solver { return &Solver{gini: gini.New()} }

// Var returns a new variable.
func (s *Solver) Var() Lit {
	s.vars++
	s.gini.Lit()
	return Lit(s.vars)
}

// Clause wants one of the literals to hold.
func (s *Solver) Clause(lits ...Lit) {
	for _, l := range lits {
		s.gini.Add(z.Dimacs2Lit(int(l)))
	}
	s.gini.Add(z.LitNull)
}

// AtMostOne wants no two of the literals to hold while when does, or ever if that is zero. It takes three clauses a
// literal: each literal tells all behind it, through a chain of new variables, that there is one already.
func (s *Solver) AtMostOne(when Lit, lits []Lit) {
	clause := func(lits ...Lit) {
		if when != 0 {
			lits = append(lits, when.Not())
		}
		s.Clause(lits...)
	}
	before := Lit(0)
	for i, l := range lits {
		if before != 0 {
			clause(before.Not(), l.Not())
		}
		if i == len(lits)-1 {
			return
		}
		now := s.Var()
		clause(l.Not(), now)
		if before != 0 {
			clause(before.Not(), now)
		}
		before = now
	}
}

// patience is how long the solver works on its own before it looks up whether anybody still waits. It never takes that
// long but on purpose; if it were short, a busy machine could change which of several explanations is found.
const patience = 2 * time.Second

// Solve reports whether all clauses can hold together with the assumptions. The error is the context's.
func (s *Solver) Solve(ctx context.Context, assume ...Lit) (bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		for _, l := range assume {
			s.gini.Assume(z.Dimacs2Lit(int(l)))
		}
		switch s.gini.Try(s.patience(ctx)) {
		case 1:
			return true, nil
		case -1:
			s.core = s.failed()
			return false, nil
		}
	}
}

// patience is shorter where the context ends sooner.
func (s *Solver) patience(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(min(patience, time.Until(end)), time.Millisecond)
	}
	return patience
}

func (s *Solver) failed() []Lit {
	var core []Lit
	for _, m := range s.gini.Why(nil) {
		core = append(core, Lit(m.Dimacs()))
	}
	slices.Sort(core)
	return slices.Compact(core)
}

// Holds reports whether a literal holds in the solution found last.
func (s *Solver) Holds(l Lit) bool { return s.gini.Value(z.Dimacs2Lit(int(l))) }

// Minimal returns a set of assumptions that cannot hold together, none of which can be left out: it leaves out one after
// the other, in the order given, for as long as they still contradict each other. It returns nil if they do not.
func (s *Solver) Minimal(ctx context.Context, assume []Lit) ([]Lit, error) {
	kept := slices.Clone(assume)
	ok, err := s.Solve(ctx, kept...)
	if ok || err != nil {
		return nil, err
	}
	kept = s.within(kept)
	for i := 0; i < len(kept); {
		ok, err := s.Solve(ctx, slices.Delete(slices.Clone(kept), i, i+1)...)
		switch {
		case err != nil:
			return nil, err
		case ok:
			i++
		default:
			kept = s.within(kept)
		}
	}
	return kept, nil
}

// within keeps those in the core.
func (s *Solver) within(lits []Lit) []Lit {
	return slices.DeleteFunc(lits, func(l Lit) bool {
		_, found := slices.BinarySearch(s.core, l)
		return !found
	})
}
