package resolve

import (
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// walk makes decisions as OLM does when it processes subscriptions in a certain order (OLM: solver search).
//
// OLM looks no further than to what follows from single constraints, one after the other. If no candidate of a choice is left it
// continues without one, and asks the solver in the end. If there is no solution it undoes guesses, the last one first, until
// there may be one again, and continues with the next candidate of each; so choices that had nothing to do with the
// contradiction lose their best candidates too.
type walk struct {
	*system
	probe       *sat.Solver // learns nothing
	queue       []step
	at          int  // how many steps were made
	backtracked bool // guesses were taken back because of others, whatever they had to do with those
	picked      map[*option]bool
}

// step is a choice with what came of it.
type step struct {
	options  []*option
	index    int     // of the next candidate
	guess    *option // nil where it was met, or was left open
	children int     // the choices that the guess has opened
	open     bool    // none of its candidates was left
}

// root is what has to be in the solution: a subscription, or an operator without a subscription.
type root struct {
	want    *wantedPackage
	unowned *option
}

// roots returns them in the default order, without operators that require nothing.
func (y *system) roots() []root {
	var all []root
	for i := range y.wants {
		all = append(all, root{want: &y.wants[i]})
	}
	for _, o := range y.installed {
		if !o.hasSubscription && len(o.steps()) > 0 {
			all = append(all, root{unowned: o})
		}
	}
	return all
}

// channels is in how many channels the bundles are, at most, of a subscription that names none.
func (a root) channels() int {
	most, run := 1, 1
	if a.want == nil || a.want.Channel != "" {
		return 1
	}
	for i, o := range a.want.options {
		if i > 0 && o.source != nil && o.Name == a.want.options[i-1].Name {
			run++
		} else {
			run = 1
		}
		most = max(most, run)
	}
	return most
}

// rotated returns the candidates of a subscription with those of one name rotated by so many channels. OLM has them in random
// order and takes the first that is possible: each is the first in one of the rotations.
func (a root) rotated(turn int) []*option {
	options := slices.Clone(a.want.options)
	for from, to := 0, 0; from < len(options); from = to {
		for to = from + 1; to < len(options) && options[to].source != nil && options[to].Name == options[from].Name; {
			to++
		}
		same := options[from:to]
		by := turn % len(same)
		copy(same, slices.Concat(same[by:], same[:by]))
	}
	return options
}

// walk processes the anchors in an order, each subscription with one of the rotations of its channels: together they are the
// digits of turn. The error is the context's, or sat.ErrLimit.
func (y *system) walk(ctx context.Context, probe *sat.Solver, order []root, turn int) (*walk, error) {
	w := &walk{system: y, probe: probe, picked: map[*option]bool{}}
	for _, o := range y.installed {
		w.picked[o] = !o.hasSubscription
	}
	for _, a := range order {
		if a.want == nil {
			w.queue = append(w.queue, a.unowned.steps()...)
			continue
		}
		options := a.want.options
		if n := a.channels(); n > 1 {
			options = a.rotated(turn % n)
			turn /= n
		}
		w.queue = append(w.queue, step{options: options})
	}
	err := w.run(ctx)
	for w.probe.Depth() > 0 {
		w.probe.Pop()
	}
	return w, err
}

// steps returns the choices that an option's requirements are.
func (o *option) steps() []step {
	var all []step
	for i := range o.requirements {
		if options := o.requirements[i].options; len(options) > 0 {
			all = append(all, step{options: options})
		}
	}
	return all
}

// meets reports whether one of the options was picked.
func (w *walk) meets(options []*option) bool {
	return slices.ContainsFunc(options, func(o *option) bool { return w.picked[o] })
}

func (w *walk) run(ctx context.Context) error {
	for {
		for w.at < len(w.queue) {
			if w.effort.orders.Empty() {
				return sat.ErrLimit
			}
			w.forward()
		}
		if !w.leavesOpen() {
			return nil
		}
		for first := true; ; first = false {
			if !first {
				w.backtracked = true
				w.undo()
			}
			if ok, err := w.solver.Solve(ctx, w.guesses()...); err != nil || ok && first {
				return err
			} else if ok {
				break
			}
		}
	}
}

// leavesOpen reports whether a choice was left to the solver.
func (w *walk) leavesOpen() bool {
	return slices.ContainsFunc(w.queue, func(s step) bool { return s.open && !w.meets(s.options) })
}

// guesses returns what was guessed.
func (w *walk) guesses() []sat.Lit {
	var all []sat.Lit
	for i := range w.queue[:w.at] {
		if o := w.queue[i].guess; o != nil {
			all = append(all, o.lit)
		}
	}
	return all
}

// forward makes the next choice. A guess that contradicts those before is taken back at once.
func (w *walk) forward() {
	s := &w.queue[w.at]
	w.at++
	s.guess, s.children = nil, 0
	met := w.meets(s.options)
	s.open = !met && s.index >= len(s.options)
	if met || s.open {
		return
	}
	o := s.options[s.index]
	s.guess = o
	w.picked[o] = true
	possible := w.probe.Push(o.lit)
	children := o.steps()
	s.children = len(children)
	w.queue = append(w.queue, children...)
	if !possible {
		w.undo()
	}
}

// undo undoes the last choice, and the choices that it opened. A guess is not made again.
func (w *walk) undo() {
	w.at--
	s := &w.queue[w.at]
	s.open = false
	if s.guess == nil {
		return
	}
	delete(w.picked, s.guess)
	w.probe.Pop()
	w.queue = w.queue[:len(w.queue)-s.children]
	s.guess = nil
	s.index++
}
