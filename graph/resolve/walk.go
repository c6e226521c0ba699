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
	probe  *sat.Solver // learns nothing
	queue  []step
	at     int  // how many steps were made
	astray bool // guesses were taken back because of others, whatever they had to do with those
	picked map[*option]bool
}

// step is a choice with what came of it.
type step struct {
	options  []*option
	index    int     // of the next candidate
	guess    *option // nil where it was met, or was left open
	children int     // the choices that the guess has opened
	open     bool    // none of its candidates was left
}

// anchor is what has to be in the solution: a subscription, or an operator without a subscription.
type anchor struct {
	want  *want
	stays *option
}

// anchors returns them in the default order, without operators that require nothing.
func (y *system) anchors() []anchor {
	var all []anchor
	for i := range y.wants {
		all = append(all, anchor{want: &y.wants[i]})
	}
	for _, o := range y.installed {
		if !o.owned && len(o.steps()) > 0 {
			all = append(all, anchor{stays: o})
		}
	}
	return all
}

// channels is in how many channels the bundles are, at most, of a subscription that names none.
func (a anchor) channels() int {
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

// turned returns the candidates of a subscription with those of one name rotated by so many channels. OLM has them in random
// order and takes the first that is possible: each is the first in one of the rotations.
func (a anchor) turned(turn int) []*option {
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
func (y *system) walk(ctx context.Context, probe *sat.Solver, order []anchor, turn int) (*walk, error) {
	w := &walk{system: y, probe: probe, picked: map[*option]bool{}}
	for _, o := range y.installed {
		w.picked[o] = !o.owned
	}
	for _, a := range order {
		if a.want == nil {
			w.queue = append(w.queue, a.stays.steps()...)
			continue
		}
		options := a.want.options
		if n := a.channels(); n > 1 {
			options = a.turned(turn % n)
			turn /= n
		}
		w.queue = append(w.queue, step{options: options})
	}
	err := w.run(ctx)
	for w.probe.Supposed() > 0 {
		w.probe.Retract()
	}
	return w, err
}

// steps returns the choices that an option's requirements are.
func (o *option) steps() []step {
	var all []step
	for i := range o.needs {
		if options := o.needs[i].options; len(options) > 0 {
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
		if !w.leaves() {
			return nil
		}
		for first := true; ; first = false {
			if !first {
				w.astray = true
				w.back()
			}
			if ok, err := w.solver.Solve(ctx, w.guesses()...); err != nil || ok && first {
				return err
			} else if ok {
				break
			}
		}
	}
}

// leaves reports whether a choice was left to the solver.
func (w *walk) leaves() bool {
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
	possible := w.probe.Suppose(o.lit)
	children := o.steps()
	s.children = len(children)
	w.queue = append(w.queue, children...)
	if !possible {
		w.back()
	}
}

// back undoes the last choice, and the choices that it opened. A guess is not made again.
func (w *walk) back() {
	w.at--
	s := &w.queue[w.at]
	s.open = false
	if s.guess == nil {
		return
	}
	delete(w.picked, s.guess)
	w.probe.Retract()
	w.queue = w.queue[:len(w.queue)-s.children]
	s.guess = nil
	s.index++
}
