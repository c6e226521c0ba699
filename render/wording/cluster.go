package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// The commands that print what of a cluster counts. Names of resources are full, since another project can have the same short ones; and of
// a type that the cluster does not have kubectl prints an error and nothing else, so that there is one for each kind of cluster.
const (
	KubectlGet = "kubectl get subscriptions.operators.coreos.com,clusterserviceversions.operators.coreos.com,operatorgroups.operators.coreos.com," +
		"operatorconditions.operators.coreos.com,installplans.operators.coreos.com,catalogsources.operators.coreos.com," +
		"customresourcedefinitions.apiextensions.k8s.io,nodes,namespaces -A -o yaml"
	KubectlGetOpenShift = "kubectl get clusterversions.config.openshift.io,clusteroperators.config.openshift.io -o yaml"
	KubectlGetV1        = "kubectl get clusterextensions.olm.operatorframework.io,clustercatalogs.olm.operatorframework.io -o yaml"
)

// Who has to act.
const (
	administrator = "administrator" // of the cluster
	maintainer    = "maintainer"    // of the package or the catalog
	operator      = "operator"      // the installed one
	reader        = "you"
)

// ClusterDecision is what to do about a Decision, who has to do it, and why, as sentences; and the commands, if it is known which.
type ClusterDecision struct {
	Action   string    `json:"action"`
	Who      string    `json:"who"`
	Message  string    `json:"message"`
	Commands []Command `json:"-"` // in the order in which they are run
}

// Decision describes a decision.
func Decision(d *cluster.Decision) ClusterDecision {
	c := &Commands{namespace: d.Namespace}
	action, who, message := decision(d, c)
	if d.Group != nil {
		c.changeGroup(d.Group)
		targets := "it has to target its own namespace alone: no operator of the namespace watches another one then"
		if d.Group.All {
			targets = "without target namespaces all operators of the namespace run, and watch all namespaces"
		}
		message += "; " + targets
	}
	switch {
	case len(d.Also) > 0:
		message += ". Until then OLM upgrades nothing in these namespaces"
	case len(d.Freezes) > 0 && len(d.Operators) == 0:
		message += fmt.Sprintf(". Until then OLM upgrades nothing in the namespace: %s", words.And(d.Freezes))
	case len(d.Freezes) > 0:
		message += fmt.Sprintf(". Until then OLM upgrades nothing else in the namespace: %s", words.And(d.Freezes))
	}
	return ClusterDecision{action, who, message, c.All()}
}

// decision returns the sentences of a decision, and adds its commands.
func decision(d *cluster.Decision, c *Commands) (action, who, message string) {
	switch is := d.About.(type) {
	case *cluster.Approval:
		action, who, message = approval(is, c)
		if d.Unseen != "" {
			message += "; whether that runs here is not known without " + unseen(d)
		}
		return action, who, message
	case *cluster.Fault:
		return resolutionFault(is, c)
	case *cluster.Limit:
		return "run olmgraph again with fewer operators", reader, undecided + ": " + fault(is.Fault)
	case *cluster.Conflict:
		return conflict(is, c)
	case *cluster.Rejection:
		return "resolve the dependency", administrator, notUpgraded(is)
	case *cluster.NotGiven:
		said := strings.Join(reasonTexts(is.Conflict), "; ")
		if is.Rejection != nil {
			said = notUpgraded(is.Rejection)
		}
		return "give the other catalogs", reader, "not known, because some catalogs are not given: " + said
	case *cluster.Waiting:
		return describeWaiting(d, is, c)
	case *cluster.NoPath:
		return noPath(is, c)
	case *cluster.NoPlan:
		return noPlan(d, is, c)
	case *cluster.RefusedUpgrade:
		return refusedUpgrade(d, is, c)
	case *cluster.Unpacking:
		return describeUnpacking(d, is, c)
	case *cluster.Unhealthy:
		return unhealthy(d, is, c)
	case *cluster.OutdatedPlan:
		action, who, message = resolveAgain(is.Again, c, fmt.Sprintf("%s installs %s, which is no longer in the catalog. There, %s upgrades %s", plans(is.InstallPlans...), is.To, is.Next, is.From))
		return "do not approve it: " + action, who, message
	case *cluster.FailingPlan:
		return failingPlan(d, is, c)
	case *cluster.FailedPlan:
		return failedPlan(d, is, c)
	case *cluster.Reported:
		return describeReported(d, is, c)
	case *cluster.GeneratedBy:
		c.removeGenerated(is.Subscription)
		return "remove the annotation olm.generated-by of the subscription", administrator,
			fmt.Sprintf("subscription %q waits for %s, which created it and no longer exists: OLM resolves nothing in the namespace", is.Subscription, plans(is.InstallPlan))
	case *cluster.Deletion:
		return deletion(is, c)
	case *cluster.CustomResources:
		return customResources(is, c)
	case *cluster.Remove:
		return remove(is, c)
	case *cluster.Leftovers:
		return leftovers(is, c)
	}
	return "fix the catalog", maintainer, "the upgrades form a cycle: OLM repeats them endlessly"
}

// StepNotes says what is to be known of a step of an operator.
func StepNotes(s *cluster.Step) []string {
	all := words.Map(s.Waits, func(w *resolve.Wait) string { return w.Name + " " + wait(w) })
	for _, name := range s.Superseded {
		all = append(all, fmt.Sprintf("%s still waits for approval, but no subscription refers to it: the new one supersedes it. OLM would still run it", plans(name)))
	}
	if s.Uncertain {
		all = append(all, "OLM may reach another result, depending on the order of subscriptions and channels, which OLM does not define")
	}
	return all
}

// resolveAgain tells to let OLM resolve a namespace again, because of a message.
func resolveAgain(a *cluster.Again, c *Commands, because string) (action, who, message string) {
	c.addRetry(a)
	return againAction(a), administrator, because + ". " + resolvesAgain(a)
}

// resolvesAgain says what follows from againAction.
func resolvesAgain(a *cluster.Again) string {
	said := "After this step OLM resolves the namespace again; installed operators keep running"
	if a.Manual {
		said += ", and the new InstallPlan waits for approval"
	}
	return said
}

func againAction(a *cluster.Again) string {
	if a.Delete == "" {
		return "reset the status of " + countedNames("subscription", words.Quote(a.Reset))
	}
	return "delete " + plans(a.Delete)
}

// describeReported describes what OLM says of Subscriptions and OperatorGroups.
func describeReported(d *cluster.Decision, is *cluster.Reported, c *Commands) (action, who, message string) {
	said := strings.Join(d.Said, "; ")
	switch is.Condition {
	case "OperatorGroupServiceAccount":
		return "create the service account of the OperatorGroup", administrator, said + ": OLM runs no InstallPlan in the namespace"
	case "CatalogSourcesUnhealthy":
		c.lookAtCatalog(is.Source)
		return "repair the CatalogSource", administrator, fmt.Sprintf("OLM says %q: it does not see new bundles of the catalog", said)
	}
	if is.Deleted != "" {
		c.namespace = is.Deleted
		c.list("pods", "app=catalog-operator")
		c.addInNamespace("run", "delete pod -l app=catalog-operator")
		return "restart OLM's catalog-operator", administrator,
			fmt.Sprintf("OLM says %q, and upgrades nothing in the namespace. The CatalogSource was deleted, and OLM still has it in its cache, until its pod starts again. Newer releases of OLM forget it", said)
	}
	because := "With the given catalogs the namespace can be resolved: the cluster has other catalogs, or OLM has not tried again"
	if d.Unseen != "" {
		because = "Whether the namespace can be resolved is not known without " + unseen(d)
	}
	return "find out why OLM cannot resolve the namespace", administrator, fmt.Sprintf("OLM says %q, and upgrades nothing in the namespace. %s", said, because)
}

// unseen says how the catalog is given without which something is not known.
func unseen(d *cluster.Decision) string { return "its catalog: give " + d.Unseen + "=CATALOG" }

// describeUnpacking describes a bundle that OLM could not unpack, or an InstallPlan that it could not create.
func describeUnpacking(d *cluster.Decision, is *cluster.Unpacking, c *Commands) (action, who, message string) {
	said := strings.Join(d.Said, "; ")
	if is.Reason == "EnsureInstallPlanFailed" {
		return "correct why OLM cannot create the InstallPlan", administrator, said
	}
	retry := "OLM keeps the failed job: once the cause is gone, delete it and the ConfigMap of the same name"
	if is.Retry != "" {
		retry = "OLM tries again every " + is.Retry
	}
	c.namespace = is.Source.Namespace
	c.list("jobs,pods", "operatorframework.io/bundle-unpack-ref")
	if is.Reason == "ErrorPreventedUnpacking" {
		return "fix the bundle", maintainer, "OLM could not read the contents of the bundle, and creates no InstallPlan in the namespace: " + said
	}
	return "repair the image of the bundle or the access to it", administrator,
		fmt.Sprintf("OLM could not unpack the bundle (%s), and creates no InstallPlan in the namespace. %s", said, retry)
}

// refusedUpgrade describes an upgrade that fails because of objects that exist, or are to be created.
func refusedUpgrade(d *cluster.Decision, is *cluster.RefusedUpgrade, c *Commands) (action, who, message string) {
	said := upgradeName(is.From, is.To) + " fails: " + strings.Join(d.Said, "; ")
	switch is.Refusal {
	case cluster.StoredCRD:
		if d.Failure.Remedy == cluster.NewBundle {
			return "ask for a version that keeps the stored one", maintainer,
				fmt.Sprintf("the InstallPlan of %s. The new CRD does not have the version in which the cluster stores objects either: no migration helps before an upgrade to a version that has both", said)
		}
		c.remedy(d.Failure)
		when := "Store"
		if is.Later {
			when = "Once " + is.From + " runs, store"
		}
		return "migrate stored objects", administrator,
			fmt.Sprintf("the InstallPlan of %s. %s the objects again, and remove the version from status.storedVersions", said, when)
	case cluster.InvalidCRD:
		c.remedy(d.Failure)
		action, who = "change the CRD or the objects", maintainer
		if d.Failure.Remedy == cluster.Edit {
			action, who = remedyAction(cluster.Edit)
		}
		return action, who, "the InstallPlan of " + said
	case cluster.ImmutableField:
		return "delete the object, or wait for another version", administrator,
			fmt.Sprintf("the upgrade %s. Delete a Deployment after the failure, any other object before the upgrade: OLM creates it again", said)
	}
	return "wait for a version without the fault", maintainer, "the upgrade " + said
}

func upgradeName(from, to string) string {
	if from == "" {
		return to
	}
	return from + " → " + to
}

// noPlan describes what is missing, and OLM does not install.
func noPlan(d *cluster.Decision, is *cluster.NoPlan, c *Commands) (action, who, message string) {
	upgrade := upgradeName(is.From, is.To)
	if is.Again == nil {
		return "create a subscription for " + words.And(d.Operators), administrator,
			fmt.Sprintf("%s %s %s, which is missing. OLM creates no InstallPlan for it, because it has no subscription, and upgrades none of the others",
				words.And(is.RequiredBy), words.Plural(len(is.RequiredBy), "requires", "require"), upgrade)
	}
	return resolveAgain(is.Again, c, fmt.Sprintf("%s is missing. OLM creates no InstallPlan for it, because it already is the currentCSV of the subscription", upgrade))
}

func deletion(is *cluster.Deletion, c *Commands) (action, who, message string) {
	action = "wait until the finalizers are removed"
	if is.CSV == "" {
		c.add("look", "get", subscription, is.Subscription, "-o yaml")
		return action, administrator, fmt.Sprintf("subscription %q is being deleted and waits for its finalizers: %s", is.Subscription, words.And(is.Finalizers))
	}
	c.add("look", "get", csvResource, is.CSV, "-o yaml")
	message = fmt.Sprintf("%s is being deleted and waits for its finalizers: %s", is.CSV, words.And(is.Finalizers))
	if slices.Equal(is.Finalizers, []string{"operators.coreos.com/csv-cleanup"}) {
		c.override("patch", csvResource, is.CSV, `{"metadata":{"finalizers":null}}`)
		message += ". OLM removes it while it runs: if OLM is no longer installed, install it again, or remove the finalizer; cluster roles and webhooks of the operator stay then"
	}
	return action, administrator, message
}

func approval(is *cluster.Approval, c *Commands) (action, who, message string) {
	action, message = "approve the InstallPlan that OLM creates", "it installs "+words.And(is.To)
	if is.Later {
		message += ". If it is approved before that, OLM waits and upgrades nothing else in the namespace"
	}
	if len(is.Plan.Approve) > 0 {
		action = "approve " + plans(is.Plan.Approve...)
	} else if len(is.Plan.Manual) > 0 {
		message += fmt.Sprintf("; it waits because of installPlanApproval Manual of %s", countedNames("subscription", words.Quote(is.Plan.Manual)))
	}
	if is.Later {
		action = "only after that " + action
	} else if c.approve(is.Plan.Approve); len(is.Plan.Approve) == 0 && len(is.Plan.Manual) > 0 {
		c.addInNamespace("look", "get "+installPlan)
	}
	if len(is.Plan.Supersedes) > 0 {
		message += fmt.Sprintf("; %s still %s for approval: if approved, OLM would install %s, and then resolve again", plans(is.Plan.Supersedes...),
			words.Plural(len(is.Plan.Supersedes), "waits", "wait"), words.And(is.Stale))
	}
	if len(is.Hanging) > 0 {
		message += fmt.Sprintf("; %s of the same %s approved and %s: this one has to be approved too", plans(is.Hanging...), words.Plural(len(is.Hanging), "is", "are"),
			words.Plural(len(is.Hanging), "hangs", "hang"))
	}
	if len(is.Plan.Repeats) > 0 {
		message += fmt.Sprintf("; it repeats steps of %s, which waits for approval as well", plans(is.Plan.Repeats...))
	}
	return action, administrator, message
}

func conflict(is *cluster.Conflict, c *Commands) (action, who, message string) {
	action = "resolve the conflict"
	if is.Unowned != "" {
		c.delete(csvResource, is.Unowned)
		return "delete ClusterServiceVersion " + is.Unowned, administrator, fmt.Sprintf("%s is installed, and no subscription owns it: OLM installs no other version of its package "+
			"(ConstraintsNotSatisfiable). Once it is deleted the operator does not run until OLM has installed it again; CRDs and custom resources stay", is.Unowned)
	}
	if slices.ContainsFunc(is.Reasons, func(r resolve.Reason) bool { return r.Kind == resolve.NotOwned }) {
		action = "delete the subscription, or the ClusterServiceVersion that it does not own"
	}
	return action, administrator, "OLM cannot resolve the namespace (ConstraintsNotSatisfiable): " + strings.Join(reasonTexts(is.Reasons), "; ")
}

func notUpgraded(is *cluster.Rejection) string {
	return fmt.Sprintf("%s is not upgraded to %s: %s", is.From, is.Best.Name, rejection(is.Best))
}

func noPath(is *cluster.NoPath, c *Commands) (action, who, message string) {
	message = fmt.Sprintf("%s has no upgrade path to %s in channel %q", is.From, words.Or(is.Heads), is.Channel)
	if is.Channel == "" {
		message = fmt.Sprintf("%s has no upgrade path to %s in any channel", is.From, words.Or(is.Heads))
	}
	if len(is.Channels) == 0 {
		return "add an upgrade path to the catalog", maintainer, message + ", and no other channel has one. Until then an administrator can only install the operator anew: delete its Subscription and " +
			"ClusterServiceVersion, and subscribe again; CRDs and custom resources stay, the operator does not run in between, and nobody has tested that step"
	}
	c.switchTo(is.Subscription, is.Channels)
	return switchTo(is.Channels), administrator, message + channelEnds(is.Channels)
}

// resolutionFault describes why OLM does not resolve a namespace.
func resolutionFault(is *cluster.Fault, c *Commands) (action, who, message string) {
	message = fault(is.Fault)
	if is.Again != nil {
		return resolveAgain(is.Again, c, message)
	}
	if action, who = faultAction(is.Fault); len(is.Channels) > 0 {
		c.switchTo(is.Fault.Subscription, is.Channels)
		action, message = switchTo(is.Channels), message+channelEnds(is.Channels)
	}
	if len(is.Sources) > 0 {
		to := is.Sources[0]
		c.patch(subscription, is.Fault.Subscription, map[string]any{"source": to.Name, "sourceNamespace": to.Namespace})
		action = fmt.Sprintf("set CatalogSource %q", to.Name)
		message += fmt.Sprintf("; %s %s the package and the channel, and OLM goes on there", words.And(words.Map(is.Sources, func(k resolve.SourceKey) string { return strconv.Quote(k.String()) })),
			words.Plural(len(is.Sources), "has", "have"))
	}
	switch {
	case is.Fault.Kind == resolve.MissingChannel && len(is.Channels) == 0:
		message += "; olmgraph list shows those that it has"
	case len(is.Sources) > 0:
	case is.Fault.Kind == resolve.MissingPackage && is.Package == "" && is.Empty:
		action += ", or delete the subscription"
		message += ". Nothing is installed by the subscription, so that nothing is lost with it"
		c.delete(subscription, is.Fault.Subscription)
	case is.Fault.Kind == resolve.MissingPackage && is.Package == "":
		message += ". The operator keeps running. Wait until the catalog has the package, or name a CatalogSource in the subscription whose index has it, as that of the OpenShift version before; " +
			"last, delete the subscription: the operator then gets no updates"
		if is.Exists {
			c.override("delete", subscription, is.Fault.Subscription, "")
		}
	}
	if is.Package != "" {
		c.patch(subscription, is.Fault.Subscription, map[string]any{"name": is.Package})
		action = fmt.Sprintf("write package %q in the subscription", is.Package)
	}
	if is.Keep != "" {
		for _, name := range is.Fault.Groups.Names {
			if name != is.Keep {
				c.delete(operatorGroup, name)
			}
		}
		message += fmt.Sprintf("; all operators of the namespace run with %q", is.Keep)
	}
	if is.Fault.Kind == resolve.UnreachableCatalog {
		c.lookAtCatalog(is.Fault.Operator.Source)
	}
	return action, who, message
}

// switchTo tells to switch to one of some channels.
func switchTo(channels []cluster.ChannelChoice) string {
	return "switch to channel " + words.Or(words.Map(channels, func(c cluster.ChannelChoice) string { return strconv.Quote(c.Channel) }))
}

// channelEnds says where upgrades end in some channels.
func channelEnds(channels []cluster.ChannelChoice) string {
	return ". Upgrades end at " + words.And(words.Map(channels, func(c cluster.ChannelChoice) string { return fmt.Sprintf("%s in %q", c.End, c.Channel) }))
}

// faultAction returns what to do about a fault, and who has to.
func faultAction(f *resolve.Fault) (action, who string) {
	switch f.Kind {
	case resolve.InvalidGroups:
		if len(f.Groups.Names) > 0 {
			return "delete all OperatorGroups but one", administrator
		}
		return "create an OperatorGroup", administrator
	case resolve.MissingCatalog, resolve.UnseenCatalog:
		return "set another CatalogSource", administrator
	case resolve.MissingPackage:
		return "find a catalog that has the package", administrator
	case resolve.MissingChannel:
		return "switch the channel", administrator
	case resolve.MissingStartingCSV:
		return "change the startingCSV", administrator
	case resolve.UnreachableCatalog:
		return "repair or delete the CatalogSource", administrator
	case resolve.SeveralInstalled, resolve.BrokenReplacement:
		return "delete one of the ClusterServiceVersions", administrator
	}
	return "fix the catalog", maintainer
}

// waitAction returns what to do about an operator that waits, and who has to.
func waitAction(w *resolve.Wait) (action, who string) {
	switch w.Kind {
	case resolve.NotUpgradeable:
		return "make the operator upgradeable, or override the condition", operator
	case resolve.UnsupportedGroup:
		if w.Reason == resolve.InvalidInstallModes {
			return "fix the bundle", maintainer
		}
		return "change the OperatorGroup", administrator
	case resolve.RequirementsNotMet:
		return "upgrade Kubernetes", administrator
	}
	return "repair the operator that has failed", administrator
}

// describeWaiting describes an operator for which OLM waits.
func describeWaiting(d *cluster.Decision, is *cluster.Waiting, c *Commands) (action, who, message string) {
	action, who = waitAction(is.Wait)
	message = is.Wait.Name + " " + wait(is.Wait)
	if is.Wait.Stuck() != "" {
		action, who = failedAction(d.Failure, is.Reason)
	}
	if is.Stuck != "" {
		c.remedy(d.Failure)
		c.lookAtCSV(is.Stuck)
	}
	if len(d.Said) > 0 {
		message += ". " + is.Stuck + " says: " + strings.Join(d.Said, "; ")
	}
	if is.Wait.Kind == resolve.UnsupportedGroup && is.Wait.Reason != resolve.InvalidInstallModes && d.Group == nil {
		action = "change the OperatorGroup, or install it in another namespace"
		message += ". A change of the OperatorGroup concerns every operator of the namespace"
	}
	if is.Instead != "" {
		c.override("patch", operatorGroup, is.Group, `{"spec":{"upgradeStrategy":"TechPreviewUnsafeFailForward"}}`)
		action += ", or let OLM upgrade to " + is.Instead + " all the same"
		message += ". With upgradeStrategy TechPreviewUnsafeFailForward OLM replaces what has failed: set it back afterwards"
	}
	if is.Wait.Kind == resolve.NotUpgradeable {
		c.add("look", "get", operatorCondition, is.Wait.Replaces, "-o yaml")
		if d.Unseen != "" {
			return "give the catalog", reader, message + "; whether " + is.Wait.Name + " runs here after that is not known without " + unseen(d)
		}
		c.override("patch", operatorCondition, is.Wait.Replaces,
			`{"spec":{"overrides":[{"type":"Upgradeable","status":"True","reason":"Administrator","message":"upgrade all the same"}]}}`)
	}
	return action, who, message
}

// failedAction returns what to do about a ClusterServiceVersion that has failed, and who has to. f may be nil.
func failedAction(f *cluster.Failure, reason string) (action, who string) {
	if f != nil && f.Remedy != cluster.Correct {
		return remedyAction(f.Remedy)
	}
	return csvReasonAction(reason)
}

// csvReasonAction returns what to do about a ClusterServiceVersion that is Failed or Pending for a reason (api: v1alpha1 ConditionReason), and who has to.
func csvReasonAction(reason string) (action, who string) {
	switch reason {
	case "RequirementsNotMet":
		return "provide what is missing", administrator
	case "NeedsReinstall", "ComponentUnhealthy", "InstallCheckFailed":
		return "look at the Deployments of the operator", administrator
	case "InstallComponentFailed", "InstallComponentFailedNoRetry", "APIServiceInstallFailed", "APIServiceResourceIssue", "APIServiceResourcesNeedReinstall":
		return "correct what could not be installed", administrator
	case "InterOperatorGroupOwnerConflict":
		return "uninstall one of the operators that provide the same APIs", administrator
	case "OwnerConflict":
		return "uninstall one of the operators that own the same CRDs or APIServices", administrator
	case resolve.UnsupportedOperatorGroup, resolve.NoTargetNamespaces:
		return "change the OperatorGroup", administrator
	case "CannotModifyStaticOperatorGroupProvidedAPIs":
		return "add the APIs of the operator to the annotation olm.providedAPIs of the OperatorGroup", administrator
	case "OperatorConditionNotUpgradeable":
		return "make the operator upgradeable, or override the condition", operator
	case "NoOperatorGroup":
		return "create an OperatorGroup", administrator
	case "TooManyOperatorGroups":
		return "delete all OperatorGroups of the namespace but one", administrator
	case resolve.InvalidInstallModes, "InvalidInstallStrategy", "InvalidWebhookDescription":
		return "fix the bundle", maintainer
	}
	return "look at the ClusterServiceVersion", administrator
}

// unhealthy describes what is installed and does not run, or is to be installed and will not.
func unhealthy(d *cluster.Decision, is *cluster.Unhealthy, c *Commands) (action, who, message string) {
	action, who = failedAction(d.Failure, is.Reason)
	message = fmt.Sprintf("%s is %s%s", is.Name, is.Phase, parenthesize(is.Reason))
	if len(d.Said) > 0 {
		message += ": " + strings.TrimRight(strings.Join(d.Said, "; "), ".")
	}
	if is.Replacing != "" {
		message += fmt.Sprintf(". %s is to replace it, and waits until it has Succeeded", is.Replacing)
	}
	if len(is.Unserved) > 0 {
		action = serveAgain(is, c)
		message += fmt.Sprintf(". It never does, since the new CRD does not serve its version. Or delete %s: OLM then continues with %s. Maintainers: serve the version for one more release", is.Name, is.Replacing)
	}
	for _, name := range is.ServiceAccounts {
		c.Invalid = c.Invalid || !snapshot.IsName(name)
		c.addInNamespace("run", "create serviceaccount "+name)
	}
	if len(is.ServiceAccounts) > 0 {
		message += ". The InstallPlan is Complete, and does not create the account again. Its bindings exist if it alone was deleted; else delete the ClusterServiceVersion and the Subscription, and subscribe again"
	}
	if is.Again {
		message += ". OLM has installed it before, found it unhealthy, and does so again and again"
	}
	if is.Phase == "Failed" || is.Phase == "Pending" || is.Again {
		c.remedy(d.Failure)
		c.lookAtCSV(is.Name)
	}
	if is.Subscription != "" {
		c.delete(subscription, is.Subscription)
		c.delete(csvResource, is.Name)
		message += ". To uninstall this one, delete its subscription and its ClusterServiceVersion; CRDs and custom resources stay"
	}
	return action, who, message
}

// serveAgain tells to serve versions of CRDs, and adds the commands: each tests that the version is the one that is meant, since it names an index.
func serveAgain(is *cluster.Unhealthy, c *Commands) (action string) {
	var names []string
	for _, served := range []bool{true, false} {
		for _, u := range is.Unserved {
			c.Invalid = c.Invalid || !snapshot.IsName(u.CRD) || !snapshot.IsName(u.Version)
			purpose := "run"
			if !served {
				purpose = "afterwards"
			}
			c.addText(purpose, fmt.Sprintf(`kubectl patch customresourcedefinition/%s --type json --patch '[{"op":"test","path":"/spec/versions/%[2]d/name","value":"%[3]s"},{"op":"replace","path":"/spec/versions/%[2]d/served","value":%[4]t}]'`,
				u.CRD, u.Index, u.Version, served))
			if served {
				names = append(names, u.Version+" of "+u.CRD)
			}
		}
	}
	return "serve " + words.And(names) + " again, until the upgrade is done"
}
