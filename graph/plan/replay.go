package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// replay takes the steps of a plan one after the other and asks the resolver each time, for whole namespaces, what OLM does. It returns
// the first contradiction, nil if there is none. It knows nothing of how the plan was found. An error is the context's, or of a source
// that has changed.
func replay(ctx context.Context, c *content, cluster Cluster, p *Plan) (contradiction, err error) {
	r := &replayer{ctx: ctx, content: c, minor: cluster.Minor}
	for _, n := range cluster.Namespaces {
		n, err := n.FinishPending()
		if err != nil {
			return nil, err
		}
		if len(n.WaitingOperators()) > 0 {
			continue
		}
		r.namespaces = append(r.namespaces, &replayed{Namespace: n, base: n.Sources})
	}
	if !p.IsPossible() { // what blocks may happen at once
		r.namespaces = slices.DeleteFunc(r.namespaces, func(n *replayed) bool {
			first := *n
			return r.settle(&first) != nil
		})
	}
	fault := r.each((*replayer).settle)
	for i := range p.Steps {
		if fault == nil {
			if fault = r.step(&p.Steps[i]); fault != nil {
				fault = fmt.Errorf("step %d: %w", i+1, fault)
			}
		}
	}
	if fault == nil && p.IsPossible() { // otherwise what happens next may be what blocks
		fault = r.each((*replayer).checkQuiet)
	}
	if r.err != nil {
		return nil, r.err
	}
	return fault, ctx.Err()
}

// replayer is the cluster while a plan is replayed.
type replayer struct {
	ctx        context.Context
	content    *content
	minor      Minor
	namespaces []*replayed
	err        error
}

// replayed is a namespace, and what has happened there that no step before had.
type replayed struct {
	resolve.Namespace
	base     []resolve.Source
	happened []string
}

func (r *replayer) each(do func(*replayer, *replayed) error) error {
	for _, n := range r.namespaces {
		if err := do(r, n); err != nil {
			return fmt.Errorf("namespace %q: %w", n.Name, err)
		}
	}
	return nil
}

// step takes one step.
func (r *replayer) step(s *Step) error {
	switch s.Kind {
	case UpgradeOpenShift:
		if err := r.each((*replayer).checkQuiet); err != nil {
			return err
		}
		if err := r.each(func(r *replayer, n *replayed) error { return n.allows(s.Minor) }); err != nil {
			return err
		}
		r.minor = s.Minor
		return r.each((*replayer).settle)
	case UpgradeOperators, SwitchChannel, SwitchSource:
		n := find.Value(r.namespaces, func(n *replayed) bool { return n.Name == s.Namespace })
		if n == nil {
			return fmt.Errorf("%w: no namespace %q", errStep, s.Namespace)
		}
		return r.inNamespace(n, s)
	}
	return nil
}

func (r *replayer) inNamespace(n *replayed, s *Step) error {
	if s.Kind == UpgradeOperators && !s.Approve {
		var planned []string
		for i := range s.Upgrades {
			planned = append(planned, s.Upgrades[i].From.Name+" to "+s.Upgrades[i].To.Name)
		}
		slices.Sort(planned)
		slices.Sort(n.happened)
		if !slices.Equal(planned, n.happened) {
			return fmt.Errorf("%w: %q happens instead of %q", errStep, n.happened, planned)
		}
		n.happened = nil
		return nil
	}
	if err := r.checkQuiet(n); err != nil {
		return err
	}
	if s.Approve {
		return r.approve(n, s)
	}
	n.Subscriptions = slices.Clone(n.Subscriptions)
	sub := find.Pointer(n.Subscriptions, func(sub resolve.Subscription) bool { return sub.Name == s.Subscription })
	if sub == nil {
		return fmt.Errorf("%w: no subscription %q", errStep, s.Subscription)
	}
	if s.Kind == SwitchChannel {
		sub.Channel = s.To
	} else {
		namespace, name, _ := strings.Cut(s.To, "/")
		sub.Source = resolve.SourceKey{Name: name, Namespace: namespace}
		if s.Channel != "" {
			sub.Channel = s.Channel
		}
	}
	return r.settle(n)
}

// checkQuiet reports what has happened and is not planned.
func (r *replayer) checkQuiet(n *replayed) error {
	if len(n.happened) > 0 {
		return fmt.Errorf("%w: %q happens", errStep, n.happened)
	}
	return nil
}

// allows checks olm.maxOpenShiftVersion.
func (n *replayed) allows(to Minor) error {
	for i := range n.Installed {
		if m, ok := maxOpenShift(&n.Installed[i]); ok && !m.allows(to) {
			return fmt.Errorf("%w: %s does not allow %s", errStep, m.operator, to)
		}
	}
	return nil
}

// setCatalogs sets the catalogs of the minor version, and reports whether all that are used are known.
func (r *replayer) setCatalogs(n *replayed) bool {
	n.Sources, n.Kubernetes = r.content.minorSources(n.base, r.minor), r.minor.kubernetesVersion()
	return !r.content.lacksCatalog(r.minor, n.Subscriptions)
}

var errEndless = errors.New("the upgrades are endless")

// settle does what OLM does without anybody.
func (r *replayer) settle(n *replayed) error {
	for range maxSteps {
		if !r.setCatalogs(n) {
			return nil
		}
		next, err := resolve.Next(r.ctx, n.Namespace)
		switch {
		case err != nil:
			r.err = err
			return err
		case !next.Resolvable() || len(next.Installs) == 0 || len(next.Plan.Approve) > 0:
			return nil
		case next.Plan.NeedsApproval():
			n.Namespace = n.WithPlan(next, planName(next))
			return nil
		}
		if err := n.install(next); err != nil {
			return err
		}
	}
	return errEndless
}

func (n *replayed) install(r *resolve.Resolution) error {
	for i := range r.Installs {
		in := &r.Installs[i]
		if in.Wait != nil {
			return fmt.Errorf("%w: %s does not run", errStep, in.Name)
		}
		n.happened = append(n.happened, in.Replaces+" to "+in.Name)
	}
	n.Namespace = n.After(r)
	return nil
}

func (r *replayer) approve(n *replayed, s *Step) error {
	if !r.setCatalogs(n) {
		return fmt.Errorf("%w: no catalog of %s is known", errStep, r.minor)
	}
	next, err := resolve.Next(r.ctx, n.Namespace)
	if err == nil && next.Resolvable() { // what waits can be approved even if OLM would not plan it again
		next, err = n.RunApproved()
	}
	if err != nil {
		r.err = err
		return err
	}
	if !next.Resolvable() || next.Plan == nil || len(next.Plan.Approve) == 0 {
		return fmt.Errorf("%w: nothing waits for approval in namespace %q", errStep, s.Namespace)
	}
	if err := n.install(next); err != nil {
		return err
	}
	approved := *s
	approved.Approve = false
	if err := r.inNamespace(n, &approved); err != nil {
		return err
	}
	return r.settle(n)
}
