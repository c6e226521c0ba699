package cluster

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/messages"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Again is how OLM resolves a namespace again for Subscriptions that wait for an InstallPlan in vain: what is installed runs on.
type Again struct {
	// Delete is the InstallPlan that is to be deleted; "" if that does not help. OLM then forgets it (OLM: subscription InstallPlanNotFound).
	Delete string
	// Reset are the Subscriptions of which somebody has to set the status that OLM sets then.
	Reset []string
	// Generated are those that an InstallPlan made: OLM would wait for that one then (OLM: catalog ensureSubscriptionInstallPlanState), unless their
	// annotation olm.generated-by is removed before.
	Generated []string
	// Manual says that somebody has to approve the InstallPlan that OLM creates then, since one of its Subscriptions wants it (OLM: catalog syncResolvingNamespace).
	Manual bool
}

// generatedBy is the annotation with the InstallPlan that made a Subscription.
const generatedBy = "olm.generated-by"

// retry returns how OLM resolves a namespace again for a Subscription and all that wait for the same InstallPlan.
func (n *namespaceReport) retry(subscription string) *Again {
	a := &Again{}
	plan := n.subscription(subscription).Status.Plan.Name
	p := n.installPlan(plan)
	for i := range n.subscriptions {
		o := &n.subscriptions[i]
		if o.Metadata.Name != subscription && (plan == "" || o.Status.Plan.Name != plan || n.object(o.Status.Current) != nil) {
			continue
		}
		a.Manual = a.Manual || o.Spec.Approval == "Manual"
		if o.Metadata.Annotations[generatedBy] != "" {
			a.Generated = append(a.Generated, o.Metadata.Name)
		}
		if p != nil && p.Status.Phase != "Complete" && o.Status.State != "UpgradeFailed" {
			a.Delete = plan
		} else {
			a.Reset = append(a.Reset, o.Metadata.Name)
		}
	}
	return a
}

// installPlan returns an InstallPlan of the namespace, nil if the snapshot has none of that name.
func (n *namespaceObjects) installPlan(name string) *snapshot.InstallPlan {
	return find.Pointer(n.plans, func(o snapshot.InstallPlan) bool { return o.Metadata.Name == name })
}

// addUnpacking adds the bundles that OLM could not unpack, which no plan is made before (OLM: catalog unpackBundles), and the InstallPlans that it could
// not create.
func (n *namespaceReport) addUnpacking() {
	for i := range n.subscriptions {
		o := &n.subscriptions[i]
		if n.removes(o) {
			continue
		}
		c := snapshot.True(o.Status.Conditions, "BundleUnpackFailed")
		if c == nil { // the image cannot be pulled, so that it will be
			c = snapshot.True(o.Status.Conditions, "BundleUnpacking")
		}
		if c == nil || c.Type == "BundleUnpacking" && c.Message == "" {
			continue
		}
		d := Decision{About: &Unpacking{c.Reason, subscriptionSource(o), n.unpackRetry(c.Message)}, Operators: []string{o.Spec.Package}, Said: appendNew(nil, text(c))}
		if !hasDecision[*Unpacking](n) {
			d.Freezes = n.otherPackages(d.Operators)
		}
		n.add(d, Blocked)
	}
}

// unpackRetry returns the interval in which OLM unpacks a bundle again, "" if it does not: 5 minutes since OLM v0.45, which says so in its message (catalog
// syncResolvingNamespace); else that of the OperatorGroup (OLM: bundle OperatorGroupBundleUnpackRetryInterval).
func (n *namespaceReport) unpackRetry(message string) string {
	if strings.Contains(message, "Auto-retry") {
		return "5m"
	}
	if len(n.groups) == 1 {
		return n.groups[0].Metadata.Annotations["operatorframework.io/bundle-unpack-min-retry-interval"]
	}
	return ""
}

// removes reports whether the question removes a Subscription, which the snapshot still has.
func (n *namespaceReport) removes(o *snapshot.Subscription) bool {
	return n.Removed != nil && slices.Contains(n.Removed.Subscriptions, o.Metadata.Name)
}

func subscriptionSource(o *snapshot.Subscription) resolve.SourceKey {
	return resolve.SourceKey{Name: o.Spec.Source, Namespace: o.Spec.Namespace}
}

// text is what a condition says.
func text(c *snapshot.Condition) string {
	if c.Message == "" {
		return c.Reason
	}
	return c.Message
}

// addReported adds what OLM says of the namespace, and what nothing else tells: that it cannot be resolved, that a CatalogSource is not healthy (OLM:
// subscription UpdateHealth), and that the service account of the OperatorGroup is missing (OLM: scoped SyncOperatorGroup).
func (n *namespaceReport) addReported() {
	frozen := hasDecision[*Fault](n) || hasDecision[*Conflict](n) || hasDecision[*Unpacking](n) || slices.ContainsFunc(n.decisions, func(d Decision) bool { return len(d.Freezes) > 0 })
	report := func(c *snapshot.Condition, source resolve.SourceKey) {
		same := func(known Decision) bool {
			r := about[*Reported](&known)
			return r != nil && r.Condition == c.Type && known.Said[0] == text(c)
		}
		if !slices.ContainsFunc(n.decisions, same) {
			n.add(Decision{About: &Reported{c.Type, source, n.deletedSource(text(c))}, Operators: n.otherPackages(nil), Said: []string{text(c)},
				Unseen: n.unseen(func(resolve.Subscription) bool { return true })}, Blocked)
		}
	}
	for i := range n.groups {
		if c := snapshot.True(n.groups[i].Status.Conditions, "OperatorGroupServiceAccount"); c != nil {
			report(c, resolve.SourceKey{})
		}
	}
	for i := range n.subscriptions {
		o := &n.subscriptions[i]
		if n.removes(o) {
			continue
		}
		if c := snapshot.True(o.Status.Conditions, "ResolutionFailed"); c != nil && !frozen {
			report(c, resolve.SourceKey{})
		}
		if c := snapshot.True(o.Status.Conditions, "CatalogSourcesUnhealthy"); c != nil && !frozen && strings.Contains(c.Message, subscriptionSource(o).String()) {
			report(c, subscriptionSource(o))
		}
	}
}

// deletedSource returns the namespace of OLM if it says that it cannot read a CatalogSource that is not there any more: it has that in its cache until its pod
// starts again (OLM: cache Cache.Expire, openshift/operator-framework-olm pull request 842).
func (n *namespaceReport) deletedSource(said string) string {
	for _, m := range messages.Find(said) {
		name, in := m.Value("catalog"), m.Value("source_namespace")
		if slices.Contains([]string{"catalog-no-host", "catalog-unreachable"}, m.Name) && name != "" && in != "" && !n.IsMissing("CatalogSource") && n.CatalogSource(name, in) == nil {
			return n.OLMNamespace()
		}
	}
	return ""
}

// addOrphaned adds the Subscriptions for which OLM looks for the InstallPlan that made them, and does not find it (OLM: catalog
// ensureSubscriptionInstallPlanState), and those that are being deleted and wait for a finalizer.
func (n *namespaceReport) addOrphaned() {
	for i := range n.subscriptions {
		o := &n.subscriptions[i]
		d := Decision{Operators: []string{o.Spec.Package}}
		by := o.Metadata.Annotations[generatedBy]
		switch {
		case o.Metadata.Deleted != "" && len(o.Metadata.Finalizers) > 0:
			d.About = &Deletion{Subscription: o.Metadata.Name, Finalizers: o.Metadata.Finalizers}
		case by != "" && !n.removes(o) && o.Status.Plan.Name == "" && !n.IsMissing("InstallPlan") && n.installPlan(by) == nil:
			d.About, d.Freezes = &GeneratedBy{o.Metadata.Name, by}, n.otherPackages(d.Operators)
		default:
			continue
		}
		n.add(d, Blocked)
	}
}

// addDeleted adds the ClusterServiceVersions that are being deleted and wait for finalizers: that of OLM too, which removes it only while it runs (OLM: olm
// processFinalizer).
func (n *namespaceReport) addDeleted() {
	for _, o := range n.csvs {
		if o.Metadata.Deleted != "" && len(o.Metadata.Finalizers) > 0 && !n.replaces(o.Metadata.Name) {
			n.add(Decision{About: &Deletion{CSV: o.Metadata.Name, Finalizers: o.Metadata.Finalizers}, Operators: appendNew(nil, n.packageOfCSV(o.Metadata.Name))}, Blocked)
		}
	}
}
