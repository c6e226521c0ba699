package resolve

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// constraint is a condition of the resolver that has to hold; for an explanation only while its literal on holds.
type constraint struct {
	kind        ReasonKind
	enabled     sat.Lit
	want        *wantedPackage
	subject     *option
	requirement *catalogs.Requirement
	pkg         string
	api         catalogs.API
	options     []*option
}

// system is the search space as clauses of a SAT problem.
type system struct {
	*space
	effort      *budgets
	constraints []*constraint // in the order in which an explanation leaves them out first
	solver      *sat.Solver   // all constraints, always switched on
	// explainer has them with literals to switch them off. It is slower, so it is created for the first explanation.
	explainer *sat.Solver
	switches  []sat.Lit
	bySwitch  map[sat.Lit]*constraint
}

func newSystem(s *space, e *budgets) *system {
	y := &system{space: s, effort: e, bySwitch: map[sat.Lit]*constraint{}}
	packages := y.packageConstraints()
	y.addOptionConstraints(Replacement)
	y.apiConstraints()
	y.constraints = append(y.constraints, packages...)
	y.addOptionConstraints(Prohibited)
	y.addOptionConstraints(Requires)
	y.addOptionConstraints(NotOwned)
	for i := range s.wants {
		w := &s.wants[i]
		y.constraints = append(y.constraints, &constraint{kind: Wanted, want: w, options: w.options})
	}
	y.solver = y.newSolver(e.decide)
	return y
}

// newSolver returns a solver with all constraints, without literals to switch them off.
func (y *system) newSolver(b *sat.Budget) *sat.Solver {
	solver := y.variables(b)
	for _, c := range y.constraints {
		c.addTo(solver)
	}
	return solver
}

// variables returns a solver with one literal for each option, the same in each solver.
func (y *system) variables(b *sat.Budget) *sat.Solver {
	solver := sat.New(b)
	for _, o := range y.options {
		o.lit = solver.NewVar()
	}
	return solver
}

// explainingSolver returns the solver whose constraints can be switched off.
func (y *system) explainingSolver() *sat.Solver {
	if y.explainer != nil {
		return y.explainer
	}
	y.explainer = y.variables(y.effort.explain)
	for _, c := range y.constraints {
		c.enabled = y.explainer.NewVar()
		y.switches = append(y.switches, c.enabled)
		y.bySwitch[c.enabled] = c
		c.addTo(y.explainer)
	}
	return y.explainer
}

// addOptionConstraints adds the constraints of a kind that single options have.
func (y *system) addOptionConstraints(kind ReasonKind) {
	for _, o := range y.options {
		switch {
		case kind == Replacement && len(o.replaces) > 0:
			y.constraints = append(y.constraints, &constraint{kind: kind, subject: o, options: o.replaces})
		case kind == Prohibited && o.bundle.facts.Deprecated, kind == NotOwned && o.source == nil && !o.hasSubscription:
			y.constraints = append(y.constraints, &constraint{kind: kind, subject: o})
		case kind == Requires:
			for _, n := range o.requirements {
				y.constraints = append(y.constraints,
					&constraint{kind: kind, subject: o, requirement: n.requirement, options: n.options})
			}
		}
	}
}

// packageConstraints allows one operator of each package (OLM: resolver addInvariants).
func (y *system) packageConstraints() []*constraint {
	of := map[string][]*option{}
	for _, o := range y.options {
		for _, p := range o.bundle.facts.Packages {
			of[p.Name] = append(of[p.Name], o)
		}
	}
	var all []*constraint
	for name, options := range of {
		if len(options) > 1 {
			all = append(all, &constraint{kind: OnlyPackage, pkg: name, options: options})
		}
	}
	slices.SortFunc(all, func(a, b *constraint) int { return cmp.Compare(a.pkg, b.pkg) })
	return all
}

// apiConstraints allows one provider of each API. A bundle that provides one twice is never installed: OLM counts it twice (OLM: resolver
// addInvariants). APIs that only bundles of one package provide are left out: those exclude each other already.
func (y *system) apiConstraints() {
	of := map[catalogs.API][]*option{}
	for _, o := range y.options {
		for _, api := range o.bundle.facts.Provides {
			of[api] = append(of[api], o)
		}
	}
	var all []*constraint
	for api, options := range of {
		if len(options) > 1 && !onePackage(options) {
			all = append(all, &constraint{kind: OnlyAPI, api: api, options: options})
		}
	}
	slices.SortFunc(all, func(a, b *constraint) int {
		return cmp.Or(cmp.Compare(a.api.Group, b.api.Group), cmp.Compare(a.api.Kind, b.api.Kind), cmp.Compare(a.api.Version, b.api.Version))
	})
	y.constraints = append(y.constraints, slices.CompactFunc(all, func(a, b *constraint) bool { return slices.Equal(a.options, b.options) })...)
}

// onePackage reports whether options that are in the order of the space, equal ones side by side, are different ones of the
// same package.
func onePackage(options []*option) bool {
	for i, o := range options {
		own := o.bundle.facts.Packages
		if i > 0 && options[i-1] == o || len(own) == 0 || own[0].Name != options[0].bundle.facts.Packages[0].Name {
			return false
		}
	}
	return true
}

// addTo adds a constraint to a solver as clauses, which can be switched off if the constraint has a literal for that.
func (c *constraint) addTo(solver *sat.Solver) {
	clause := func(lits ...sat.Lit) {
		if c.enabled != 0 {
			lits = append(lits, c.enabled.Not())
		}
		solver.AddClause(lits...)
	}
	switch c.kind {
	case Wanted:
		clause(lits(c.options)...)
	case Requires:
		clause(append(lits(c.options), c.subject.lit.Not())...)
	case NotOwned:
		clause(c.subject.lit)
	case Prohibited:
		clause(c.subject.lit.Not())
	case Replacement:
		for _, o := range c.options {
			clause(c.subject.lit.Not(), o.lit.Not())
		}
	case OnlyPackage, OnlyAPI:
		solver.AddAtMostOne(c.enabled, lits(c.options))
	}
}

func lits(options []*option) []sat.Lit {
	all := make([]sat.Lit, len(options), len(options)+2)
	for i, o := range options {
		all[i] = o.lit
	}
	return all
}

// holds reports whether a constraint holds where some options are chosen and all others are not.
func (c *constraint) holds(chosen map[*option]bool) bool {
	n := 0
	for _, o := range c.options {
		if chosen[o] {
			n++
		}
	}
	switch c.kind {
	case Wanted:
		return n > 0
	case Requires:
		return !chosen[c.subject] || n > 0
	case NotOwned:
		return chosen[c.subject]
	case Prohibited:
		return !chosen[c.subject]
	case Replacement:
		return !chosen[c.subject] || n == 0
	}
	return n <= 1
}
