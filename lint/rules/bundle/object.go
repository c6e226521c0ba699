package bundle

import (
	"encoding/json"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/bundled"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// eachObject returns a check that calls check for each object of a bundle.
func eachObject(check func(*contents.Contents, *bundled.Manifest)) func(*contents.Contents) {
	return func(c *contents.Contents) {
		for _, m := range c.Objects() {
			check(c, m)
		}
	}
}

// ObjectRules returns the rules of the family, in the order in which they are called.
func ObjectRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents, InfoIfPublished: lint.Error}, slices.Concat(installedObjectRules(), invalidObjectRules()))
}

// installedObjectRules returns the rules on objects that the API server rejects, or that have an effect on others.
func installedObjectRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "object/removed-api", NeedsManifests: true, Severity: lint.Error, OtherGates: lint.GateAdvice,
			Doc: `an object uses an API that Kubernetes has removed
From that version of Kubernetes on, the API server does not serve the API, and the installation fails. It is an
error if the catalog is for such a version, or if the minKubeVersion of the bundle requires one; otherwise it
is an info. --kube, kube or openshift in the configuration, or the catalog's folder says which version that is.
Use the newer version of the API.`,
			Reference: "Kubernetes Deprecated API Migration Guide",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "object/disruption-budget", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a PodDisruptionBudget allows no disruption
With maxUnavailable 0 or minAvailable 100% a node that runs such a pod cannot be drained, and upgrades of the cluster stop there.
Allow at least one pod to be unavailable.`,
			Reference: "operator-framework/api object.go validatePDB",
			Check:     contents.InHeads(eachObject(checkBudget)),
		},
		{
			ID: "object/priority-class", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a PriorityClass is the global default
With globalDefault: true an operator changes the priority of every pod in the cluster without a priorityClassName.
Set globalDefault: false, and name the class in the operator's own pods.`,
			Reference: "operator-framework/api object.go validatePriorityClass",
			Check:     contents.InHeads(eachObject(checkPriority)),
		},
		{
			ID: "object/default-scc", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a role may change the security context constraints of OpenShift
The security context constraints that OpenShift ships define the permissions of every pod. A subject that can change them can
change the security of the whole cluster. A role without resourceNames can change all of them.
Create separate constraints, and name them in resourceNames.`,
			Reference: "operator-framework/api object.go audit",
			Check:     contents.InHeads(contents.EachPolicyRule(checkSCC)),
		},
	}
}

// invalidObjectRules returns the rules on objects that OLM or the API server cannot take as they are.
func invalidObjectRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "object/service-account", NeedsManifests: true, Severity: lint.Error,
			Doc: `a bundle contains a service account that OLM creates
OLM creates the service accounts of the deployments in a ClusterServiceVersion. A service account of the
same name in the bundle conflicts with it: each overwrites the other repeatedly, and secrets are lost.
Remove it from the bundle, or give it another name.`,
			Reference: "operator-framework/api bundle.go validateServiceAccounts",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "object/invalid", NeedsManifests: true, Severity: lint.Error,
			Doc: `the API server rejects an object
A Service needs ports, unless it has no address of its own; a binding the name and the kind of a role, and subjects with names; a
PodDisruptionBudget has one of minAvailable and maxUnavailable. The API server rejects other objects, and the InstallPlan fails.
Correct the object.`,
			Reference: "Kubernetes pkg/apis/core/validation, pkg/apis/rbac/validation, pkg/apis/policy/validation",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "object/metadata", NeedsManifests: true, Severity: lint.Error, OtherGates: lint.GateAdvice,
			Doc: `an object has invalid metadata
Every object needs an apiVersion, a kind, a name that Kubernetes accepts, and valid labels. Otherwise the API server rejects it,
and the whole installation fails. OLM v0 leaves out a file whose object has no kind, and creates roles, role bindings, service accounts, services,
ConfigMaps and secrets without an apiVersion by their kind.
Correct the metadata.`,
			Reference: "operator-registry pkg/lib/bundle validateKubectlable; Kubernetes ObjectMeta validation",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "object/pod-security-policy", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateCommunity,
			Doc: `an operator has permissions on PodSecurityPolicies
Kubernetes 1.25 (OpenShift 4.12) removed PodSecurityPolicies: the permissions have no effect there, and an operator that needs the API
fails. The pipeline of the community catalog warns of them.
Remove the permissions, unless the operator supports older clusters.`,
			Reference: "operator-framework/api removed_apis.go getRemovedAPIsOn1_25From",
			Check:     contents.InHeads(contents.EachPolicyRule(checkPodSecurityPolicy)),
		},
	}
}

// defaultSCCs are the security context constraints that OpenShift ships (operator-framework/api: object.go).
var defaultSCCs = []string{"privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork",
	"node-exporter", "nonroot"}

func checkSCC(c *contents.Contents, o *judge.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest.Kind == csv.Kind || !r.Allows("security.openshift.io", []string{"securitycontextconstraints"}, "delete", "update", "patch") {
		return
	}
	switch {
	case len(r.ResourceNames) == 0:
		c.ReportOn(o.Manifest, path, "name the operator's own constraints in resourceNames",
			"may change or delete all security context constraints of OpenShift, by %s, and with them the permissions of all other pods", o.Description)
	case words.ContainsAny(r.ResourceNames, defaultSCCs...):
		c.ReportOn(o.Manifest, path, "create separate constraints instead",
			"may change or delete security context constraints that OpenShift ships, by %s", o.Description).WithCause(r.ResourceNames...)
	}
}

func checkBudget(c *contents.Contents, m *bundled.Manifest) {
	var budget struct {
		Spec struct{ MaxUnavailable, MinAvailable any }
	}
	if m.Kind != "PodDisruptionBudget" || json.Unmarshal(m.JSON(), &budget) != nil {
		return
	}
	if v := budget.Spec.MaxUnavailable; v == 0.0 || v == "0%" {
		c.ReportOn(m, "spec.maxUnavailable", "allow at least one",
			"contains the PodDisruptionBudget %q with maxUnavailable %v: no node that such a pod is on can be drained", m.Name, v)
	}
	if v := budget.Spec.MinAvailable; v == "100%" {
		c.ReportOn(m, "spec.minAvailable", "allow at least one to be unavailable",
			"contains the PodDisruptionBudget %q with minAvailable 100%%: no node that such a pod is on can be drained", m.Name)
	}
}

func checkPodSecurityPolicy(c *contents.Contents, o *judge.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest.Kind == csv.Kind && slices.Contains(r.APIGroups, "policy") && slices.Contains(r.Resources, "podsecuritypolicies") {
		c.ReportOn(o.Manifest, path, "remove it, unless the operator supports older clusters",
			"has permissions on PodSecurityPolicies, by %s, which Kubernetes 1.25 removed: the community pipeline warns of it", o.Description).WithCause(o.Name)
	}
}

func checkPriority(c *contents.Contents, m *bundled.Manifest) {
	var class struct{ GlobalDefault bool }
	if m.Kind == "PriorityClass" && json.Unmarshal(m.JSON(), &class) == nil && class.GlobalDefault {
		c.ReportOn(m, "globalDefault", "set globalDefault: false",
			"contains the PriorityClass %q as the default of the whole cluster: it changes which pods all other pods may preempt", m.Name)
	}
}
