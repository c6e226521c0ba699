package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// unhealthy adds the ClusterServiceVersions that do not run, for a reason of their own that no other decision tells (OLM: v1alpha1
// ClusterServiceVersionPhase).
func (n *namespaceReport) unhealthy() error {
	waiting := n.Trace.Last.WaitingOperators()
	for i := range n.csvs {
		o := &n.csvs[i]
		flips := flipsCSV(o)
		if !flips && (o.Status.Phase != "Failed" && o.Status.Phase != "Pending" || n.progresses(o)) || n.Removed != nil && slices.Contains(n.Removed.Operators, o.Metadata.Name) {
			continue
		}
		waits := func(w resolve.Wait) bool { return w.Name == o.Metadata.Name || w.Replaces == o.Metadata.Name }
		lacks := o.Status.Phase == "Pending" && len(o.Unmet()) > 0 // and so is never replaced (OLM: olm transitionCSVState)
		if slices.ContainsFunc(waiting, waits) || n.replaces(o.Metadata.Name) && !lacks || n.replacedUnsafely(o) || n.reportsGroups(o) ||
			o.Status.Phase == "Pending" && o.Status.Reason == "RequirementsNotMet" && n.reportsPlan(o.Metadata.Name) {
			continue
		}
		is := &Unhealthy{Name: o.Metadata.Name, Phase: o.Status.Phase, Reason: o.Status.Reason, Again: flips}
		d := Decision{About: is, Operators: appendNew(nil, n.packageOfCSV(o.Metadata.Name)), Said: append(csvMessages(o), n.rivals(o)...)}
		if by := find.Pointer(n.Before.Installed, func(in resolve.InstalledOperator) bool { return in.Replaces == o.Metadata.Name }); by != nil {
			is.Replacing, d.Operators = by.Name, appendNew(d.Operators, n.packageOfCSV(by.Name))
		}
		if err := n.installFailure(&d, o); err != nil {
			return err
		}
		n.addMissing(is, o)
		if is.Reason == resolve.UnsupportedOperatorGroup {
			d.Group = n.fitGroup()
		}
		n.add(d, Blocked)
	}
	return nil
}

// addMissing adds what a ClusterServiceVersion lacks and somebody can give it: versions of CRDs that are to be served until it is replaced (OLM: olm
// requirementStatus), and service accounts, which the InstallPlan that is done does not create again.
func (n *namespaceReport) addMissing(is *Unhealthy, o *snapshot.ClusterServiceVersion) {
	for _, r := range o.Unmet() {
		switch {
		case r.Kind == "ServiceAccount" && strings.Contains(r.Message, "does not exist") && n.isComplete(o.Metadata.Name):
			is.ServiceAccounts = append(is.ServiceAccounts, r.Name)
		case r.Kind == crd.Kind && is.Replacing != "":
			owned := find.Value(o.Spec.CRDs.Owned, func(c csv.CRDDescription) bool { return c.Name == r.Name })
			if object := find.Value(n.CRDs, func(o *bundled.Object) bool { return o.Name == r.Name }); object != nil {
				is.Unserved = append(is.Unserved, unservedVersions(object, owned.Version)...)
			}
		}
	}
}

// isComplete reports whether an InstallPlan with a ClusterServiceVersion is Complete, and none goes on with it.
func (n *namespaceReport) isComplete(name string) bool {
	complete := false
	for i := range n.plans {
		if p := &n.plans[i]; slices.Contains(p.Spec.CSVs, name) {
			if p.Status.Phase != "Complete" {
				return false
			}
			complete = true
		}
	}
	return complete
}

// unservedVersions returns a version of a CRD, if the CRD has it and does not serve it.
func unservedVersions(object *bundled.Object, version string) []UnservedVersion {
	d, err := crd.Parse(object.JSON())
	if err != nil {
		return nil // another decision tells that it is invalid
	}
	if i := d.VersionIndex(version); i >= 0 && !d.Versions[i].Served {
		return []UnservedVersion{{object.Name, version, i}}
	}
	return nil
}

// replacesUnhealthy reports whether a step replaces a ClusterServiceVersion of which a decision tells that it does not run.
func (n *namespaceReport) replacesUnhealthy(step *resolve.Resolution) bool {
	return slices.ContainsFunc(n.decisions, func(d Decision) bool {
		u := about[*Unhealthy](&d)
		return u != nil && slices.ContainsFunc(step.Installs, func(in resolve.Install) bool { return in.Replaces == u.Name })
	})
}

// approvesUnhealthy reports whether an InstallPlan that needs approval replaces a ClusterServiceVersion that lacks something: what it installs would wait for
// that in vain.
func (n *namespaceReport) approvesUnhealthy() bool {
	return slices.ContainsFunc(n.Trace.Steps, func(step *resolve.Resolution) bool {
		return step.Plan != nil && step.Plan.NeedsApproval() && slices.ContainsFunc(step.Installs, func(in resolve.Install) bool {
			o := n.object(in.Replaces)
			return o != nil && o.Status.Phase == "Pending" && len(o.Unmet()) > 0
		})
	})
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
			return !n.IsMissing("OperatorCondition")
		}
		return slices.Contains([]string{"RequirementsUnknown", "NeedsCertRotation", "DetectedClusterChange"}, o.Status.Reason)
	}
	return false
}

// flipsCSV reports whether OLM installs a ClusterServiceVersion again that it has found unhealthy at least twice after it had installed it: once also
// happens while a node is drained (OLM: olm transitionCSVState, of Succeeded, Failed and Installing).
func flipsCSV(o *snapshot.ClusterServiceVersion) bool {
	succeeded := slices.IndexFunc(o.Status.History, func(s snapshot.CSVState) bool { return s.Phase == "Succeeded" })
	installs := o.Status.Phase == "Installing" || o.Status.Phase == "InstallReady" || o.Status.Reason == "NeedsReinstall"
	if !installs || succeeded < 0 || o.Metadata.Deleted != "" {
		return false
	}
	failures := 0
	for _, s := range o.Status.History[succeeded:] {
		if s.Phase == "Failed" && s.Reason == "ComponentUnhealthy" {
			failures++
		}
	}
	return failures > 1
}

// csvMessages returns what a ClusterServiceVersion says of its phase, and what it requires and does not have.
func csvMessages(o *snapshot.ClusterServiceVersion) []string {
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
		of := n.subscription(row.Subscription)
		return of.Status.Installed == o.Metadata.Name && row.Next.Name != "" && row.Next.Name != o.Metadata.Name
	})
}

// reportsGroups reports whether a decision tells already that the namespace has not one OperatorGroup.
func (n *namespaceReport) reportsGroups(o *snapshot.ClusterServiceVersion) bool {
	of := o.Status.Reason == "NoOperatorGroup" || o.Status.Reason == "TooManyOperatorGroups"
	return of && slices.ContainsFunc(n.decisions, func(d Decision) bool {
		f := about[*Fault](&d)
		return f != nil && f.Fault.Kind == resolve.InvalidGroups
	})
}

// rivals returns which other ClusterServiceVersions of the namespace own a CRD of one that has failed because of that (OLM: olm crdOwnerConflicts).
func (n *namespaceObjects) rivals(o *snapshot.ClusterServiceVersion) (said []string) {
	if o.Status.Reason != "OwnerConflict" {
		return nil
	}
	for _, other := range n.csvs {
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
func (n *namespaceReport) outdatedPlan(plan *resolve.Plan) bool {
	for i := range n.Before.Subscriptions {
		sub := &n.Before.Subscriptions[i]
		p := n.Before.SubscribedPackage(sub)
		if p == nil || !slices.Contains(plan.Approve, sub.Plan) || p.Bundle(sub.CurrentCSV) != nil || sub.InstalledCSV == sub.CurrentCSV {
			continue
		}
		if next := n.nextUpgrade(sub, sub.InstalledCSV); next != "" {
			is := &OutdatedPlan{InstallPlans: plan.Approve, From: sub.InstalledCSV, To: sub.CurrentCSV, Next: next, Again: n.retry(sub.Name)}
			n.add(Decision{About: is, Operators: []string{sub.Package}}, Blocked)
			for j := range n.operators { // no step is to approve it
				o := &n.operators[j]
				if slices.ContainsFunc(o.Steps, func(s Step) bool { return slices.Equal(s.InstallPlans, plan.Approve) }) {
					o.Steps = nil
				}
			}
			return true
		}
	}
	return false
}

// groupConflicts adds the operators that OLM is to install and will not run, since one of another namespace, whose OperatorGroup selects some of the
// same namespaces, provides the same APIs (OLM: olm transitionCSVState, APIIntersectionReconciler). Of those that have failed it adds which one.
func (n *namespaceReport) groupConflicts(all map[any][]provider) {
	for i := range n.decisions {
		d := &n.decisions[i]
		u := about[*Unhealthy](d)
		if u == nil || u.Reason != intersecting {
			continue
		}
		at := slices.IndexFunc(n.Before.Installed, func(in resolve.InstalledOperator) bool { return in.Name == u.Name })
		if at >= 0 && n.Before.Installed[at].Facts != nil {
			d.Said = appendNew(d.Said, n.sameAPIs(all, u.Name, n.Before.Installed[at].Facts.Provides))
			u.Subscription = find.Value(n.Before.Subscriptions, func(s resolve.Subscription) bool { return s.InstalledCSV == u.Name }).Name
		}
	}
	for i := range n.operators {
		o := n.operators[i]
		next, known := n.Catalogs[o.Source].InstalledOperator(o.Package, o.Next.Name)
		if o.Installed.Name != "" || !known {
			continue
		}
		if said := n.sameAPIs(all, o.Next.Name, next.Facts.Provides); said != "" {
			n.add(Decision{About: &Unhealthy{Name: o.Next.Name, Phase: "Failed as soon as it is installed", Reason: intersecting}, Operators: []string{o.Package}, Said: []string{said}}, Blocked)
		}
	}
}

// intersecting is the reason of a ClusterServiceVersion that has failed because of one of another namespace.
const intersecting = "InterOperatorGroupOwnerConflict"

// provider is an operator that blocks others that provide the same APIs, where OperatorGroups select the same namespaces.
type provider struct {
	of   *namespaceReport
	name string
	at   int // in the order of all
}

// collectProviders returns the operators of all namespaces by name and by what they provide, without those that have failed because of another one.
func collectProviders(all []*namespaceReport) map[any][]provider {
	found, at := map[any][]provider{}, 0
	for _, n := range all {
		if n.Before.Groups == nil {
			continue
		}
		failed := map[string]bool{}
		for i := range n.csvs {
			o := &n.csvs[i]
			failed[o.Metadata.Name] = o.Status.Reason == intersecting
		}
		for _, in := range n.Before.Installed {
			if failed[in.Name] {
				continue
			}
			p := provider{n, in.Name, at}
			at++
			found[in.Name] = append(found[in.Name], p)
			if in.Facts != nil {
				for _, a := range in.Facts.Provides {
					found[a] = append(found[a], p)
				}
			}
		}
	}
	return found
}

// sameAPIs says which operator of another namespace with some of the same targets provides one of some APIs; "" if none does that has not failed
// because of that.
func (n *namespaceReport) sameAPIs(all map[any][]provider, name string, provides []catalogs.API) string {
	if n.Before.Groups == nil || len(provides) == 0 {
		return ""
	}
	var first *provider
	keys := []any{name}
	for _, api := range provides {
		keys = append(keys, api)
	}
	for _, key := range keys {
		those := all[key]
		for i := range those {
			if p := &those[i]; first != nil && p.at >= first.at {
				break
			} else if p.of != n && intersect(n.Before.Groups.Targets, p.of.Before.Groups.Targets) {
				first = p
			}
		}
	}
	if first == nil {
		return ""
	}
	return fmt.Sprintf("%s in namespace %q provides the same APIs, and both OperatorGroups select the same namespaces", first.name, first.of.Before.Name)
}

// intersect reports whether two OperatorGroups select a namespace in common. Both are sorted; "" is all.
func intersect(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) > 0 && (a[0] == "" || b[0] == "") {
		return true
	}
	return slices.ContainsFunc(a, func(name string) bool {
		_, found := slices.BinarySearch(b, name)
		return found
	})
}
