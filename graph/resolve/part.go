package resolve

import (
	"context"
	"slices"
)

// NextOfPart returns what OLM does in the next step with some subscriptions and operators of a namespace of which nothing depends on the
// others, and at least one subscription of the namespace does not wait for an InstallPlan. It does not explain the answer: there are no
// Choices, and a Conflict is Unexplained.
func NextOfPart(ctx context.Context, part Namespace) (*Resolution, error) {
	r, err := newBudgets(maxSteps).answer(ctx, part, false)
	if err != nil {
		return nil, err
	}
	return part.planned(r)
}

// Pending reports whether OLM does not resolve a subscription of the namespace until its InstallPlan has run.
func (n *Namespace) Pending(sub *Subscription) bool { return n.pending(sub) }

// WithPlan returns the namespace once OLM has created the InstallPlan for a Resolution of it, which waits for approval (OLM: catalog
// createInstallPlan, setIPReference).
func (n Namespace) WithPlan(r *Resolution, name string) Namespace {
	n.Subscriptions, n.Plans = slices.Clone(n.Subscriptions), slices.Clone(n.Plans)
	p := InstallPlan{Name: name, Phase: "RequiresApproval", steps: map[string]plannedCSV{}, subs: map[string]Subscription{}}
	for i := range r.Installs {
		in := &r.Installs[i]
		p.CSVs = append(p.CSVs, in.Name)
		facts := in.facts
		p.steps[in.Name] = plannedCSV{in.Replaces, &facts}
		if in.Generated != nil {
			p.subs[in.Name] = *in.Generated
		}
		for j := range n.Subscriptions {
			if sub := &n.Subscriptions[j]; sub.updatedBy(*in) {
				sub.CurrentCSV, sub.Plan, sub.Pending = in.Name, name, true
			}
		}
	}
	n.Plans = append(n.Plans, p)
	return n
}

// Reached returns the namespace after what it installs has succeeded, as After, but nothing waits.
func (n Namespace) Reached(r *Resolution) Namespace {
	free := *r
	free.Installs = slices.Clone(r.Installs)
	for i := range free.Installs {
		free.Installs[i].Wait = nil
	}
	return n.After(&free)
}
