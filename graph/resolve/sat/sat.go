// Package sat decides whether clauses can hold together. It knows nothing of catalogs.
//
// It is a plain solver that learns a clause from each conflict. It counts its work instead of looking at a clock, so the same
// questions get the same answers on every machine, and come to the same end where they are too hard.
package sat

import (
	"context"
	"errors"
	"slices"
)

// Lit is a variable, or with a minus sign its opposite. Zero is none.
type Lit int

// Not returns the opposite.
func (l Lit) Not() Lit { return -l }

// variable is the index of a literal's variable, and of its truth in a solver.
func (l Lit) variable() int { return int(max(l, -l)) }

// index is the place of a literal in a list of all literals.
func (l Lit) index() int {
	if l < 0 {
		return int(-2*l) + 1
	}
	return int(2 * l)
}

// ErrLimit is what a solver says when its budget is spent before it has an answer.
var ErrLimit = errors.New("the limit of steps was reached")

// Budget is how many steps solvers may take together. A step concludes one literal or looks at one clause; some
// twenty million take a second.
type Budget struct{ left, total int }

// NewBudget returns a budget of so many steps.
func NewBudget(steps int) *Budget { return &Budget{steps, steps} }

// Spent is how many steps were taken.
func (b *Budget) Spent() int { return b.total - b.left }

// Empty reports whether nothing is left of it.
func (b *Budget) Empty() bool { return b.left <= 0 }

// clause is a disjunction. Its first two literals are watched: whenever it is not fulfilled they are not false, unless it
// has just become a unit or a conflict.
type clause []Lit

// watch says which clause to look at when a literal becomes false, and a literal that may save that.
type watch struct {
	clause  clause
	blocker Lit
}

// Solver holds clauses. It is not safe for concurrent use.
type Solver struct {
	budget        *Budget
	watches       [][]watch // by literal
	values        []int8    // by literal: 1 true, -1 false, 0 open
	levels        []int     // by variable
	reasons       []clause  // by variable: the clause that made it what it is
	phases        []bool    // by variable: what it was last
	seen          []bool    // by variable, while a conflict is looked at
	queue         queue
	trail         []Lit // what holds, in the order in which it came to
	starts        []int // of each level in the trail
	propagated    int   // how much of the trail has been propagated
	unsatisfiable bool  // the clauses contradict each other whatever is assumed
	model         []int8
	core          []Lit
}

// New returns a solver without clauses.
func New(b *Budget) *Solver {
	s := &Solver{budget: b}
	s.grow()
	return s
}

// grow makes room for one more variable: the first one is none.
func (s *Solver) grow() {
	s.watches = append(s.watches, nil, nil)
	s.values = append(s.values, 0, 0)
	s.levels = append(s.levels, 0)
	s.reasons = append(s.reasons, nil)
	s.phases = append(s.phases, false)
	s.seen = append(s.seen, false)
	s.queue.grow()
}

// NewVar returns a new variable.
func (s *Solver) NewVar() Lit {
	s.grow()
	v := len(s.levels) - 1
	s.queue.add(v)
	return Lit(v)
}

// AddClause wants one of the literals to hold.
func (s *Solver) AddClause(lits ...Lit) {
	s.undo(0)
	c := make(clause, 0, len(lits))
	for _, l := range lits {
		switch {
		case s.values[l.index()] > 0 || slices.Contains(c, l.Not()):
			return
		case s.values[l.index()] == 0 && !slices.Contains(c, l):
			c = append(c, l)
		}
	}
	switch len(c) {
	case 0:
		s.unsatisfiable = true
	case 1:
		s.assign(c[0], nil)
	default:
		s.watch(c)
	}
}

func (s *Solver) watch(c clause) {
	s.watches[c[0].index()] = append(s.watches[c[0].index()], watch{c, c[1]})
	s.watches[c[1].index()] = append(s.watches[c[1].index()], watch{c, c[0]})
}

// AddAtMostOne wants no two of the literals to hold while when does, or ever if that is zero. It takes three clauses a
// literal: each literal tells all behind it, through a chain of new variables, that there is one already.
func (s *Solver) AddAtMostOne(when Lit, lits []Lit) {
	clause := func(lits ...Lit) {
		if when != 0 {
			lits = append(lits, when.Not())
		}
		s.AddClause(lits...)
	}
	before := Lit(0)
	for i, l := range lits {
		if before != 0 {
			clause(before.Not(), l.Not())
		}
		if i == len(lits)-1 {
			return
		}
		now := s.NewVar()
		clause(l.Not(), now)
		if before != 0 {
			clause(before.Not(), now)
		}
		before = now
	}
}

// IsTrue reports whether a literal holds in the solution found last.
func (s *Solver) IsTrue(l Lit) bool { return s.model[l.index()] > 0 }

// MinimalCore returns a set of assumptions that cannot hold together, none of which can be left out: it leaves out one after
// the other, in the order given, for as long as they still contradict each other. It returns nil if they do not.
func (s *Solver) MinimalCore(ctx context.Context, assume []Lit) ([]Lit, error) {
	kept := slices.Clone(assume)
	ok, err := s.Solve(ctx, kept...)
	if ok || err != nil {
		return nil, err
	}
	kept = s.inCore(kept)
	for i := 0; i < len(kept); {
		ok, err := s.Solve(ctx, slices.Delete(slices.Clone(kept), i, i+1)...)
		switch {
		case err != nil:
			return nil, err
		case ok:
			i++
		default:
			kept = s.inCore(kept)
		}
	}
	return kept, nil
}

// inCore keeps those in the core.
func (s *Solver) inCore(lits []Lit) []Lit {
	return slices.DeleteFunc(lits, func(l Lit) bool {
		_, found := slices.BinarySearch(s.core, l)
		return !found
	})
}
