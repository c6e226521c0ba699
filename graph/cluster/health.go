package cluster

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// unhealthy adds the ClusterServiceVersions that do not run, for a reason of their own that no other decision tells (OLM: v1alpha1
// ClusterServiceVersionPhase).
func (n *namespaceReport) unhealthy() {
	waiting := n.Trace.Last.Waiting()
	all := n.ClusterServiceVersions[n.Before.Name]
	for i := range all {
		o := &all[i]
		if o.Status.Phase != "Failed" && o.Status.Phase != "Pending" || n.progresses(o) {
			continue
		}
		told := func(w resolve.Wait) bool { return w.Name == o.Metadata.Name || w.Replaces == o.Metadata.Name }
		if slices.ContainsFunc(waiting, told) || n.replaces(o.Metadata.Name) || n.replacedUnsafely(o) || n.toldOfGroups(o) {
			continue
		}
		n.add(Decision{Kind: Unhealthy, Operators: appendNew(nil, n.packageOfCSV(o.Metadata.Name)), From: Bundle{o.Metadata.Name, o.Spec.Version},
			Phase: o.Status.Phase, Reason: o.Status.Reason, Said: append(saidOf(o), n.rivals(o)...)}, Blocked)
	}
}

// progresses reports whether OLM is about to change the phase of a ClusterServiceVersion, and nobody has to act (OLM: olm transitionCSVState).
func (n *namespaceReport) progresses(o *snapshot.ClusterServiceVersion) bool {
	if o.Metadata.Deleted != "" {
		return true
	}
	switch o.Status.Phase {
	case "InstallReady", "Installing", "Replacing", "Deleting", "Unknown":
		return true
	case "Pending":
		if o.Status.Reason == "OperatorConditionNotUpgradeable" { // no OperatorCondition forbids it any more
			return !n.Missing("OperatorCondition")
		}
		return slices.Contains([]string{"RequirementsUnknown", "NeedsCertRotation", "DetectedClusterChange"}, o.Status.Reason)
	}
	return false
}

// saidOf returns what a ClusterServiceVersion says of its phase, and what it requires and does not have.
func saidOf(o *snapshot.ClusterServiceVersion) []string {
	said := appendNew(nil, o.Status.Message)
	for _, r := range o.Unmet() {
		said = append(said, fmt.Sprintf("%s %s: %s", r.Kind, r.Name, r.Message))
	}
	return said
}

// replacedUnsafely reports whether OLM upgrades a ClusterServiceVersion that has failed, with upgradeStrategy TechPreviewUnsafeFailForward (OLM: olm
// transitionCSVState).
func (n *namespaceReport) replacedUnsafely(o *snapshot.ClusterServiceVersion) bool {
	return n.Before.FailForward && o.Status.Phase == "Failed" && slices.ContainsFunc(n.operators, func(row Operator) bool {
		return row.Installed.Name == o.Metadata.Name && row.Next.Name != ""
	})
}

// toldOfGroups reports whether a decision tells already that the namespace has not one OperatorGroup.
func (n *namespaceReport) toldOfGroups(o *snapshot.ClusterServiceVersion) bool {
	of := o.Status.Reason == "NoOperatorGroup" || o.Status.Reason == "TooManyOperatorGroups"
	return of && slices.ContainsFunc(n.decisions, func(d Decision) bool { return d.Kind == Fault && d.Fault.Kind == resolve.InvalidGroups })
}

// rivals returns which other ClusterServiceVersions of the namespace own a CRD of one that has failed because of that (OLM: olm crdOwnerConflicts).
func (n *namespaceReport) rivals(o *snapshot.ClusterServiceVersion) (said []string) {
	if o.Status.Reason != "OwnerConflict" {
		return nil
	}
	for _, other := range n.ClusterServiceVersions[n.Before.Name] {
		for _, c := range other.Spec.CRDs.Owned {
			owned := func(own csv.CRDDescription) bool { return own.Name == c.Name }
			if other.Metadata.Name != o.Metadata.Name && slices.ContainsFunc(o.Spec.CRDs.Owned, owned) {
				said = appendNew(said, fmt.Sprintf("%s owns CRD %s as well", other.Metadata.Name, c.Name))
			}
		}
	}
	return said
}

// outdatedPlan adds the decision not to approve an InstallPlan of a bundle that the catalog does not have any more, where the catalog upgrades what is
// installed, and reports whether it does. A Subscription waits for the plan that it refers to until that is deleted (OLM: catalog nothingToUpdate).
func (n *namespaceReport) outdatedPlan(d *Decision) bool {
	for i := range n.Before.Subscriptions {
		sub := &n.Before.Subscriptions[i]
		p := n.Before.PackageOf(sub)
		if p == nil || !slices.Contains(d.Plan.Approve, sub.Plan) || p.Bundle(sub.CurrentCSV) != nil || sub.InstalledCSV == "" || sub.InstalledCSV == sub.CurrentCSV {
			continue
		}
		c := p.Channel(sub.Channel)
		if c == nil {
			continue
		}
		g := graph.Of(p, c)
		in, _ := n.installed(sub.InstalledCSV)
		if e, on := g.NextOfInstalled(in.Name, in.Version); on {
			n.add(Decision{Kind: OutdatedPlan, Operators: []string{sub.Package}, Again: n.again(sub.Name), Plan: d.Plan, From: in, To: []string{sub.CurrentCSV}, Others: []string{g.Name(e.To)}}, Blocked)
			return true
		}
	}
	return false
}

// groupConflicts adds the operators that OLM is to install and will not run, since one of another namespace, whose OperatorGroup selects some of the
// same namespaces, provides the same APIs (OLM: olm transitionCSVState, APIIntersectionReconciler). Of those that have failed it adds which one.
func (n *namespaceReport) groupConflicts(all []*namespaceReport) error {
	for i := range n.decisions {
		d := &n.decisions[i]
		at := slices.IndexFunc(n.Before.Installed, func(in resolve.InstalledOperator) bool { return in.Name == d.From.Name })
		if d.Kind == Unhealthy && d.Reason == intersecting && at >= 0 && n.Before.Installed[at].Facts != nil {
			d.Said = appendNew(d.Said, n.sameAPIs(all, d.From.Name, n.Before.Installed[at].Facts.Provides))
		}
	}
	for i := range n.operators {
		o := n.operators[i]
		p := n.packageIn(o.Source, o.Package)
		if o.Installed.Name != "" || o.Next.Name == "" || p == nil || p.Bundle(o.Next.Name) == nil {
			continue
		}
		facts, err := bundled.Facts(p.Bundle(o.Next.Name))
		if err != nil {
			return err
		}
		if said := n.sameAPIs(all, o.Next.Name, facts.Provides); said != "" {
			n.add(Decision{Kind: Unhealthy, Operators: []string{o.Package}, From: o.Next, Phase: "Failed as soon as it is installed", Reason: intersecting, Said: []string{said}}, Blocked)
		}
	}
	return nil
}

// intersecting is the reason of a ClusterServiceVersion that has failed because of one of another namespace.
const intersecting = "InterOperatorGroupOwnerConflict"

// sameAPIs says which operator of another namespace with some of the same targets provides one of some APIs; "" if none does that has not failed
// because of that.
func (n *namespaceReport) sameAPIs(all []*namespaceReport, name string, provides []catalogs.API) string {
	for _, other := range all {
		if other == n || n.Before.Groups == nil || !intersect(n.Before.Groups.Targets, other.Before.Groups.Targets) {
			continue
		}
		for _, in := range other.Before.Installed {
			same := in.Name == name && len(provides) > 0 ||
				in.Facts != nil && slices.ContainsFunc(in.Facts.Provides, func(a catalogs.API) bool { return slices.Contains(provides, a) })
			if o := other.object(in.Name); same && (o == nil || o.Status.Reason != intersecting) {
				return fmt.Sprintf("%s in namespace %q provides the same APIs, and both OperatorGroups select the same namespaces", in.Name, other.Before.Name)
			}
		}
	}
	return ""
}

// intersect reports whether two OperatorGroups select a namespace in common; "" is all.
func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool {
		return len(b) > 0 && name == "" || slices.Contains(b, name) || slices.Contains(b, "")
	})
}
