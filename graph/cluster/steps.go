package cluster

import (
	"slices"

	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// Step is what OLM does with an operator, and with the dependencies that it installs because of it.
type Step struct {
	plan.Step
	Superseded []string        // InstallPlans that still wait, though no Subscription refers to them then
	Waits      []*resolve.Wait // what does not run then, and why
	Uncertain  bool            // OLM may come to another result
}

// subscriptionSteps returns the steps of a subscription. Those that follow each other without an approval are one.
func (n *namespaceRun) subscriptionSteps(sub *resolve.Subscription) (all []Step) {
	of, versions := map[string]bool{sub.InstalledCSV: sub.InstalledCSV != ""}, map[string]string{}
	for i := range n.Before.Installed {
		versions[n.Before.Installed[i].Name] = n.Before.Installed[i].Version.String()
	}
	for _, r := range n.Trace.Steps {
		s := Step{Step: plan.Step{Kind: plan.UpgradeOperators, Namespace: n.Before.Name}, Uncertain: r.Uncertain}
		if p := r.Plan; p != nil {
			s.Approve, s.InstallPlans, s.Superseded = p.NeedsApproval(), p.Approve, p.Supersedes
		}
		for _, in := range relatedInstalls(r, sub.Name, of) {
			s.Upgrades = append(s.Upgrades, plan.NewUpgrade(in, versions[in.Replaces]))
			if in.Wait != nil {
				s.Waits = append(s.Waits, in.Wait)
			}
		}
		for i := range r.Installs {
			versions[r.Installs[i].Name] = r.Installs[i].Version
		}
		switch last := len(all) - 1; {
		case len(s.Upgrades) == 0:
		case last >= 0 && !s.Approve && !all[last].Approve:
			t := &all[last]
			t.Upgrades, t.Superseded, t.Waits = append(t.Upgrades, s.Upgrades...), append(t.Superseded, s.Superseded...), append(t.Waits, s.Waits...)
			t.Uncertain = t.Uncertain || s.Uncertain
		default:
			all = append(all, s)
		}
	}
	return all
}

// relatedInstalls returns what OLM installs in a step for a subscription, or because of operators, to which it is added.
func relatedInstalls(r *resolve.Resolution, sub string, of map[string]bool) (all []*resolve.Install) {
	for more := r.Resolvable(); more; {
		more = false
		for i := range r.Installs {
			in := &r.Installs[i]
			because := func(c resolve.Choice) bool { return of[c.Subject.Name] }
			if !slices.Contains(all, in) && (slices.Contains(in.Subscriptions, sub) || of[in.Replaces] || slices.ContainsFunc(r.RequiredBy(in), because)) {
				all, of[in.Name], more = append(all, in), true, true
			}
		}
	}
	return all
}
