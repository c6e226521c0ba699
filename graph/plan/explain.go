package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// explain finds out how far the namespace gets where there is no plan, and what blocks it.
func (w *world) explain(r *search) (*solution, error) {
	if r.limited {
		s := w.partialSolution(w.to)
		s.exact, s.blockers = false, []Blocker{{Kind: TooHard, Minor: s.reached, Namespace: w.base.Name, Lifted: s.reached}}
		return s, w.runError()
	}
	reached, exact := w.to, true
	var blocked []*world
	for i := range w.initial {
		alone := w.isolate(i)
		one := alone.run(r.goal, planFields, w.from, alone.initial)
		if one.found != nil {
			continue
		}
		blocked = append(blocked, alone)
		amid := *alone
		amid.relaxed = len(w.initial) > 1
		m, limited := amid.farthestMinor()
		reached, exact = min(reached, m), exact && !one.limited && !limited
	}
	if len(blocked) == 0 { // it is the parts together
		whole := *w
		blocked = []*world{&whole}
	}
	s := w.partialSolution(reached)
	s.exact = exact && s.exact
	for _, alone := range blocked {
		s.blockers = append(s.blockers, alone.blockers(r.goal)...)
	}
	return s, w.runError()
}

// isolate returns the world with one of its parts.
func (w *world) isolate(i int) *world {
	alone := *w
	alone.initial = w.initial[i : i+1]
	alone.reset(w.lifted)
	return &alone
}

// farthestMinor returns the newest minor version that the world gets to, whatever its operators do.
func (w *world) farthestMinor() (m Minor, limited bool) {
	w.reset(w.lifted)
	r := w.run(goal{minor: w.to, reach: true}, planFields, w.from, w.initial)
	return r.reachedMinor(w.from), r.limited && r.found == nil
}

// reachedMinor returns the newest minor version of all nodes that were seen.
func (s *search) reachedMinor(from Minor) Minor {
	if s.found != nil {
		return s.found.minor
	}
	return max(s.farthest, from)
}

// partialSolution returns the steps as far as the namespace gets, to the best state there: see cost.
func (w *world) partialSolution(reached Minor) *solution {
	for m := reached; m >= w.from; m-- {
		w.spent = new(int)
		w.reset(w.lifted)
		g := goal{minor: m, best: true, any: w.any}
		r := w.run(g, bestFields, w.from, w.initial)
		if r.limited && len(w.initial) > 1 {
			if merged := w.mergeParts(g); merged != nil && (r.found == nil || merged.found.g.compare(r.found.g) < 0) {
				r = merged
			}
		}
		if r.found != nil {
			return w.solution(r)
		}
	}
	return &solution{steps: map[Minor][]Step{}, reached: w.from, exact: true}
}

// blockers returns the constraints without which the world gets further, each found by searching again without it. If no single one
// helps they are all returned, as Together.
func (w *world) blockers(g goal) []Blocker {
	w.reset(lift{})
	r := w.run(g, planFields, w.from, w.initial)
	before, _ := w.farthestMinor()
	var helping, others []Blocker
	for _, b := range r.obstacles {
		b.Lifted, b.Solved = w.liftBlocker(b, g)
		if b.Solved || b.Lifted > before {
			helping = append(helping, b)
		} else {
			others = append(others, b)
		}
	}
	if len(helping) == 0 {
		helping = others
		for i := range helping {
			helping[i].Together = true
		}
	}
	if helping = w.causes(helping); len(helping) == 1 {
		helping[0].Together = false // the others follow from it
	}
	return helping
}

// causes returns what blocks, with what nothing provides instead of what follows from that, each once.
func (w *world) causes(all []Blocker) []Blocker {
	for i := range all {
		freezes := all[i].freezes() // what nothing provides keeps only its own bundle from being chosen
		if w.explainLack(&all[i]); freezes {
			all[i].Frozen = w.otherPackages(&all[i])
		}
	}
	slices.SortStableFunc(all, func(a, b Blocker) int {
		return cmp.Or(cmp.Compare(a.Minor, b.Minor), strings.Compare(a.Package, b.Package), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Operator, b.Operator),
			strings.Compare(a.Limit, b.Limit))
	})
	return slices.CompactFunc(all, func(a, b Blocker) bool {
		return a.Minor == b.Minor && a.Kind == b.Kind && a.Limit == b.Limit && (a.Package == b.Package && a.Operator == b.Operator || a.alsoOf(b.Package))
	})
}

// freeze returns the namespace as it is frozen at a node of a path, nil if it is not, or the plan ends that before the next update of OpenShift.
func (w *world) freeze(path []*node, at int) *Freeze {
	n := path[at]
	if w.resolves(n.parts, n.minor) {
		return nil
	}
	f := &Freeze{Namespace: w.base.Name, Packages: w.packages}
	for _, later := range path[at+1:] {
		if w.resolves(later.parts, later.minor) {
			f.Until = later.minor
			break
		}
	}
	if f.Until == n.minor {
		return nil
	}
	for _, p := range n.parts {
		if w.hasCatalogs(n.minor, []*part{p}) && !w.resolvable(p, n.minor) {
			f.Because = append(f.Because, w.faults(p, w.next(p, n.minor).resolution, n.minor)...)
		}
	}
	f.Because = w.causes(f.Because)
	f.Waiting = w.waiting(n.parts, f.Because, n.minor)
	return f
}

// explainLack makes a blocker of what nothing provides, if a bundle that the subscription would get, in whatever channel, requires it.
func (w *world) explainLack(b *Blocker) {
	if b.part == nil {
		return
	}
	for i := range b.part.Subscriptions {
		sub := b.part.Subscriptions[i]
		if sub.Package != b.Package {
			continue
		}
		tried := []target{subscriptionTarget(&sub)}
		if b.Kind == MissingInCatalog {
			tried = w.targets(&sub, b.Minor)
		}
		for _, t := range tried {
			n := w.namespace(b.part, b.Minor)
			n.Subscriptions = slices.Clone(n.Subscriptions)
			n.Subscriptions[i].Channel, n.Subscriptions[i].Source = t.channel, t.source
			r, err := resolve.Resolve(w.ctx, n)
			if err != nil {
				w.content.err = err
				return
			}
			if lack := unmetRequirement(r, sub.Package); lack != nil {
				b.Kind, b.Package, b.Operator, b.Limit = unsatisfiable, lack.Subject.Package, lack.Subject.Name, lack.Requirement.String()
				b.Channel, b.Source = t.channel, t.source
				b.Also = w.alsoUnmet(n, lack)
				return
			}
		}
	}
}

// alsoUnmet returns the other bundles that require what nothing provides, each found by resolving without those before.
func (w *world) alsoUnmet(n resolve.Namespace, lack *resolve.Reason) (also []resolve.Operator) {
	left := map[string]bool{}
	for o := lack.Subject; !left[o.Package]; {
		left[o.Package] = true
		n, _, _ = n.Without(o.Package)
		r, err := resolve.Resolve(w.ctx, n)
		if err != nil {
			w.content.err = err
			return also
		}
		next := unmetRequirement(r, "")
		if next == nil || left[next.Subject.Package] || next.Requirement.String() != lack.Requirement.String() {
			return also
		}
		o, also = next.Subject, append(also, next.Subject)
	}
	return also
}

// waiting returns the bundles to which OLM would upgrade next without what blocks.
func (w *world) waiting(parts []*part, because []Blocker, m Minor) (all []string) {
	for _, p := range parts {
		n := w.namespace(p, m)
		for i := range because {
			n, _, _ = n.Without(because[i].Package)
			for _, o := range because[i].Also {
				n, _, _ = n.Without(o.Package)
			}
		}
		r, err := resolve.Resolve(w.ctx, n)
		if err != nil {
			w.content.err = err
			return all
		}
		for i := range r.Installs {
			if r.Installs[i].Replaces != "" {
				all = append(all, r.Installs[i].Name)
			}
		}
	}
	slices.Sort(all)
	return all
}

// unmetRequirement returns the requirement of a bundle that nothing provides, because of which OLM does not choose it: of a package, or else of another one.
func unmetRequirement(r *resolve.Resolution, pkg string) *resolve.Reason {
	all := slices.Clone(r.Conflict)
	for i := range r.Choices {
		for j := range r.Choices[i].Rejected {
			all = append(all, r.Choices[i].Rejected[j].Because...)
		}
	}
	unmet := func(c resolve.Reason) bool { return c.Kind == resolve.Requires && len(c.Operators) == 0 }
	return cmp.Or(find.Pointer(all, func(c resolve.Reason) bool { return unmet(c) && c.Subject.Package == pkg }), find.Pointer(all, unmet))
}

// liftBlocker returns how far the world gets if one constraint does not apply.
func (w *world) liftBlocker(b Blocker, g goal) (Minor, bool) {
	alone := *w
	switch b.Kind {
	case NoUpgrade:
		g.free = map[string]bool{b.Package: true}
	case InvalidGroups:
		alone.base.Groups = nil
		alone.states = newStates()
	case MissingInCatalog, unsatisfiable, Hanging:
		n := w.namespace(w.initial[0], w.from)
		if len(w.initial) > 1 || b.Package == "" {
			return w.from, false
		}
		rest, _, _ := n.Without(b.Package)
		alone.initial = []*part{w.states.newPart(rest, w.initial[0].stored)}
	}
	alone.reset(lift{kind: b.Kind, pkg: b.Package, some: true})
	if r := alone.run(g, planFields, w.from, alone.initial); r.found != nil {
		return w.to, true
	}
	m, _ := alone.farthestMinor()
	return m, false
}

// freezes reports whether a blocker freezes all of its namespace.
func (b *Blocker) freezes() bool {
	return b.Kind == MissingInCatalog || b.Kind == unsatisfiable || b.Kind == InvalidGroups
}

// alsoOf reports whether a bundle of a package requires the same.
func (b *Blocker) alsoOf(pkg string) bool {
	return slices.ContainsFunc(b.Also, func(o resolve.Operator) bool { return o.Package == pkg })
}

// otherPackages returns the packages of the namespace that only wait for a blocker.
func (w *world) otherPackages(than *Blocker) []string {
	return slices.DeleteFunc(slices.Clone(w.packages), func(name string) bool { return name == than.Package || than.alsoOf(name) })
}
