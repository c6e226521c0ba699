package plan

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// solution is the answer for one namespace.
type solution struct {
	steps    map[Minor][]Step
	cost     cost
	reached  Minor
	blockers []Blocker
	warnings []Warning
	freezes  map[Minor]*Freeze // from the update to a minor version on, or from the beginning
	exact    bool
}

// Find returns the cheapest plan, or how far the cluster gets and what blocks it. Namespaces only have the version of OpenShift in
// common, so each has a plan of its own. An error is the context's, or of a source that has changed since it was read.
func Find(ctx context.Context, cluster Cluster, all []Catalog, r Request) (*Plan, error) {
	p := &Plan{From: cluster.Minor, To: r.To, Reached: r.To, EUS: r.EUS, Exact: true}
	c := newContent(all, &cluster)
	namespaces := slices.Clone(cluster.Namespaces)
	slices.SortFunc(namespaces, func(a, b resolve.Namespace) int { return strings.Compare(a.Name, b.Name) })
	var solutions []*solution
	for _, n := range namespaces {
		s, err := solveNamespace(ctx, c, n, cluster, r, (*world).solve)
		if err != nil {
			return nil, err
		}
		solutions = append(solutions, s)
		p.Reached = min(p.Reached, s.reached)
		p.Blockers = append(p.Blockers, s.blockers...)
	}
	for i, s := range solutions {
		if s.reached > p.Reached { // what it would do later is not possible
			upTo := r
			upTo.To = p.Reached
			best, err := solveNamespace(ctx, c, namespaces[i], cluster, upTo, (*world).solveBest)
			if err != nil {
				return nil, err
			}
			s, solutions[i] = best, best
		}
		p.Exact = p.Exact && s.exact
		p.Cost.add(s.cost.export())
		p.Warnings = append(p.Warnings, s.warnings...)
	}
	slices.SortStableFunc(p.Warnings, func(a, b Warning) int { return cmp.Compare(a.Minor, b.Minor) })
	p.merge(c, solutions, cluster)
	p.Frozen = freezesAt(solutions, p.From)
	p.markDeprecated(c)
	slices.SortStableFunc(p.Blockers, func(a, b Blocker) int { return find.CompareFirst(a.OfOpenShift(), b.OfOpenShift()) })
	p.markKeeping()
	if !p.IsPossible() {
		p.Cost = p.costOfSteps()
	}
	for i := range namespaces {
		n := &namespaces[i]
		if slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Namespace == n.Name && len(s.Upgrades) > 0 }) {
			p.Limited = append(p.Limited, n.Limited()...)
		}
	}
	for m := p.From; m <= p.To; m++ {
		if slices.ContainsFunc(namespaces, func(n resolve.Namespace) bool { return c.lacksCatalog(m, n.Subscriptions) }) {
			p.Unknown = append(p.Unknown, m)
		}
	}
	return p, nil
}

func (c *Cost) add(d Cost) {
	c.Switches += d.Switches
	c.Approvals += d.Approvals
	c.Upgrades += d.Upgrades
	c.Unsupported += d.Unsupported
}

// costOfSteps returns the cost of a plan that does not get to its end.
func (p *Plan) costOfSteps() Cost {
	var c Cost
	for i := range p.Steps {
		s := &p.Steps[i]
		c.Upgrades += len(s.Upgrades)
		switch {
		case s.Approve:
			c.Approvals++
		case s.Kind == SwitchSource && s.Channel != "":
			c.Switches += 2
		case s.Kind == SwitchSource || s.Kind == SwitchChannel:
			c.Switches++
		}
	}
	return c
}

// solveNamespace finds the plan of a namespace: with its parts on their own first, and with everything together if the plan that
// comes from that is none.
func solveNamespace(ctx context.Context, c *content, n resolve.Namespace, cluster Cluster, r Request, solve func(*world) (*solution, error)) (*solution, error) {
	var s *solution
	for _, whole := range []bool{false, true} {
		w, err := newWorld(ctx, c, n, cluster.Stored, r, cluster.Minor, whole)
		if err != nil {
			return nil, err
		}
		if s, err = solve(w); err != nil {
			return nil, err
		}
		if len(w.initial) < 2 {
			return s, nil
		}
		one := &Plan{From: cluster.Minor, To: r.To, Reached: s.reached, EUS: r.EUS}
		alone := cluster
		alone.Namespaces = []resolve.Namespace{n}
		one.merge(c, []*solution{s}, alone)
		if fault, err := replay(ctx, c, alone, one); err != nil || fault == nil {
			return s, err
		}
	}
	return s, nil
}

// solve finds the plan of a namespace.
func (w *world) solve() (*solution, error) {
	if len(w.hanging) > 0 {
		return w.hangs(), nil
	}
	g := goal{minor: w.to, any: w.any}
	r := w.run(g, planFields, w.from, w.initial)
	if err := w.runError(); err != nil {
		return nil, err
	}
	if r.found == nil && r.limited && len(w.initial) > 1 {
		if merged := w.mergeParts(g); merged != nil {
			merged.limited = merged.found.g.withoutTiming().compare(r.floor.withoutTiming()) > 0
			r = merged
		}
	}
	if r.found != nil {
		return w.solution(r), w.runError()
	}
	return w.explain(r)
}

// solveBest finds the best state at the last version.
func (w *world) solveBest() (*solution, error) {
	if len(w.hanging) > 0 {
		return w.hangs(), nil
	}
	return w.partialSolution(w.to), w.runError()
}

func (w *world) runError() error {
	return cmp.Or(w.content.err, w.ctx.Err())
}

// hangs is the answer where an operator does not run to begin with.
func (w *world) hangs() *solution {
	s := &solution{steps: map[Minor][]Step{}, reached: w.from, exact: true}
	for i := range w.hanging {
		b := w.waitBlocker(&w.hanging[i], w.installedPackage(w.hanging[i].Name), w.from)
		b.Lifted = w.from
		s.blockers = append(s.blockers, b)
	}
	return s
}

// installedPackage returns the package of an installed operator of the namespace.
func (w *world) installedPackage(name string) string {
	for _, p := range w.initial {
		for i := range p.Subscriptions {
			if sub := &p.Subscriptions[i]; sub.InstalledCSV == name || sub.CurrentCSV == name {
				return sub.Package
			}
		}
		for i := range p.Installed {
			if p.Installed[i].Name == name {
				return operatorPackage(&p.Installed[i])
			}
		}
	}
	return ""
}

// solution returns the steps of a search that has found an end.
func (w *world) solution(r *search) *solution {
	s := &solution{steps: map[Minor][]Step{}, freezes: map[Minor]*Freeze{}, reached: r.found.minor, exact: !r.limited, cost: r.found.g}
	path, versions := pathTo(r.found), map[string]string{}
	for _, p := range w.initial {
		for i := range p.Installed {
			versions[p.Installed[i].Name] = p.Installed[i].Version.String()
		}
	}
	frozen := false
	for i, n := range path {
		if !frozen && (i == 0 || n.move.kind == advances) {
			if f := w.freeze(path, i); f != nil {
				s.freezes[n.minor] = f
			}
		}
		if w.hasCatalogs(n.minor, n.parts) { // otherwise it is as it was, as far as that is known
			frozen = !w.resolves(n.parts, n.minor)
		}
		if n.move.kind == ends || i+1 < len(path) && path[i+1].move.kind == advances {
			s.warnings = append(s.warnings, w.warnings(n.minor, n.parts)...)
		}
		s.steps[n.minor] = append(s.steps[n.minor], w.nodeSteps(n, versions)...)
	}
	return s
}

// nodeSteps returns what is done to get to a node, without the update of OpenShift. versions are those of all operators so far, by name.
func (w *world) nodeSteps(n *node, versions map[string]string) []Step {
	var all []Step
	mv := &n.move
	switch mv.kind {
	case switchesTo:
		step := Step{Kind: SwitchChannel, Minor: n.minor, Namespace: w.base.Name, Subscription: mv.before.Name, Package: mv.before.Package,
			From: mv.before.Channel, To: mv.channel}
		if mv.source != mv.before.Source {
			step.Kind, step.From, step.To = SwitchSource, mv.before.Source.String(), mv.source.String()
			if mv.channel != mv.before.Channel {
				step.Channel = mv.channel
			}
		}
		all = append(all, step)
	case approves:
		step := Step{Kind: UpgradeOperators, Minor: n.minor, Namespace: w.base.Name, Approve: true, InstallPlans: mv.approved.plans}
		if len(step.InstallPlans) == 0 && n.minor == w.from {
			step.Waiting = w.unapproved
		}
		step.add(mv.approved, versions)
		all = append(all, step)
	}
	if len(mv.events) > 0 {
		step := Step{Kind: UpgradeOperators, Minor: n.minor, Namespace: w.base.Name}
		for i := range mv.events {
			step.add(&mv.events[i], versions)
		}
		all = append(all, step)
	}
	return all
}

// add adds what is installed together.
func (s *Step) add(e *event, versions map[string]string) {
	var all []Upgrade
	for _, r := range e.done {
		for i := range r.Installs {
			in := &r.Installs[i]
			all = append(all, NewUpgrade(in, versions[in.Replaces]))
			versions[in.Name] = in.Version
		}
	}
	slices.SortStableFunc(all, func(a, b Upgrade) int { return strings.Compare(a.To.Name, b.To.Name) })
	s.Upgrades = append(s.Upgrades, all...)
}

// NewUpgrade returns what is installed instead of a version.
func NewUpgrade(in *resolve.Install, version string) Upgrade {
	return Upgrade{Package: in.Package, Channel: in.Channel, Source: in.Source, From: graph.InstalledBundle{Name: in.Replaces, Version: version},
		To: graph.InstalledBundle{Name: in.Name, Version: in.Version}, Subscriptions: in.Subscriptions, Dependency: in.Generated != nil || len(in.Subscriptions) == 0}
}

// merge puts the steps of namespaces and of the cluster in order.
func (p *Plan) merge(c *content, all []*solution, cluster Cluster) {
	workers := cmp.Or(cluster.Workers, cluster.Minor)
	paused := workers < cluster.Minor
	for m := p.From; m <= p.Reached; m++ {
		if m > p.From {
			if p.EUS && !paused && p.Reached > m {
				p.Steps = append(p.Steps, Step{Kind: PauseWorkers, Minor: m - 1})
				paused = true
			}
			p.Steps = append(p.Steps, Step{Kind: UpgradeOpenShift, Minor: m, From: (m - 1).String(), To: m.String(), Freezes: freezesAt(all, m)})
			if changed := c.changingSources(m); len(changed) > 0 {
				p.Steps = append(p.Steps, Step{Kind: ChangeCatalogs, Minor: m, Catalogs: changed})
			}
		}
		for _, s := range all {
			p.Steps = append(p.Steps, s.steps[m]...)
		}
		if workers < m && (!p.EUS || m.isEven() || m == p.Reached) {
			p.Steps = append(p.Steps, Step{Kind: UpgradeWorkers, Minor: m, From: workers.String(), To: m.String(), Paused: paused})
			workers, paused = m, false
		}
	}
}

// freezesAt returns the namespaces that are frozen from the update to a minor version on.
func freezesAt(all []*solution, m Minor) (frozen []Freeze) {
	for _, s := range all {
		if f := s.freezes[m]; f != nil {
			frozen = append(frozen, *f)
		}
	}
	return frozen
}

// markDeprecated sets the channels and deprecations of what operators are upgraded to.
func (p *Plan) markDeprecated(c *content) {
	for i := range p.Steps {
		for j := range p.Steps[i].Upgrades {
			u := &p.Steps[i].Upgrades[j]
			has := func(c *catalogs.Channel) bool { return c.Entry(u.To.Name) != nil }
			if k := c.catalog(u.Source, p.Steps[i].Minor); k != nil {
				if pkg := k.Content.Package(u.Package); pkg != nil {
					if i := slices.IndexFunc(pkg.Channels, has); i >= 0 && (pkg.Channel(u.Channel) == nil || !has(pkg.Channel(u.Channel))) {
						u.Channel = pkg.Channels[i].Name.Value // of an InstallPlan that waits, if the subscription has been switched
					}
					u.Deprecations = pkg.Deprecated(u.Channel, u.To.Name)
				}
			}
		}
	}
}

// markKeeping marks the switches that no upgrade of the package follows before the next one.
func (p *Plan) markKeeping() {
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Keeps = s.Kind == SwitchChannel || s.Kind == SwitchSource
		for _, later := range p.Steps[i+1:] {
			if later.Namespace != s.Namespace {
				continue
			}
			if later.Subscription == s.Subscription && later.Kind != UpgradeOperators {
				break
			}
			if slices.ContainsFunc(later.Upgrades, func(u Upgrade) bool { return u.Package == s.Package }) {
				s.Keeps = false
				break
			}
		}
	}
}

// changingSources returns the names of the CatalogSources that get other content with an update to a minor version.
func (c *content) changingSources(m Minor) []string {
	var names []string
	for i := range c.all {
		if k := &c.all[i]; k.Minor == m {
			names = append(names, k.Source.String())
		}
	}
	return slices.Compact(names)
}

var errStep = errors.New("the plan does not agree with the resolver")
