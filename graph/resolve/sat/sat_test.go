package sat

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// problem is a set of clauses and at-most-one constraints, each with a switch of its own.
type problem struct {
	vars    int
	clauses [][]Lit
	groups  [][]Lit
}

func random(r *rand.Rand) problem {
	p := problem{vars: 3 + r.IntN(5)}
	for range 2 + r.IntN(12) {
		p.clauses = append(p.clauses, p.lits(r, 1+r.IntN(3)))
	}
	for range r.IntN(4) {
		p.groups = append(p.groups, p.lits(r, 1+r.IntN(5)))
	}
	return p
}

func (p *problem) lits(r *rand.Rand, n int) []Lit {
	var lits []Lit
	for range n {
		l := Lit(1 + r.IntN(p.vars))
		if r.IntN(2) == 0 {
			l = l.Not()
		}
		lits = append(lits, l)
	}
	return lits
}

func (p *problem) solver() (*Solver, []Lit) {
	s := New(NewBudget(1e9))
	for range p.vars {
		s.NewVar()
	}
	var on []Lit
	for _, c := range p.clauses {
		on = append(on, s.NewVar())
		s.AddClause(append([]Lit{on[len(on)-1].Not()}, c...)...)
	}
	for _, g := range p.groups {
		on = append(on, s.NewVar())
		s.AddAtMostOne(on[len(on)-1], g)
	}
	return s, on
}

// isPossible tries every assignment against the constraints numbered.
func (p *problem) isPossible(numbers []int) bool {
	for set := range 1 << p.vars {
		if !slices.ContainsFunc(numbers, func(n int) bool { return !p.holds(set, n) }) {
			return true
		}
	}
	return false
}

func (p *problem) holds(set, n int) bool {
	lits, clause := []Lit(nil), n < len(p.clauses)
	if clause {
		lits = p.clauses[n]
	} else {
		lits = p.groups[n-len(p.clauses)]
	}
	true := 0
	for _, l := range lits {
		if set>>(max(l, -l)-1)&1 == 1 == (l > 0) {
			true++
		}
	}
	return clause && true > 0 || !clause && true <= 1
}

// TestSolve compares results, solutions and minimal cores with those of brute force. One solver solves many subsets of the
// constraints.
func TestSolve(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := random(r)
		s, on := p.solver()
		for range 6 {
			var numbers []int
			var assume []Lit
			for n, l := range on {
				if r.IntN(4) > 0 {
					numbers, assume = append(numbers, n), append(assume, l)
				}
			}
			p.compare(t, s, numbers, assume)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, p)
		}
	}
}

func (p *problem) compare(t *testing.T, s *Solver, numbers []int, assume []Lit) {
	t.Helper()
	ok, err := s.Solve(t.Context(), assume...)
	if err != nil || ok != p.isPossible(numbers) {
		t.Fatalf("%v: %v, %v", numbers, ok, err)
	}
	if ok {
		p.checkSolution(t, s, numbers)
	}
	core, err := s.MinimalCore(t.Context(), assume)
	if err != nil || ok != (core == nil) {
		t.Fatalf("minimal: %v, %v", core, err)
	}
	if ok {
		return
	}
	p.checkCore(t, core, numbers, assume)
}

// checkSolution holds the solution against the constraints numbered.
func (p *problem) checkSolution(t *testing.T, s *Solver, numbers []int) {
	t.Helper()
	set := 0
	for v := range p.vars {
		if s.IsTrue(Lit(v + 1)) {
			set |= 1 << v
		}
	}
	for _, n := range numbers {
		if !p.holds(set, n) {
			t.Errorf("the solution %b breaks constraint %d", set, n)
		}
	}
}

// checkCore wants a minimal contradiction.
func (p *problem) checkCore(t *testing.T, core []Lit, numbers []int, assume []Lit) {
	t.Helper()
	var left []int
	for i, n := range numbers {
		if slices.Contains(core, assume[i]) {
			left = append(left, n)
		}
	}
	for i := range left {
		if !p.isPossible(slices.Delete(slices.Clone(left), i, i+1)) {
			t.Errorf("%v contradict each other without %d", left, left[i])
		}
	}
	if p.isPossible(left) {
		t.Errorf("%v do not contradict each other", left)
	}
}

// TestHard solves the pigeonhole problem, which reaches the limit.
func TestHard(t *testing.T) {
	const holes = 13
	s := New(NewBudget(1e12))
	on := s.NewVar()
	in := make([][]Lit, holes)
	for range holes + 1 {
		var clause []Lit
		for h := range holes {
			l := s.NewVar()
			clause = append(clause, l)
			in[h] = append(in[h], l)
		}
		s.AddClause(clause...)
	}
	for _, pigeons := range in {
		s.AddAtMostOne(on, pigeons)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200_000_000)
	defer cancel()
	if ok, err := s.Solve(ctx, on); ok || err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", ok, err)
	}
	if _, err := s.MinimalCore(ctx, []Lit{on}); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
