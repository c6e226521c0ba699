package bundle

import (
	"slices"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// UpgradeRules returns the rules of the family, in the order in which they are called.
func UpgradeRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents}, slices.Concat(failingUpgradeRules(), servedAPIRules()))
}

// failingUpgradeRules returns the rules on objects that the API server does not let an upgrade change or create.
func failingUpgradeRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "upgrade/selector-changed", NeedsManifests: true, Severity: lint.Error,
			Doc: `an upgrade changes the selector of a Deployment
OLM updates a Deployment of the same name, and the API server never lets spec.selector change. The new
ClusterServiceVersion fails with InstallComponentFailed. OLM v0 retries without a pause, and upgrades nothing in
the namespace. The old operator keeps running. An administrator can delete the Deployment, which OLM then creates
again. It is a warning if OLM does not upgrade automatically, if the new version is published and not a head, and if
upgrades to the heads of the base fail alike.
Give the Deployment another name, also in webhookdefinitions and owned API services, or keep the selector; labels of the pods can change.`,
			Reference: "OLM install CreateOrUpdateDeployment; Kubernetes validation ValidateDeploymentUpdate; operator-lifecycle-manager #952",
			Check:     contents.JudgedUpgrades,
		},
		{
			ID: "upgrade/immutable-field", NeedsManifests: true, Severity: lint.Error,
			Doc: `an upgrade changes an immutable field
OLM updates objects of the same kind and name. The API server refuses a change of the roleRef of a binding,
the value or preemptionPolicy of a PriorityClass, the type of a Secret, the address of a Service, and the
data of an immutable ConfigMap or Secret. The InstallPlan of OLM v0 fails, and its later steps do not run.
It is a warning if OLM does not upgrade automatically, if the new version is published and not a head, and if
upgrades to the heads of the base fail alike.
Give the object another name, or keep the field.`,
			Reference: "OLM catalog StepEnsurer; Kubernetes pkg/apis/*/validation",
			Check:     contents.JudgedUpgrades,
		},
		{
			ID: "upgrade/kind-not-served", NeedsManifests: true, Severity: lint.Info,
			Doc: `an upgrade needs a kind that not every cluster serves
The new bundle has a ServiceMonitor, a PrometheusRule, a VerticalPodAutoscaler or an object of OpenShift's
console; the older one has none. On a cluster that does not serve the kind the InstallPlan fails.
OpenShift serves all but VerticalPodAutoscaler, so only that is reported for a catalog for OpenShift.
Let the operator create the object if the kind is served, or say in the description what the cluster needs.`,
			Reference: "OLM catalog gvkNotFoundError, supportedKinds",
			Check:     contents.JudgedUpgrades,
		},
	}
}

// servedAPIRules returns the rules on conversions, CRDs and webhooks that an upgrade changes.
func servedAPIRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "upgrade/conversion-lost", NeedsManifests: true, Severity: lint.Error,
			Doc: `an upgrade loses the conversion of a CRD that serves several versions
Without the webhook the API server changes nothing but the apiVersion of objects: what differs between the versions is lost. If the CRD names a
Service that the bundle no longer has, requests for its versions fail. Nobody rejects the upgrade. It is a warning if the new version is
published and not a head.
Keep the conversion and its Service while several versions are served.`,
			Reference: "Kubernetes apiextensions-apiserver pkg/apiserver/conversion; OLM install createOrUpdateConversionWebhook",
			Check:     contents.JudgedUpgrades,
		},
		{
			ID: "upgrade/owned-version-unserved", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `an upgrade stops serving a version that the older ClusterServiceVersion owns
OLM v0 updates the CRDs once the new ClusterServiceVersion exists. This normally puts the old one into Replacing,
where its requirements are not checked. If OLM checks the old one earlier, an owned version that is not served makes
it Failed, then Pending, and the upgrade hangs. Most clusters upgrade, but not if the old operator had failed before.
The upgrade continues once the version is served again. It is an info if the new version is published and not a head.
First publish a release that owns only the newer version and serves both, to which all users upgrade (also by skips and skipRange).`,
			Reference: "OLM checkReplacementsAndUpdateStatus; operator-lifecycle-manager #3388",
			Check:     contents.JudgedUpgrades,
		},
		{
			ID: "upgrade/webhook-for-others", NeedsManifests: true, Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `an upgrade calls an admission webhook for resources of others
The webhook is called for resources of an API group that the operator does not own, for example pods, and was not before, or failed open.
While the operator does not answer, the API server rejects requests for them, on the whole cluster if no selector limits it.
Limit it by a selector, or set failurePolicy: Ignore.`,
			Reference: "Kubernetes: dynamic admission control, failure policy; OLM install createOrUpdateValidatingWebhook",
			Check:     contents.JudgedUpgrades,
		},
	}
}
