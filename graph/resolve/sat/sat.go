// Package sat is a SAT solver with assumptions and minimal cores.
//
// It learns a clause from each conflict (CDCL). Its limit is a number of steps and not a time, so the same problem has the same
// result on every machine, also if the limit is reached.
package sat

import (
	"context"
	"errors"
	"slices"
)

// Lit is a variable, or its negation if it is negative. Zero is no literal.
type Lit int

// Not returns the negation.
func (l Lit) Not() Lit { return -l }

// variable returns the index of a literal's variable.
func (l Lit) variable() int { return int(max(l, -l)) }

// index returns the index of a literal among all literals.
func (l Lit) index() int {
	if l < 0 {
		return int(-2*l) + 1
	}
	return int(2 * l)
}

// ErrLimit is the error of a solver whose budget is spent before it has an answer.
var ErrLimit = errors.New("the limit of steps was reached")

// Budget is how many steps solvers may take together. A step propagates one literal or visits one clause: about twenty million take
// a second.
type Budget struct{ left int }

// NewBudget returns a budget of some steps.
func NewBudget(steps int) *Budget { return &Budget{steps} }

// clause is a disjunction. Its first two literals are watched: they are not false unless the clause is satisfied, or has just
// become a unit or a conflict.
type clause []Lit

// watch is a clause to visit when a literal becomes false, and another literal of it: if that is true the visit is not necessary.
type watch struct {
	clause  clause
	blocker Lit
}

// Solver decides clauses. It is not safe for concurrent use.
type Solver struct {
	budget        *Budget
	watches       [][]watch // by literal
	values        []int8    // by literal: 1 true, -1 false, 0 open
	levels        []int     // by variable
	reasons       []clause  // by variable: the clause that implied its value
	phases        []bool    // by variable: its last value
	seen          []bool    // by variable, while a conflict is analysed
	queue         queue
	trail         []Lit // the true literals, in the order of assignment
	starts        []int // of each level in the trail
	propagated    int   // how much of the trail has been propagated
	unsatisfiable bool  // the clauses contradict each other without any assumption
	model         []int8
	core          []Lit
}

// New returns a solver without clauses.
func New(b *Budget) *Solver {
	s := &Solver{budget: b}
	s.grow()
	return s
}

// grow adds one more variable. The first one is unused.
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

// AddClause adds a clause: one of the literals must be true.
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

// AddAtMostOne adds clauses by which at most one of the literals is true if when is, or always if when is zero. There are three
// clauses for each literal, in a sequential encoding: a new variable for each literal says that it or one before it is true.
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

// IsTrue reports whether a literal is true in the solution that was found last.
func (s *Solver) IsTrue(l Lit) bool { return s.model[l.index()] > 0 }

// MinimalCore returns a minimal set of assumptions that contradict each other. It leaves out one after the other, in the order
// given, as long as the rest still contradict each other. It returns nil if the assumptions do not.
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

// inCore returns the literals that are in the core.
func (s *Solver) inCore(lits []Lit) []Lit {
	return slices.DeleteFunc(lits, func(l Lit) bool {
		_, found := slices.BinarySearch(s.core, l)
		return !found
	})
}
