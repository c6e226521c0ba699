package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
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

// ClusterDecision is what to do about a Decision, who has to do it, and why, as sentences.
type ClusterDecision struct{ Action, Who, Message string }

// Decision describes a decision.
func Decision(d *cluster.Decision) ClusterDecision {
	out := decision(d)
	switch {
	case len(d.Also) > 0:
		out.Message += ". Until then OLM upgrades nothing in these namespaces"
	case len(d.Freezes) > 0 && len(d.Operators) == 0:
		out.Message += fmt.Sprintf(". Until then OLM upgrades nothing in the namespace: %s", phrase.And(d.Freezes))
	case len(d.Freezes) > 0:
		out.Message += fmt.Sprintf(". Until then OLM upgrades nothing else in the namespace: %s", phrase.And(d.Freezes))
	}
	return out
}

// Deprecations says what is deprecated in a package.
func Deprecations(pkg string, all []*catalogs.Deprecation) []string {
	return phrase.Of(all, func(d *catalogs.Deprecation) string {
		what := fmt.Sprintf("package %q", pkg)
		switch d.Schema.Value {
		case catalogs.SchemaChannel:
			what = fmt.Sprintf("channel %q of package %q", d.Name.Value, pkg)
		case catalogs.SchemaBundle:
			what = d.Name.Value
		}
		return what + " is deprecated: " + d.Message.Value
	})
}

func decision(d *cluster.Decision) ClusterDecision {
	switch d.Kind {
	case cluster.Approval:
		return approvalDecision(d)
	case cluster.Fault:
		action, who := faultAction(d.Fault)
		if len(d.Others) > 0 {
			action = switchTo(d.Others)
		}
		if d.Again != nil {
			return againDecision(d, fault(d.Fault))
		}
		return ClusterDecision{action, who, fault(d.Fault)}
	case cluster.Limit:
		return ClusterDecision{"run olmgraph again with fewer operators", reader, undecided + ": " + fault(d.Fault)}
	case cluster.Conflict:
		action := "resolve the conflict"
		if slices.ContainsFunc(d.Reasons, func(r resolve.Reason) bool { return r.Kind == resolve.NotOwned }) {
			action = "delete the subscription, or the ClusterServiceVersion that it does not own"
		}
		return ClusterDecision{action, administrator, "OLM cannot resolve the namespace (ConstraintsNotSatisfiable): " + strings.Join(reasonTexts(d.Reasons), "; ")}
	case cluster.Waiting:
		return waitingDecision(d)
	case cluster.Rejected:
		return ClusterDecision{"resolve the dependency", administrator, fmt.Sprintf("%s is not upgraded to %s: %s", d.From.Name, d.Reject[0].Name, rejection(&d.Reject[0]))}
	case cluster.NotGiven:
		said := strings.Join(reasonTexts(d.Reasons), "; ")
		if len(d.Reject) > 0 {
			said = fmt.Sprintf("%s is not upgraded to %s: %s", d.From.Name, d.Reject[0].Name, rejection(&d.Reject[0]))
		}
		return ClusterDecision{"give the other catalogs", reader, "not known, because some catalogs are not given: " + said}
	case cluster.NoPath:
		return noPathDecision(d)
	case cluster.Unhealthy:
		return unhealthyDecision(d)
	case cluster.OutdatedPlan:
		out := againDecision(d, fmt.Sprintf("%s installs %s, which is no longer in the catalog. There, %s upgrades %s", plans(d.Plan.Approve), phrase.And(d.To), phrase.And(d.Others), d.From.Name))
		out.Action = "do not approve it: " + out.Action
		return out
	case cluster.FailedPlan, cluster.FailingPlan:
		return stoppedPlan(d)
	case cluster.Reported, cluster.GeneratedBy, cluster.Deletion, cluster.Unpacking:
		return reportedDecision(d)
	case cluster.CustomResources, cluster.Remove, cluster.Leftovers:
		return removalDecision(d)
	}
	return objectDecision(d)
}

// StepNotes says what is to be known of a step of an operator.
func StepNotes(s *cluster.Step) []string {
	all := phrase.Of(s.Waits, func(w *resolve.Wait) string { return w.Name + " " + wait(w) })
	for _, name := range s.Superseded {
		all = append(all, fmt.Sprintf("%s still waits for approval, but no subscription refers to it: the new one supersedes it. OLM would still run it", plans([]string{name})))
	}
	if s.Uncertain {
		all = append(all, "OLM may reach another result, depending on the order of subscriptions and channels, which OLM does not define")
	}
	return all
}

// againDecision tells to let OLM resolve a namespace again, because of a message.
func againDecision(d *cluster.Decision, message string) ClusterDecision {
	return ClusterDecision{againAction(d.Again), administrator, message + ". " + resolvesAgain}
}

// resolvesAgain says what follows from againAction.
const resolvesAgain = "After this step OLM resolves the namespace again; installed operators keep running"

func againAction(a *cluster.Again) string {
	if a.Delete == "" {
		return "reset the status of " + countedNames("subscription", phrase.Quoted(a.Reset))
	}
	return "delete " + plans([]string{a.Delete})
}

// reportedDecision describes what OLM says itself of InstallPlans and Subscriptions.
func reportedDecision(d *cluster.Decision) ClusterDecision {
	said := strings.Join(d.Said, "; ")
	switch {
	case d.Kind == cluster.GeneratedBy:
		return ClusterDecision{"remove the annotation olm.generated-by of the subscription", administrator,
			fmt.Sprintf("subscription %q waits for %s, which created it and no longer exists: OLM resolves nothing in the namespace", d.Subscription, plans(d.Plan.Names))}
	case d.Kind == cluster.Deletion:
		return ClusterDecision{"wait until the finalizers are removed", administrator,
			fmt.Sprintf("subscription %q is being deleted and waits for its finalizers: %s", d.Subscription, phrase.And(d.Others))}
	case d.Reason == "EnsureInstallPlanFailed":
		return ClusterDecision{"correct why OLM cannot create the InstallPlan", administrator, said}
	case d.Reason == "ErrorPreventedUnpacking":
		return ClusterDecision{"fix the bundle", maintainer, "OLM could not read the contents of the bundle, and creates no InstallPlan in the namespace: " + said}
	case d.Kind == cluster.Unpacking:
		return ClusterDecision{"repair the image of the bundle or the access to it", administrator,
			fmt.Sprintf("OLM could not unpack the bundle (%s), and creates no InstallPlan in the namespace. OLM of 2026 on tries again after 5 minutes; an older one keeps the failed job until it is deleted with the ConfigMap of the same name", said)}
	case d.Reason == "OperatorGroupServiceAccount":
		return ClusterDecision{"create the service account of the OperatorGroup", administrator, said + ": OLM runs no InstallPlan in the namespace"}
	case d.Reason == "CatalogSourcesUnhealthy":
		return ClusterDecision{"repair the CatalogSource", administrator, fmt.Sprintf("OLM says %q: it does not see new bundles of the catalog", said)}
	}
	return ClusterDecision{"find out why OLM cannot resolve the namespace", administrator,
		fmt.Sprintf("OLM says %q, and upgrades nothing in the namespace. With the given catalogs the namespace can be resolved: the cluster has other catalogs, or OLM has not tried again", said)}
}

// objectDecision describes decisions on objects that exist, or are to be created.
func objectDecision(d *cluster.Decision) ClusterDecision {
	upgrade := phrase.And(d.To)
	if d.From.Name != "" {
		upgrade = d.From.Name + " → " + upgrade
	}
	said := strings.Join(d.Said, "; ")
	switch d.Kind {
	case cluster.StoredCRD:
		return ClusterDecision{"migrate stored objects", administrator,
			fmt.Sprintf("the InstallPlan of %s fails: %s. Store the objects again, and remove the version from status.storedVersions", upgrade, said)}
	case cluster.InvalidCRD:
		if d.Failure.Remedy == cluster.Edit {
			action, who := remedyAction(cluster.Edit)
			return ClusterDecision{action, who, fmt.Sprintf("the InstallPlan of %s fails: %s", upgrade, said)}
		}
		return ClusterDecision{"change the CRD or the objects", maintainer, fmt.Sprintf("the InstallPlan of %s fails: %s", upgrade, said)}
	case cluster.UpgradeFails:
		return ClusterDecision{"wait for a version without the fault", maintainer, fmt.Sprintf("the upgrade %s fails: %s", upgrade, said)}
	case cluster.ImmutableField:
		return ClusterDecision{"delete the object, or wait for another version", administrator,
			fmt.Sprintf("the upgrade %s fails: %s. Delete a Deployment after the failure, any other object before the upgrade: OLM creates it again", upgrade, said)}
	case cluster.NoPlan:
		if d.Again == nil {
			return ClusterDecision{"create a subscription for " + phrase.And(d.Operators), administrator,
				fmt.Sprintf("%s %s %s, which is missing. OLM creates no InstallPlan for it, because it has no subscription, and upgrades none of the others",
					phrase.And(d.Others), phrase.Plural(len(d.Others), "requires", "require"), upgrade)}
		}
		return againDecision(d, fmt.Sprintf("%s is missing. OLM creates no InstallPlan for it, because it already is the currentCSV of the subscription", upgrade))
	}
	return ClusterDecision{"fix the catalog", maintainer, "the upgrades form a cycle: OLM repeats them endlessly"}
}

func approvalDecision(d *cluster.Decision) ClusterDecision {
	out := ClusterDecision{"approve the InstallPlan that OLM creates", administrator, "it installs " + phrase.And(d.To)}
	if d.Later {
		out.Message += ". If it is approved before that, OLM waits and upgrades nothing else in the namespace"
	}
	if len(d.Plan.Approve) > 0 {
		out.Action = "approve " + plans(d.Plan.Approve)
	} else if len(d.Plan.Manual) > 0 {
		out.Message += fmt.Sprintf("; it waits because of installPlanApproval Manual of %s", countedNames("subscription", phrase.Quoted(d.Plan.Manual)))
	}
	if d.Later {
		out.Action = "only after that " + out.Action
	}
	if len(d.Plan.Repeats) > 0 {
		out.Message += fmt.Sprintf("; it repeats steps of %s, which waits for approval as well", plans(d.Plan.Repeats))
	}
	return out
}

func noPathDecision(d *cluster.Decision) ClusterDecision {
	said := fmt.Sprintf("%s has no upgrade path to %s in channel %q", d.From.Name, phrase.Or(d.To), d.Channel)
	if d.Channel == "" {
		said = fmt.Sprintf("%s has no upgrade path to %s in any channel", d.From.Name, phrase.Or(d.To))
	}
	if len(d.Others) == 0 {
		return ClusterDecision{"add an upgrade path to the catalog", maintainer, said + ", and no other channel has one"}
	}
	return ClusterDecision{switchTo(d.Others), administrator, said}
}

// switchTo tells to switch to one of some channels.
func switchTo(channels []string) string {
	return "switch to channel " + phrase.Or(phrase.Quoted(channels))
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
		return "delete the subscription, or restore the package", administrator
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

// waitingDecision describes an operator for which OLM waits.
func waitingDecision(d *cluster.Decision) ClusterDecision {
	action, who := waitAction(d.Wait)
	message := d.Wait.Name + " " + wait(d.Wait)
	if d.Wait.Stuck() != "" {
		action, who = failedAction(d)
	}
	if len(d.Others) > 0 {
		action += ", or let OLM upgrade to " + phrase.And(d.Others) + " all the same"
	}
	if len(d.Said) > 0 {
		message += ". " + d.From.Name + " says: " + strings.Join(d.Said, "; ")
	}
	if len(d.Others) > 0 {
		message += ". With upgradeStrategy TechPreviewUnsafeFailForward OLM replaces what has failed: set it back afterwards"
	}
	return ClusterDecision{action, who, message}
}

// failedAction returns what to do about a ClusterServiceVersion that has failed, and who has to.
func failedAction(d *cluster.Decision) (action, who string) {
	if d.Failure != nil && d.Failure.Remedy != cluster.Correct {
		return remedyAction(d.Failure.Remedy)
	}
	return phaseAction(d.Reason)
}

// phaseAction returns what to do about a ClusterServiceVersion that is Failed or Pending for a reason (api: v1alpha1 ConditionReason), and who has to.
func phaseAction(reason string) (action, who string) {
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

// unhealthyDecision describes what is installed and does not run.
func unhealthyDecision(d *cluster.Decision) ClusterDecision {
	action, who := failedAction(d)
	message := fmt.Sprintf("%s is %s", d.From.Name, d.Phase)
	if d.Reason != "" {
		message += " (" + d.Reason + ")"
	}
	if len(d.Said) > 0 {
		message += ": " + strings.Join(d.Said, "; ")
	}
	return ClusterDecision{action, who, message}
}
