package resolve

import (
	"context"
	"errors"
	"slices"

	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// maxExplained is how many rejected candidates of a choice are explained: the best ones. Each costs some calls of the solver.
const maxExplained = 4

// conflict returns a minimal set of constraints that cannot hold together.
func (y *system) conflict(ctx context.Context) ([]Reason, error) {
	explainer := y.explainingSolver()
	core, err := explainer.MinimalCore(ctx, y.switches)
	if errors.Is(err, sat.ErrLimit) {
		return []Reason{{Kind: Unexplained}}, nil
	}
	if err != nil {
		return nil, err
	}
	return y.reasons(core, nil), nil
}

// choices returns the result of every decision, and why it was not a better one.
func (s *search) choices(ctx context.Context) ([]Choice, error) {
	all := make([]Choice, 0, len(s.made))
	for _, d := range s.made {
		c, err := s.choice(ctx, d)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (s *search) choice(ctx context.Context, d *decision) (c Choice, err error) {
	c.Chosen = d.chosen.Operator
	if d.want != nil {
		c.Subscription = d.want.Name
	} else {
		c.Subject, c.Requirement = d.subject.Operator, d.need.requirement
	}
	if d.want == nil && !d.tried {
		return c, nil // it was met already: no better candidate was tried
	}
	for i, o := range d.options[:slices.Index(d.options, d.chosen)] {
		r := Rejection{Operator: o.Operator}
		if i < maxExplained {
			if r.Because, err = s.findReasons(ctx, d, o); err != nil {
				return c, err
			}
		}
		c.Rejected = append(c.Rejected, r)
	}
	return c, nil
}

// forcedBefore returns the guesses that come before a decision in any order of subscriptions.
func (s *search) forcedBefore(d *decision) []guess {
	return slices.DeleteFunc(slices.Clone(s.guesses[:d.before]), func(g guess) bool { return g.by.level == d.level && g.by.root != d.root })
}

// findReasons returns what an option contradicts: if possible constraints alone, else guesses that come before in any order, else
// guesses that came before in this order.
func (s *search) findReasons(ctx context.Context, d *decision, o *option) ([]Reason, error) {
	explainer := s.explainingSolver()
	for _, guesses := range [][]guess{nil, s.forcedBefore(d), s.guesses[:d.before]} {
		core, err := explainer.MinimalCore(ctx, slices.Concat(assumptions(guesses, nil), s.switches, []sat.Lit{o.lit}))
		if errors.Is(err, sat.ErrLimit) {
			return []Reason{{Kind: Unexplained}}, nil
		}
		if err != nil {
			return nil, err
		}
		if core != nil {
			return s.reasons(core, o), nil
		}
	}
	// It was possible but not tried: the subscription got what another one had chosen.
	return []Reason{{Kind: reasonKindChosen, Subject: d.chosen.Operator}}, nil
}

// reasons converts a core to reasons: constraints in the order in which they follow from each other, which is the reverse of
// that of the system; then guesses. about is the option that the reasons are about, which is no reason.
func (y *system) reasons(core []sat.Lit, about *option) []Reason {
	involved := y.involvedOptions(core, about)
	var all []Reason
	for i := len(y.constraints) - 1; i >= 0; i-- {
		if c := y.constraints[i]; slices.Contains(core, c.enabled) {
			all = append(all, c.reason(involved))
		}
	}
	for _, o := range y.options {
		if o != about && slices.Contains(core, o.lit) {
			all = append(all, Reason{Kind: reasonKindChosen, Subject: o.Operator})
		}
	}
	return all
}

// involvedOptions returns the options that the reasons of a core mention, except those of constraints that only exclude options.
func (y *system) involvedOptions(core []sat.Lit, about *option) map[*option]bool {
	involved := map[*option]bool{about: true}
	for _, o := range y.options {
		if slices.Contains(core, o.lit) {
			involved[o] = true
		}
	}
	for _, on := range core {
		c := y.bySwitch[on]
		if c == nil || c.kind == OnlyPackage || c.kind == OnlyAPI {
			continue
		}
		involved[c.subject] = true
		for _, o := range c.options {
			involved[o] = true
		}
	}
	return involved
}

// reason converts a constraint; of options that exclude each other it keeps those that other reasons mention.
func (c *constraint) reason(involved map[*option]bool) Reason {
	r := Reason{Kind: c.kind, Requirement: c.requirement, Package: c.pkg, API: c.api}
	if c.want != nil {
		r.Subscription = c.want.Name
	}
	if c.subject != nil {
		r.Subject = c.subject.Operator
	}
	for _, o := range c.options {
		if involved[o] || c.kind != OnlyPackage && c.kind != OnlyAPI {
			r.Operators = append(r.Operators, o.Operator)
		}
	}
	return r
}
