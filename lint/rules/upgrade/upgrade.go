// Package upgrade has the rules on upgrades that OLM chooses and that then fail on the cluster; those on CRDs are in package crd.
package upgrade

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents}, []lint.Rule{
		{
			ID: "upgrade/selector-changed", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
			Doc: `an upgrade changes the selector of a Deployment
OLM replaces a Deployment of the same name. The API server never lets spec.selector change: the new ClusterServiceVersion fails with
InstallComponentFailed, and OLM v0 tries again without a pause and upgrades nothing in the namespace. The old operator keeps running. An
administrator gets out by deleting the Deployment, which OLM then creates again. It is a warning if OLM does not upgrade automatically,
and if the new version is published and no head.
Give the Deployment another name, also in webhookdefinitions and owned API services, or keep the selector; labels of the pods can change.`,
			Reference: "OLM install CreateOrUpdateDeployment; Kubernetes validation ValidateDeploymentUpdate; operator-lifecycle-manager #952",
			Check:     checkSelectors,
		},
		{
			ID: "upgrade/immutable-field", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
			Doc: `an upgrade changes a field that the API server does not let change
OLM replaces objects of the same kind and name. The API server refuses another roleRef of a binding, value or preemptionPolicy of a
PriorityClass, type of a Secret, address of a Service, and data of a ConfigMap or Secret that is immutable: the InstallPlan of OLM v0 fails,
without what comes after the object.
It is a warning if OLM does not upgrade automatically, and if the new version is published and no head.
Give the object another name, or keep the field.`,
			Reference: "OLM catalog StepEnsurer; Kubernetes pkg/apis/*/validation",
			Check:     checkFields,
		},
		{
			ID: "upgrade/kind-not-served", NeedsManifests: true, Severity: lint.Info, Gates: lint.GateOLMv0 | lint.GateOLMv1,
			Doc: `an upgrade needs a kind that not every cluster serves
OLM installs a ServiceMonitor, a PrometheusRule, a VerticalPodAutoscaler or an object of OpenShift's console. Where the cluster does not
serve the kind, the InstallPlan fails, though the version before was installed there. OpenShift serves all but VerticalPodAutoscaler: of a
catalog for OpenShift only that is told.
Let the operator create the object if the kind is served, or say in the description what the cluster needs.`,
			Reference: "OLM catalog gvkNotFoundError, supportedKinds",
			Check:     checkNotServed,
		},
		{
			ID: "upgrade/owned-version-unserved", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `an upgrade stops serving a version that the older ClusterServiceVersion owns
OLM v0 replaces the CRDs once the new ClusterServiceVersion exists, which normally puts the old one into Replacing, where its requirements are not
checked. If OLM looks at the old one earlier, a version that it owns and that is not served makes it Failed, then Pending, and the upgrade hangs.
Most clusters upgrade: it is a race, lost for certain where the old operator had failed. Users get out once the version is served
again. It is an info if the new version is published and no head.
Own only the newer version in a release before, to which all users upgrade first (also by skips and skipRange), and serve both until then.`,
			Reference: "OLM checkReplacementsAndUpdateStatus; operator-lifecycle-manager #3388",
			Check:     checkOwnedUnserved,
		},
	})
}
