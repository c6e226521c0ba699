package cluster

import (
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// PlanStep is a step of an InstallPlan that waits for approval.
type PlanStep struct {
	Does string `json:"does" enum:"creates,updates"` // updates: the cluster, or the bundle that is replaced, has the object
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// comparisons are what upgrades change, which is the same in all namespaces. It is safe for concurrent use.
type comparisons struct{ known sync.Map } // functions by [2]*catalogs.Bundle

func (c *comparisons) compare(p *catalogs.Package, from, to *catalogs.Bundle) (*changes.Report, error) {
	compare, _ := c.known.LoadOrStore([2]*catalogs.Bundle{from, to}, sync.OnceValues(func() (*changes.Report, error) {
		return changes.Compare(judge.New(p, judge.Options{}), from, to, graph.V0)
	}))
	return compare.(func() (*changes.Report, error))()
}

// describePlan sets what an InstallPlan that is to be approved does: its steps, as far as the snapshot has them, and what the upgrades change, as far
// as the catalogs have the bundles.
func (n *namespaceReport) describePlan(a *Approval, installs []resolve.Install) error {
	var replaced []*catalogs.Bundle
	for i := range installs {
		in := &installs[i]
		p := n.Catalogs[in.Source].Package(in.Package)
		if p == nil || p.Bundle(in.Replaces) == nil || p.Bundle(in.Name) == nil {
			continue
		}
		from, to := p.Bundle(in.Replaces), p.Bundle(in.Name)
		replaced = append(replaced, from)
		report, err := n.comparisons.compare(p, from, to)
		if err != nil {
			return err
		}
		a.Changes = append(a.Changes, report)
	}
	for i := range n.plans {
		if slices.Contains(a.Plan.Supersedes, n.plans[i].Metadata.Name) {
			a.Stale = appendNew(a.Stale, n.plans[i].Spec.CSVs...)
		}
		if hangs(&n.plans[i], a.To) {
			a.Hanging = append(a.Hanging, n.plans[i].Metadata.Name)
		}
		if slices.Contains(a.Plan.Approve, n.plans[i].Metadata.Name) {
			steps, err := n.steps(&n.plans[i], replaced)
			if err != nil {
				return err
			}
			a.Steps = append(a.Steps, steps...)
		}
	}
	return nil
}

// hangs reports whether an InstallPlan of one of some bundles is approved and has not ended.
func hangs(plan *snapshot.InstallPlan, bundles []string) bool {
	return plan.Spec.Approved && !slices.Contains([]string{"Complete", "Failed"}, plan.Status.Phase) &&
		slices.ContainsFunc(bundles, func(name string) bool { return slices.Contains(plan.Spec.CSVs, name) })
}

// steps returns the steps of an InstallPlan, which replaces bundles.
func (n *namespaceReport) steps(plan *snapshot.InstallPlan, replaced []*catalogs.Bundle) (all []PlanStep, err error) {
	var reader bundled.Manifests
	known := map[[2]string]bool{}
	for _, o := range n.CRDs {
		known[[2]string{o.Kind, o.Name}] = true
	}
	for _, b := range replaced {
		manifests, err := reader.Read(b)
		if err != nil {
			return nil, err
		}
		for _, m := range manifests {
			known[[2]string{m.Kind, m.Name}] = true
		}
	}
	for i := range plan.Status.Plan {
		r, does := &plan.Status.Plan[i].Resource, "creates"
		if known[[2]string{r.Kind, r.Name}] {
			does = "updates"
		}
		all = append(all, PlanStep{does, r.Kind, r.Name})
	}
	return all, nil
}
