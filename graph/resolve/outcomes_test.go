package resolve

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// chooser is OLM's search written down once more, with nothing of the solver: what follows from single constraints is found by
// going through them, and whether there is a solution by looking at all.
type chooser struct {
	*brute
	choices []openChoice // the front comes first
	guesses []madeGuess
}

type openChoice struct {
	next    int
	options []*option
}

type madeGuess struct {
	openChoice
	option *option
	opened int
}

func (c *chooser) picked() uint {
	var set uint
	for _, o := range c.installed {
		if !o.hasSubscription {
			set |= 1 << c.index[o]
		}
	}
	for _, g := range c.guesses {
		if g.option != nil {
			set |= 1 << c.index[g.option]
		}
	}
	return set
}

// push makes the first choice, and reports whether it may work out.
func (c *chooser) push() bool {
	first := c.choices[0]
	c.choices = c.choices[1:]
	g := madeGuess{openChoice: first}
	if !c.any(c.picked(), first.options) && first.next < len(first.options) {
		g.option = first.options[first.next]
		for _, n := range g.option.requirements {
			if len(n.options) > 0 {
				g.opened++
				c.choices = append(c.choices, openChoice{options: n.options})
			}
		}
	}
	c.guesses = append(c.guesses, g)
	return g.option == nil || c.consistent(c.picked())
}

func (c *chooser) pop() {
	g := c.guesses[len(c.guesses)-1]
	c.guesses = c.guesses[:len(c.guesses)-1]
	c.choices = c.choices[:len(c.choices)-g.opened]
	if g.option != nil {
		g.next++
	}
	c.choices = append([]openChoice{g.openChoice}, c.choices...)
}

func (c *chooser) solvable(set uint) bool {
	return slices.ContainsFunc(c.solutions, func(solution uint) bool { return solution&set == set })
}

// run goes on until all choices are made, and there is a solution.
func (c *chooser) run() {
	for {
		switch {
		case len(c.choices) > 0:
			if !c.push() {
				c.pop()
			}
		case c.solvable(c.picked()):
			return
		default:
			for !c.solvable(c.picked()) {
				c.pop()
			}
		}
	}
}

// consistent draws conclusions, one constraint at a time, until one contradicts them or nothing follows any more.
func (c *chooser) consistent(in uint) bool {
	var out uint
	for {
		moreIn, moreOut := in, out
		for _, k := range c.constraints {
			c.conclude(k, &moreIn, &moreOut)
		}
		switch {
		case moreIn&moreOut != 0:
			return false
		case moreIn == in && moreOut == out:
			return true
		}
		in, out = moreIn, moreOut
	}
}

func (c *chooser) conclude(k *constraint, in, out *uint) {
	bit := func(o *option) uint { return 1 << c.index[o] }
	switch k.kind {
	case NotOwned:
		*in |= bit(k.subject)
	case Prohibited:
		*out |= bit(k.subject)
	case Replacement:
		for _, o := range k.options {
			if *in&bit(k.subject) != 0 {
				*out |= bit(o)
			}
			if *in&bit(o) != 0 {
				*out |= bit(k.subject)
			}
		}
	case OnlyPackage, OnlyAPI:
		for i, a := range k.options {
			for j, b := range k.options {
				if i != j && *in&bit(a) != 0 {
					*out |= bit(b)
				}
			}
		}
	case Wanted, Requires:
		c.concludeChoice(k, in, out)
	}
}

// concludeChoice concludes from a constraint that wants one of its options.
func (c *chooser) concludeChoice(k *constraint, in, out *uint) {
	bit := func(o *option) uint { return 1 << c.index[o] }
	left := slices.DeleteFunc(slices.Clone(k.options), func(o *option) bool { return *out&bit(o) != 0 })
	needed := k.subject == nil || *in&bit(k.subject) != 0
	switch {
	case needed && len(left) == 0:
		*in, *out = 1, 1
	case needed && len(slices.Compact(left)) == 1:
		*in |= bit(left[0])
	case len(left) == 0:
		*out |= bit(k.subject)
	}
}

// completions adds the solutions of the solver for what the search has left open.
func (c *chooser) completions(set uint, choices [][]*option, all map[uint]bool) {
	at := slices.IndexFunc(choices, func(options []*option) bool { return !c.any(set, options) })
	if at < 0 {
		all[set] = true
		return
	}
	for _, o := range choices[at] {
		if next := set | 1<<c.index[o]; c.solvable(next) {
			more := slices.Clone(choices)
			for _, n := range o.requirements {
				if len(n.options) > 0 {
					more = append(more, n.options)
				}
			}
			c.completions(next, more, all)
		}
	}
}

// everyOutcome tries all orders of anchors, and of the channels of each bundle's name where a subscription names no channel. It
// reports whether the solver had to decide something.
func (b *brute) everyOutcome() (all map[uint]bool, open bool) {
	all = map[uint]bool{}
	var try func(left []root, choices []openChoice)
	try = func(left []root, choices []openChoice) {
		if len(left) == 0 {
			c := &chooser{brute: b, choices: slices.Clone(choices)}
			c.run()
			var options [][]*option
			for _, g := range c.guesses {
				open = open || !c.any(c.picked(), g.options)
				options = append(options, g.options)
			}
			c.completions(c.picked(), options, all)
			return
		}
		for i, a := range left {
			rest := slices.Delete(slices.Clone(left), i, i+1)
			if a.want != nil {
				for _, options := range mixed(a.want) {
					try(rest, append(slices.Clip(choices), openChoice{options: options}))
				}
				continue
			}
			more := slices.Clip(choices)
			for _, n := range a.unowned.requirements {
				if len(n.options) > 0 {
					more = append(more, openChoice{options: n.options})
				}
			}
			try(rest, more)
		}
	}
	try(b.roots(), nil)
	return all, open
}

// mixed returns the candidates in every order that OLM may have them in: here there are two channels at most.
func mixed(w *wantedPackage) [][]*option {
	all := [][]*option{w.options}
	if w.Channel != "" {
		return all
	}
	for i := 1; i < len(w.options); i++ {
		if w.options[i].source == nil || w.options[i].Name != w.options[i-1].Name {
			continue
		}
		for _, options := range slices.Clone(all) {
			options = slices.Clone(options)
			options[i-1], options[i] = options[i], options[i-1]
			all = append(all, options)
		}
	}
	return all
}

// TestOutcomes compares small random namespaces with the outcomes of every order: if the result is certain, it is the only one.
func TestOutcomes(t *testing.T) {
	compared, varying := 0, 0
	for seed := range uint64(1200) {
		switch outcomes := compareOutcomes(t, randomNamespace(rand.New(rand.NewPCG(seed, 9)))); {
		case outcomes > 1:
			varying++
			fallthrough
		case outcomes > 0:
			compared++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if varying < 20 {
		t.Errorf("only %d of %d namespaces vary", varying, compared)
	}
}

// TestBacktracking has an upgrade of a that only all combinations of x and y together contradict. OLM detects that at the end and
// undoes the guesses since: so b is not upgraded either, or to an older bundle, if OLM processes it after a.
func TestBacktracking(t *testing.T) {
	const knot = `catalog main
package a
a.v1
a.v2 replaces a.v1 needs x '>0.0.0' needs y '>0.0.0'
package x
x.v1 needs y '2.0.0'
x.v2 replaces x.v1 needs y '1.0.0'
package y
y.v1 needs x '1.0.0'
y.v2 replaces y.v1 needs x '2.0.0'
package b
b.v1
b.v2 replaces b.v1
`
	for text, want := range map[string]int{
		"sub a\nsub b\n":                   2,
		"sub a has a.v1\nsub b has b.v1\n": 2,
		"sub a starting a.v1\nsub b\n":     1,
		"sub a has a.v1\nsub b has b.v2\n": 1,
		"sub a\n":                          1,
		"sub b\npackage c\nc.v1\nsub c\n":  1,
		"sub a\nsub b\npackage c\nc.v1\nc.v2 replaces c.v1 needs b '2.0.0'\nsub c\n": 3,
	} {
		if got := compareOutcomes(t, knot+text); got != want {
			t.Errorf("%d outcomes, want %d, of\n%s", got, want, text)
		}
	}
}

// compareOutcomes checks that a certain result is the only one, and returns how many outcomes there are; 0 where there are none, or too many options.
func compareOutcomes(t *testing.T, text string) int {
	t.Helper()
	n := parseNamespace(t, text)
	space, err := newSpace(t.Context(), &n)
	if err != nil {
		t.Fatal(err)
	}
	if len(space.faults) > 0 || len(space.options) > 11 {
		return 0
	}
	b := newBrute(t, space)
	if len(b.solutions) == 0 {
		return 0
	}
	s := &search{system: b.system}
	if ok, err := s.run(t.Context()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	want, open := b.everyOutcome()
	if certain := !s.uncertain(); certain && (len(want) != 1 || open || !want[b.set(s.chosen)]) {
		t.Errorf("%v is certain, but there are %v, open %v, of\n%s", b.set(s.chosen), want, open, text)
	}
	return len(want)
}

func (b *brute) set(chosen map[*option]bool) uint {
	var set uint
	for o := range chosen {
		if chosen[o] {
			set |= 1 << b.index[o]
		}
	}
	return set
}

// root is what has to be in the solution: a subscription, or an operator without a subscription.
type root struct {
	want    *wantedPackage
	unowned *option
}

func (y *system) roots() []root {
	var all []root
	for i := range y.wants {
		all = append(all, root{want: &y.wants[i]})
	}
	for _, o := range y.installed {
		if !o.hasSubscription {
			all = append(all, root{unowned: o})
		}
	}
	return all
}
