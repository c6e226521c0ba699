package resolve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
)

// InstallPlan is an InstallPlan of the namespace.
type InstallPlan struct {
	Name     string
	CSVs     []string // spec.clusterServiceVersionNames
	Approved bool     // spec.approved
	Phase    string   // status.phase
	steps    map[string]plannedCSV
	subs     map[string]Subscription // those that it makes, by their startingCSV
}

// plannedCSV is what an InstallPlan has of a ClusterServiceVersion that it creates.
type plannedCSV struct {
	replaces string
	in       *InstalledOperator // nil if nothing but the name is known
}

// isFinal reports whether a plan is in a final phase (OLM: catalog syncInstallPlans).
func (p *InstallPlan) isFinal() bool { return p.Phase == "Failed" || p.Phase == "Complete" }

// needsApproval reports whether a plan needs approval before it runs (OLM: catalog transitionInstallPlanState).
func (p *InstallPlan) needsApproval() bool { return !p.Approved && p.Phase != "Installing" }

// Plan is the InstallPlan, or the InstallPlans, of a step.
type Plan struct {
	Names   []string // those that are there already; none if OLM creates one
	Approve []string // those of Names that need approval
	// Manual are the subscriptions whose approval is Manual, by name, if OLM creates one: a single one makes the whole plan wait for approval.
	Manual []string
	// Of the InstallPlans that still wait for approval while OLM creates a new one, Repeats are those whose bundles the new one
	// has as well, and Supersedes those that no subscription refers to once the new one exists. The subscriptions of others get nothing from
	// the new one, and continue to wait for them.
	Repeats    []string
	Supersedes []string
}

// NeedsApproval reports whether it needs approval.
func (p *Plan) NeedsApproval() bool { return len(p.Approve)+len(p.Manual) > 0 }

// IsPending reports whether OLM does not resolve a subscription until its InstallPlan has run (OLM: catalog nothingToUpdate, after
// ensureSubscriptionCSVState).
func (n *Namespace) IsPending(sub *Subscription) bool {
	switch {
	case sub.Plan == "":
		return false
	case sub.CurrentCSV == "":
		return sub.Pending
	case n.FailForward && n.planHas(sub.Plan, "Failed"):
		return false
	}
	return n.csv(sub.CurrentCSV) == nil
}

func (n *Namespace) planHas(name, phase string) bool {
	p := n.plan(name)
	return p != nil && p.Phase == phase
}

func (n *Namespace) plan(name string) *InstallPlan {
	return find.Pointer(n.Plans, func(p InstallPlan) bool { return p.Name == name })
}

// isIdle reports whether OLM does not resolve the namespace, because each of its subscriptions waits for an InstallPlan.
func (n *Namespace) isIdle() bool {
	if len(n.Subscriptions) == 0 || n.Groups.invalid() {
		return false
	}
	for i := range n.Subscriptions {
		if !n.IsPending(&n.Subscriptions[i]) {
			return false
		}
	}
	return true
}

// Next returns what OLM does in the next step in a namespace, and with which InstallPlan. An error is the context's, or of a
// source that has changed since it was read.
func Next(ctx context.Context, n Namespace) (*Resolution, error) {
	if n.isIdle() {
		return n.RunApproved()
	}
	r, err := Resolve(ctx, n)
	if err != nil {
		return nil, err
	}
	return n.addPlan(r)
}

// RunApproved returns what the InstallPlans install that subscriptions wait for, once they are approved. An error is of a source that has
// changed since it was read.
func (n *Namespace) RunApproved() (*Resolution, error) {
	r := n.runPending()
	return r, n.addWaits(r)
}

// addPlan adds to a Resolution of Resolve which InstallPlan installs it, and what waits.
func (n *Namespace) addPlan(r *Resolution) (*Resolution, error) {
	n.plans(r)
	return r, n.addWaits(r)
}

func (n *Namespace) addWaits(r *Resolution) (err error) {
	for i := range r.Installs {
		in := &r.Installs[i]
		if in.Wait, err = n.wait(&in.facts, in.Replaces); err != nil {
			return err
		}
		if in.Wait != nil || n.Failure == nil || in.Replaces == "" || len(in.Subscriptions) == 0 {
			continue
		}
		if why := n.Failure(in.Subscriptions[0], in.Name); why != nil {
			in.Wait = &Wait{Kind: UpgradeFails, Name: in.Name, Replaces: in.Replaces, Phase: phasePending, Err: why}
		}
	}
	return nil
}

// plans finds out which InstallPlan installs what was resolved (OLM: catalog syncResolvingNamespace, which creates one only if
// resolver ResolveSteps has given a subscription another currentCSV).
func (n *Namespace) plans(r *Resolution) {
	if len(r.Installs) == 0 {
		return
	}
	if slices.ContainsFunc(r.Installs, n.updates) {
		r.Plan = n.newPlan(r.Installs)
		return
	}
	unplanned := r.Installs
	run := n.runPending()
	r.Installs, r.Plan = run.Installs, run.Plan
	for _, in := range unplanned {
		if !slices.ContainsFunc(r.Installs, func(other Install) bool { return other.Name == in.Name }) {
			r.Unplanned = append(r.Unplanned, in)
		}
	}
}

// newPlan returns the InstallPlan that OLM creates for what was resolved. It has a step of one that still waits only if the
// same bundle was resolved again, and only subscriptions that get another currentCSV refer to it then (OLM: resolver
// ResolveSteps, catalog setIPReference).
func (n *Namespace) newPlan(installs []Install) *Plan {
	plan := &Plan{}
	var seen []string
	for _, sub := range byName(n.Subscriptions) {
		if sub.Manual {
			plan.Manual = append(plan.Manual, sub.Name)
		}
		p := n.runningPlan(sub)
		if p == nil || !n.IsPending(sub) || !p.needsApproval() || slices.Contains(seen, p.Name) {
			continue
		}
		seen = append(seen, p.Name)
		keeps := func(s Subscription) bool { return s.Plan == p.Name && !slices.ContainsFunc(installs, s.updatedBy) }
		switch {
		case slices.ContainsFunc(installs, func(in Install) bool { return slices.Contains(p.CSVs, in.Name) }):
			plan.Repeats = append(plan.Repeats, p.Name)
		case !slices.ContainsFunc(n.Subscriptions, keeps):
			plan.Supersedes = append(plan.Supersedes, p.Name)
		}
	}
	return plan
}

// updates reports whether a bundle gives a subscription another currentCSV.
func (n *Namespace) updates(in Install) bool {
	return slices.ContainsFunc(n.Subscriptions, func(sub Subscription) bool { return sub.updatedBy(in) })
}

// updatedBy reports whether a bundle gives it another currentCSV.
func (sub *Subscription) updatedBy(in Install) bool {
	return slices.Contains(in.Subscriptions, sub.Name) && sub.currentCSV() != in.Name
}

// runningPlan returns the plan that a subscription waits for if it can still run, or else nil. If no plans are known it is assumed
// that it can.
func (n *Namespace) runningPlan(sub *Subscription) *InstallPlan {
	if p := n.plan(sub.Plan); p != nil && !p.isFinal() {
		return p
	}
	if n.PlansUnknown && sub.Plan != "" && sub.CurrentCSV != "" {
		return &InstallPlan{Name: sub.Plan, CSVs: []string{sub.CurrentCSV}, Approved: !sub.Manual}
	}
	return nil
}

var errEndedPlan = errors.New("it no longer exists")

// runPending returns what the InstallPlans install that subscriptions wait for, or why none of them runs.
func (n *Namespace) runPending() *Resolution {
	r := &Resolution{}
	plan := &Plan{}
	subs, idle := byName(n.Subscriptions), n.isIdle()
	ran := map[*InstallPlan]bool{}
	for _, sub := range subs {
		if !n.IsPending(sub) {
			continue
		}
		p := n.runningPlan(sub)
		if p == nil {
			if idle {
				r.Faults = append(r.Faults, n.endedPlan(sub))
			}
			continue
		}
		if ran[p] {
			continue
		}
		ran[p] = true
		if !slices.Contains(plan.Names, p.Name) {
			plan.Names = append(plan.Names, p.Name)
			if p.needsApproval() {
				plan.Approve = append(plan.Approve, p.Name)
			}
		}
		for _, name := range p.CSVs {
			n.addPlanned(r, p, name, subs)
		}
	}
	if len(r.Installs) > 0 {
		r.Faults, r.Plan = nil, plan
	}
	return r
}

func (n *Namespace) endedPlan(sub *Subscription) Fault {
	f := Fault{Kind: EndedPlan, Subscription: sub.Name, Operator: Operator{Name: sub.Plan}, Err: errEndedPlan}
	if p := n.plan(sub.Plan); p != nil {
		f.Err = fmt.Errorf("it is in the phase %s", p.Phase)
	}
	return f
}

// addPlanned adds what an InstallPlan installs, unless it is there. subs are the subscriptions by name.
func (n *Namespace) addPlanned(r *Resolution, p *InstallPlan, name string, subs []*Subscription) {
	if n.csv(name) != nil || slices.ContainsFunc(r.Installs, func(in Install) bool { return in.Name == name }) {
		return
	}
	planned := p.steps[name]
	in := Install{Operator: Operator{Name: name}}
	replaces := planned.replaces
	for _, sub := range subs {
		if sub.CurrentCSV == name {
			in.Subscriptions = append(in.Subscriptions, sub.Name)
			in.Source, in.Package, in.Channel = sub.Source, sub.Package, sub.Channel
			if replaces == "" {
				replaces = sub.InstalledCSV
			}
		}
	}
	if sub, ok := p.subs[name]; ok && len(in.Subscriptions) == 0 {
		in.Generated = &sub
		in.Source, in.Package, in.Channel = sub.Source, sub.Package, sub.Channel
	}
	in.facts = n.plannedOperator(planned.in, &in.Operator)
	in.Version = in.facts.Version.String()
	if n.csv(replaces) != nil {
		in.Replaces = replaces
	}
	r.Installs = append(r.Installs, in)
}

// plannedOperator returns what an InstallPlan creates: from the plan itself, else from its catalog, else from the name.
func (n *Namespace) plannedOperator(in *InstalledOperator, o *Operator) InstalledOperator {
	var known InstalledOperator
	found := false
	for i := range n.Sources {
		if s := &n.Sources[i]; s.SourceKey == o.Source && s.Catalog != nil && !found {
			known, found = s.Catalog.InstalledOperator(o.Package, o.Name)
		}
	}
	switch {
	case in != nil:
		out := *in
		if known.source != nil {
			out.source = known.source
		}
		return out
	case found:
		return known
	}
	known = InstalledOperator{Name: o.Name}
	known.Version, _ = graph.VersionIn(o.Name)
	return known
}

// UnapprovedPlans returns the InstallPlans that wait for approval.
func (n *Namespace) UnapprovedPlans() (names []string) {
	for i := range n.Plans {
		if p := &n.Plans[i]; p.Phase == "RequiresApproval" && !p.Approved {
			names = append(names, p.Name)
		}
	}
	return names
}

// UnreferencedPlans returns the InstallPlans that wait for approval though no subscription refers to them: OLM runs them as well once they
// are approved (OLM: catalog transitionInstallPlanState).
func (n *Namespace) UnreferencedPlans() []string {
	return slices.DeleteFunc(n.UnapprovedPlans(), func(name string) bool {
		return slices.ContainsFunc(n.Subscriptions, func(s Subscription) bool { return s.Plan == name })
	})
}
