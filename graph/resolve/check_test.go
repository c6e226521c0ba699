package resolve

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// check compares the resolution of a namespace with one by brute force: it tries every set of options.
func check(t testing.TB, n Namespace) {
	t.Helper()
	r := resolve(t, n)
	if again := resolve(t, n); !reflect.DeepEqual(strip(r), strip(again)) {
		t.Errorf("another answer the second time: %+v and %+v", r, again)
	}
	space, err := newSpace(t.Context(), &n)
	if err != nil {
		t.Fatal(err)
	}
	if len(space.faults) > 0 != (len(r.Faults) > 0) {
		t.Errorf("faults %v, and the space has %v", r.Faults, space.faults)
	}
	const few = 11
	if len(r.Faults) > 0 || len(space.options) > few {
		return
	}
	b := newBrute(t, space)
	if len(b.solutions) == 0 {
		if len(r.Conflict) == 0 {
			t.Fatal("there is no solution, and no conflict either")
		}
		b.checkMinimal(t, r.Conflict, nil)
		return
	}
	if len(r.Conflict) > 0 {
		t.Fatalf("a conflict, %s, but %v is a solution", reasons(r.Conflict), b.solutions[0])
	}
	b.checkChoices(t, r)
}

// strip drops what no two resolutions share: pointers into facts.
func strip(r *Resolution) string {
	return fmt.Sprint(installs(r), choices(r), reasons(r.Conflict), faults(r))
}

// brute has all solutions of a space, as sets of options, bit by bit.
type brute struct {
	*system
	index     map[*option]int
	solutions []uint
}

func newBrute(t testing.TB, s *space) *brute {
	b := &brute{system: newSystem(s, newBudgets(maxSteps)), index: map[*option]int{}}
	for i, o := range s.options {
		b.index[o] = i
	}
	for set := range uint(1) << len(s.options) {
		ok := b.evaluate(set)
		if ok != b.allHold(b.constraints, set) {
			t.Fatalf("the constraints do not say what the facts say of %b", set)
		}
		if ok {
			b.solutions = append(b.solutions, set)
		}
	}
	return b
}

func (b *brute) contains(set uint, o *option) bool { return set>>b.index[o]&1 == 1 }

func (b *brute) any(set uint, options []*option) bool {
	return slices.ContainsFunc(options, func(o *option) bool { return b.contains(set, o) })
}

// evaluate evaluates a reason on facts.
func (b *brute) evaluate(set uint) bool {
	apis, packages := map[catalogs.API]int{}, map[string]int{}
	for _, o := range b.options {
		if !b.contains(set, o) {
			if o.source == nil && !o.hasSubscription {
				return false
			}
			continue
		}
		for _, api := range o.bundle.facts.Provides {
			apis[api]++
		}
		for _, p := range o.bundle.facts.Packages {
			packages[p.Name]++
		}
		if o.bundle.facts.Deprecated || b.any(set, o.replaces) || !b.meetsAll(set, o) {
			return false
		}
	}
	for _, n := range apis {
		if n > 1 {
			return false
		}
	}
	for _, n := range packages {
		if n > 1 {
			return false
		}
	}
	return !slices.ContainsFunc(b.wants, func(w wantedPackage) bool { return !b.any(set, w.options) })
}

// meetsAll looks at all bundles that are there, not at the lists that were made.
func (b *brute) meetsAll(set uint, o *option) bool {
	for _, t := range o.bundle.requires {
		if !slices.ContainsFunc(b.options, func(p *option) bool {
			offered := p.source == nil || p.entry.channel.graph.Offers(p.entry.index)
			return b.contains(set, p) && t.meets(p.bundle) && offered
		}) {
			return false
		}
	}
	return true
}

// allHold evaluates constraints.
func (b *brute) allHold(constraints []*constraint, set uint) bool {
	return !slices.ContainsFunc(constraints, func(c *constraint) bool { return !b.constraintHolds(c, set) })
}

func (b *brute) constraintHolds(c *constraint, set uint) bool {
	switch c.kind {
	case Wanted:
		return b.any(set, c.options)
	case Requires:
		return !b.contains(set, c.subject) || b.any(set, c.options)
	case NotOwned:
		return b.contains(set, c.subject)
	case Prohibited:
		return !b.contains(set, c.subject)
	case Replacement:
		return !b.contains(set, c.subject) || !b.any(set, c.options)
	}
	n := 0
	for _, o := range c.options {
		if b.contains(set, o) {
			n++
		}
	}
	return n <= 1
}

// checkMinimal wants reasons to contradict each other, and a candidate if there is one, and to need each other for that.
func (b *brute) checkMinimal(t testing.TB, because []Reason, with *Operator) {
	t.Helper()
	for left := -1; left < len(because); left++ {
		possible := false
		for set := range uint(1) << len(b.options) {
			possible = possible || b.holdBut(set, because, left, with)
		}
		if possible != (left >= 0) {
			t.Errorf("%v: %s: without number %d it is possible: %v", with, reasons(because), left, possible)
		}
	}
}

// holdBut reports whether all reasons but one hold.
func (b *brute) holdBut(set uint, because []Reason, left int, with *Operator) bool {
	has := func(o Operator) bool {
		return slices.ContainsFunc(b.options, func(p *option) bool { return p.Operator == o && b.contains(set, p) })
	}
	if with != nil && !has(*with) {
		return false
	}
	for i, r := range because {
		if i == left {
			continue
		}
		if r.Kind == reasonKindChosen {
			if !has(r.Subject) {
				return false
			}
			continue
		}
		if !b.allHold(b.matchingConstraints(r), set) {
			return false
		}
	}
	return true
}

// matchingConstraints returns the constraint that a reason is.
func (b *brute) matchingConstraints(r Reason) []*constraint {
	var all []*constraint
	for _, c := range b.constraints {
		full := c.reason(map[*option]bool{})
		same := full.Kind == r.Kind && full.Subscription == r.Subscription && full.Subject == r.Subject && full.Requirement == r.Requirement &&
			full.Package == r.Package && full.API == r.API
		if same {
			all = append(all, c)
		}
	}
	return all
}

// checkChoices searches the solution as OLM does, without a solver that excludes candidates.
func (b *brute) checkChoices(t testing.TB, r *Resolution) {
	t.Helper()
	s := &search{system: b.system, chosen: map[*option]bool{}}
	s.begin()
	var fixed uint
	for o := range s.chosen {
		fixed |= 1 << b.index[o]
	}
	want, _ := b.first(s.queue, fixed)
	if !slices.Contains(b.solutions, want) {
		t.Fatalf("what OLM guesses, %b, is no solution of itself", want)
	}
	var wanted []Operator
	for i, o := range b.options {
		if want>>i&1 == 1 {
			wanted = append(wanted, o.Operator)
		}
	}
	if ok, err := s2(b).run(t.Context()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	got := s2(b)
	got.run(t.Context())
	var selected []Operator
	for _, o := range got.selectedOptions() {
		selected = append(selected, o.Operator)
	}
	if !slices.Equal(selected, wanted) {
		t.Errorf("selected %v, want %v", selected, wanted)
	}
	for _, c := range r.Choices {
		for _, rejected := range c.Rejected {
			if len(rejected.Because) > 0 && !(len(rejected.Because) == 1 && rejected.Because[0].Subject == c.Chosen) {
				b.checkMinimal(t, rejected.Because, &rejected.Operator)
			}
		}
	}
}

func s2(b *brute) *search { return &search{system: b.system, chosen: map[*option]bool{}} }

// first guesses in order until a set of guesses is part of a solution.
func (b *brute) first(queue []*decision, set uint) (uint, bool) {
	if len(queue) == 0 {
		return set, slices.ContainsFunc(b.solutions, func(solution uint) bool { return solution&set == set })
	}
	d := queue[0]
	if b.any(set, d.options) {
		return b.first(queue[1:], set)
	}
	for _, o := range d.options {
		next := slices.Clone(queue[1:])
		for i := range o.requirements {
			if n := &o.requirements[i]; len(n.options) > 0 {
				next = append(next, &decision{options: n.options})
			}
		}
		if found, ok := b.first(next, set|1<<b.index[o]); ok {
			return found, true
		}
	}
	return b.first(queue[1:], set) // OLM goes on without
}

// randomNamespace writes a namespace in the language.
func randomNamespace(r *rand.Rand) string {
	var text strings.Builder
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var installed []string
	packages := []string{"a", "b", "c", "d"}[:2+r.IntN(3)]
	for c := range 1 + r.IntN(2) {
		fmt.Fprintf(&text, "catalog cat%d priority %d in %s\n", c, r.IntN(2), pick("olm", "ns"))
		for _, p := range packages {
			if c > 0 && r.IntN(4) == 0 {
				continue
			}
			fmt.Fprintf(&text, "package %s default %s\n", p, pick("stable", "fast"))
			for _, channel := range []string{"stable", "fast"}[:1+r.IntN(2)] {
				fmt.Fprintf(&text, "channel %s\n", channel)
				for v := 1; v <= 1+r.IntN(3); v++ {
					text.WriteString(randomBundle(r, p, v, packages) + "\n")
				}
			}
		}
	}
	for _, p := range packages {
		switch r.IntN(4) {
		case 0:
			continue
		case 1:
			fmt.Fprintf(&text, "sub %s channel %s from cat0 starting %s\n", p, pick("stable", "stable", "any"), pick("''", "''", p+".v1"))
		default:
			name := fmt.Sprintf("%s.v%d", p, 1+r.IntN(2))
			fmt.Fprintf(&text, "sub %s channel %s from cat0 has %s\n", p, pick("stable", "stable", "stable", "stable", "fast", "any"), name)
			installed = append(installed, name)
		}
	}
	if r.IntN(3) == 0 {
		fmt.Fprintf(&text, "csv free.v1 provides %s %s\n", pick("X", "Y"), pick("", "requires Z", "needs b '>=2.0.0'"))
	}
	if len(installed) > 0 && r.IntN(4) == 0 {
		fmt.Fprintf(&text, "csv %s provides %s\n", installed[0], pick("X", "Y"))
	}
	return text.String()
}

func randomBundle(r *rand.Rand, pkg string, v int, packages []string) string {
	line := fmt.Sprintf("%s.v%d", pkg, v)
	if v > 1 {
		line += fmt.Sprintf(" replaces %s.v%d", pkg, v-1)
	}
	if v > 2 && r.IntN(3) == 0 {
		line += fmt.Sprintf(" skips %s.v%d", pkg, v-2+r.IntN(2))
	}
	if r.IntN(4) == 0 {
		line += fmt.Sprintf(" range '<%d.0.0'", v)
	}
	if r.IntN(2) == 0 {
		line += " provides " + string("XYZ"[r.IntN(3)])
	}
	switch r.IntN(6) {
	case 0:
		line += " requires " + string("XYZ"[r.IntN(3)])
	case 1, 2:
		line += fmt.Sprintf(" needs %s '%s%d.0.0'", packages[r.IntN(len(packages))], []string{"<", ">=", ""}[r.IntN(3)], 1+r.IntN(3))
	case 3:
		line += " asks blue"
	}
	if r.IntN(4) == 0 {
		line += " label blue"
	}
	if r.IntN(15) == 0 {
		line += " deprecated"
	}
	return line
}

// TestRandom checks small namespaces made by chance.
func TestRandom(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(catalogtest.Rounds(1500)) {
		text := randomNamespace(rand.New(rand.NewPCG(seed, 1)))
		n := parseNamespace(t, text)
		check(t, n)
		switch r := resolve(t, n); {
		case len(r.Faults) > 0:
			count["faults"]++
		case len(r.Conflict) > 0:
			count["conflict"]++
		case len(r.Installs) > 0:
			count["installs"]++
		default:
			count["stays"]++
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
		if _, err := runToFixedPoint(t.Context(), n, 10); err != nil {
			t.Fatal(err)
		}
	}
	t.Log(count)
}
