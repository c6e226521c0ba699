package resolve

import (
	"context"
	"errors"
	"slices"

	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// decision is a choice that has to be made: for a subscription, or for a requirement of something chosen.
type decision struct {
	want    *wantedPackage
	subject *option
	need    *optionRequirement
	options []*option
	level   int // how many requirements led to it
	root    int // the place of the subscription, or of the operator, that it comes from
	// before is how many guesses there were when it was made; chosen is what it came to.
	before int
	chosen *option
	tried  bool // it was not met by something chosen before
}

// guess is an option that was taken because a decision had to be made.
type guess struct {
	option *option
	by     *decision
}

// search makes decisions in the order of OLM.
//
// OLM guesses the first candidate of each open choice, adds the choices that the requirements of the guess open to the end of
// the queue, and undoes the last guess when the solver finds a contradiction (OLM: solver search). Here the solver is asked, for
// each guess, whether there is any solution with it and the guesses before: if there is, no guess is ever undone. For in such a
// solution every open choice has a candidate, so one of those that come next is possible too; and if there is none, OLM would
// try in vain all that follows from it. So both end at the same first solution, except if OLM undoes a guess and does not return
// to the first candidate of the choices that came after it: depending on the order of subscriptions, it then skips a candidate
// that is possible after all. Such a result is uncertain.
//
// Then OLM drops as many options as it can that no constraint requires: all of those, because the guesses alone already satisfy
// all constraints. Each of their requirements was a choice, and nothing else forbids to leave something out.
type search struct {
	*system
	queue     []*decision
	made      []*decision
	guesses   []guess
	chosen    map[*option]bool
	satisfied bool // the last solution of the solver has all guesses
}

var (
	errNoCandidate = errors.New("no candidate is left although there is a solution")
	errUnsound     = errors.New("what was chosen is no solution")
)

// run makes all decisions; it is false if there is no solution.
func (s *search) run(ctx context.Context) (bool, error) {
	s.queue, s.made, s.guesses, s.chosen = nil, nil, nil, map[*option]bool{}
	ok, err := s.canChoose(ctx, nil)
	if !ok || err != nil {
		return false, err
	}
	s.begin()
	for i := 0; i < len(s.queue); i++ {
		if err := s.decide(ctx, s.queue[i]); err != nil {
			return false, err
		}
	}
	return true, s.verify()
}

// begin opens the choices of what has to be in the solution: subscriptions, and operators without a subscription.
func (s *search) begin() {
	for i := range s.wants {
		w := &s.wants[i]
		s.queue = append(s.queue, &decision{want: w, options: w.options, root: i})
	}
	for _, o := range s.installed {
		if !o.hasSubscription {
			s.chosen[o] = true
			s.open(o, 0, len(s.wants)+slices.Index(s.installed, o))
		}
	}
}

// open opens the choices of the requirements of an option.
func (s *search) open(o *option, level, root int) {
	for i := range o.requirements {
		if n := &o.requirements[i]; len(n.options) > 0 {
			s.queue = append(s.queue, &decision{subject: o, need: n, options: n.options, level: level, root: root})
		}
	}
}

// decide makes one choice.
func (s *search) decide(ctx context.Context, d *decision) error {
	d.before = len(s.guesses)
	s.made = append(s.made, d)
	if i := slices.IndexFunc(d.options, func(o *option) bool { return s.chosen[o] }); i >= 0 {
		d.chosen = d.options[i]
		return nil
	}
	d.tried = true
	for _, o := range d.options {
		ok, err := s.canChoose(ctx, o)
		if err != nil {
			return err
		}
		if ok {
			s.take(d, o)
			return nil
		}
	}
	return errNoCandidate
}

func (s *search) take(d *decision, o *option) {
	d.chosen = o
	s.chosen[o] = true
	s.guesses = append(s.guesses, guess{o, d})
	s.open(o, d.level+1, d.root)
}

// canChoose reports whether there is a solution with all guesses and one more option. If the last solution that was found has it,
// the solver is not called.
func (s *search) canChoose(ctx context.Context, more *option) (bool, error) {
	if more != nil && s.satisfied && s.solver.IsTrue(more.lit) {
		return true, nil
	}
	ok, err := s.solver.Solve(ctx, assumptions(s.guesses, more)...)
	s.satisfied = ok
	return ok, err
}

// selectedOptions returns what is in the namespace in the end, in the order of the space.
func (s *search) selectedOptions() []*option {
	var all []*option
	for _, o := range s.options {
		if s.chosen[o] {
			all = append(all, o)
		}
	}
	return all
}

// verify checks that what was chosen satisfies all constraints, as the reasoning of search claims.
func (s *search) verify() error {
	for _, c := range s.constraints {
		if !c.holds(s.chosen) {
			return errUnsound
		}
	}
	return nil
}

// assumptions returns the literals of guesses, and of one more option unless it is nil.
func assumptions(guesses []guess, more *option) []sat.Lit {
	var assume []sat.Lit
	for _, g := range guesses {
		assume = append(assume, g.option.lit)
	}
	if more != nil {
		assume = append(assume, more.lit)
	}
	return assume
}
