// Package object has the rules on objects of bundles other than ClusterServiceVersions and CRDs.
package object

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/bundled"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/names"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/graph/judge/removed"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// eachObject returns a check that calls check for each object of a bundle.
func eachObject(check func(*contents.Contents, *bundled.Manifest)) func(*contents.Contents) {
	return func(c *contents.Contents) {
		for _, m := range c.Objects() {
			check(c, m)
		}
	}
}

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents, InfoIfPublished: lint.Error}, []lint.Rule{
		{
			ID: "object/removed-api", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer, OtherGates: lint.GateAdvice,
			Doc: `an object uses an API that Kubernetes has removed
From that version of Kubernetes on, the API server does not serve the API, and the installation fails. It is an
error if the catalog is for such a version, or if the minKubeVersion of the bundle requires one; otherwise it
is an info. --kube, kube or openshift in the configuration, or the catalog's folder says which version that is.
Use the newer version of the API.`,
			Reference: "Kubernetes Deprecated API Migration Guide",
			Check:     contents.InHeads(eachObject(checkRemoved)),
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
		{
			ID: "object/budget-permission", NeedsManifests: true, Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `a role may create PodDisruptionBudgets
A budget that allows no disruption prevents nodes from being drained, and so blocks upgrades of the cluster.
Give the role read access only, unless the operator must create budgets.`,
			Reference: "operator-framework/api object.go audit",
			Check:     contents.InHeads(contents.EachPolicyRule(checkPDBRule)),
		},
		{
			ID: "object/service-account", NeedsManifests: true, Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `a bundle contains a service account that OLM creates
OLM creates the service accounts of the deployments in a ClusterServiceVersion. A service account of the
same name in the bundle conflicts with it: each overwrites the other repeatedly, and secrets are lost.
Remove it from the bundle, or give it another name.`,
			Reference: "operator-framework/api bundle.go validateServiceAccounts",
			Check:     contents.InHeads(contents.WithReadableCSV(eachObject(checkAccount))),
		},
		{
			ID: "object/metadata", NeedsManifests: true, Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer, OtherGates: lint.GateAdvice,
			Doc: `an object has invalid metadata
Every object needs an apiVersion, a kind, a name that Kubernetes accepts, and valid labels. Otherwise the API server rejects it,
and the whole installation fails. OLM v0 leaves out a file whose object has no kind, and creates roles, role bindings, service accounts, services,
ConfigMaps and secrets without an apiVersion by their kind.
Correct the metadata.`,
			Reference: "operator-registry pkg/lib/bundle validateKubectlable; Kubernetes ObjectMeta validation",
			Check:     contents.InAllBundles(checkObjectMeta),
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
	})
}

func checkPDBRule(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest.Kind != csv.Kind && r.Allows("policy", []string{"poddisruptionbudgets"}, "create", "update", "patch") {
		c.ReportOn(o.Manifest, path, "give it read access only, unless it must create them",
			"may create disruption budgets, by %s: one that allows no disruption prevents nodes from being drained", o.Description)
	}
}

// defaultSCCs are the security context constraints that OpenShift ships (operator-framework/api: object.go).
var defaultSCCs = []string{"privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork",
	"node-exporter", "nonroot"}

func checkSCC(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest.Kind == csv.Kind || !r.Allows("security.openshift.io", []string{"securitycontextconstraints"}, "delete", "update", "patch") {
		return
	}
	switch {
	case len(r.ResourceNames) == 0:
		c.ReportOn(o.Manifest, path, "name the operator's own constraints in resourceNames",
			"may change or delete all security context constraints of OpenShift, by %s, and with them the permissions of all other pods", o.Description)
	case words.AnyOf(r.ResourceNames, defaultSCCs...):
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

// checkObjectMeta checks the metadata of objects other than CSVs and CRDs.
func checkObjectMeta(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == csv.Kind || m.Kind == crd.Kind || m.File != "" && m.Document > 0 {
			continue
		}
		var head struct {
			Metadata csv.ObjectMeta `json:"metadata"`
		}
		err := json.Unmarshal(m.JSON(), &head)
		checkObjectName(c, m, &head.Metadata, err)
		for _, key := range words.SortedKeys(head.Metadata.Labels) {
			if says := names.LabelFault(head.Metadata.Labels[key]); says != "" {
				c.ReportOn(m, "metadata.labels["+key+"]", "correct the label", "contains the %s %q with the label %s: %q, which %s",
					m.Kind, m.Name, key, head.Metadata.Labels[key], says)
			}
		}
	}
}

// checkObjectName checks apiVersion, kind and name of an object. err is the error of decoding its metadata.
func checkObjectName(c *contents.Contents, m *bundled.Manifest, meta *csv.ObjectMeta, err error) {
	switch {
	case m.Kind == "":
		c.ReportOn(m, "", "set apiVersion and kind, or remove it",
			"contains an object %q without a kind: OLM v0 leaves its file out, OLM v1 and the validation of bundles reject it", m.Name).Gates = lint.GatePipelines | lint.GateOLMv1
	case m.APIVersion == "":
		checkAPIVersion(c, m)
	case err != nil:
		c.ReportOn(m, "metadata", "quote the strings",
			"contains the %s %q with metadata of the wrong type: %s", m.Kind, m.Name, typeFault(err))
	case meta.Name == "" && meta.GenerateName == "":
		c.ReportOn(m, "metadata", "set metadata.name", "contains a %s without a name: OLM cannot create it", m.Kind)
	case meta.Name != "" && names.NameFault(meta.Name) != "" && !slices.Contains(anyNameKinds, m.Kind):
		c.ReportOn(m, "metadata.name", "rename it", "contains the %s %q, a name that %s", m.Kind, meta.Name,
			names.NameFault(meta.Name))
	}
}

// apiVersions has the apiVersion of the kinds that OLM v0 creates by their kind alone (operator-lifecycle-manager:
// pkg/controller/operators/catalog operator.go ExecutePlan).
var apiVersions = map[string]string{
	"ConfigMap": "v1", "Secret": "v1", "Service": "v1", "ServiceAccount": "v1",
	"ClusterRole": rbacV1, "ClusterRoleBinding": rbacV1, "Role": rbacV1, "RoleBinding": rbacV1,
}

const rbacV1 = "rbac.authorization.k8s.io/v1"

// checkAPIVersion reports an object with a kind and no apiVersion. The decoder of opm, OLM and the validation of bundles accepts it. OLM v1 asks
// the API server for the kind in the group "" then, as OLM v0 does for most kinds.
func checkAPIVersion(c *contents.Contents, m *bundled.Manifest) {
	switch version := apiVersions[m.Kind]; version {
	case "":
		c.ReportOn(m, "", "set apiVersion, or remove it",
			"contains the %s %q without an apiVersion: OLM finds no API for it, and the installation fails", m.Kind, m.Name).Gates = lint.GateOLMv0 | lint.GateOLMv1
	case rbacV1:
		f := c.ReportOn(m, "", "add apiVersion: "+version,
			"contains the %s %q without an apiVersion: OLM v0 creates it by its kind, but OLM v1 finds no API for it, and the installation fails", m.Kind, m.Name)
		f.Severity, f.Gates = lint.Warning, lint.GateOLMv1
	default:
		f := c.ReportOn(m, "", "add apiVersion: "+version, "contains the %s %q without an apiVersion: OLM v0 creates it by its kind", m.Kind, m.Name)
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
}

// anyNameKinds are the kinds whose names need not be DNS names.
var anyNameKinds = []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

func typeFault(err error) string {
	if wrong, ok := err.(*json.UnmarshalTypeError); ok {
		return fmt.Sprintf("%s is %s", wrong.Field, words.DescribeJSON(wrong.Value))
	}
	return "it is not an object"
}

func checkPodSecurityPolicy(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
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

func checkRemoved(c *contents.Contents, m *bundled.Manifest) {
	gone := removed.In(m.APIVersion, m.Kind)
	if gone == 0 {
		return
	}
	target, source := c.Pass.KubeMinor()
	least := 0
	if c.CSV != nil {
		if v, ok := versions.ParseMinKubeVersion(strings.TrimSpace(c.CSV.Spec.MinKubeVersion)); ok && v.Major == 1 && v.Minor < 1000 {
			least = int(v.Minor)
		}
	}
	fix := "use the version of the API that follows " + m.APIVersion
	switch {
	case target >= gone:
		c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, and %s is 1.%d: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, source, target).WithCause(m.APIVersion)
	case least >= gone:
		c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, but needs 1.%d by its minKubeVersion: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, least).WithCause(m.APIVersion)
	default:
		f := c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes removed in 1.%d: it cannot be installed from that version on", m.Kind, m.Name, m.APIVersion, gone).WithCause(m.APIVersion)
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
}

// checkAccount reports service accounts of deployments, which OLM creates itself.
func checkAccount(c *contents.Contents, m *bundled.Manifest) {
	if m.Kind != "ServiceAccount" || m.Name == "" {
		return
	}
	uses := func(d csv.Deployment) bool { return d.Spec.Template.Spec.ServiceAccountName == m.Name }
	if slices.ContainsFunc(c.CSV.Spec.Install.Spec.Deployments, uses) {
		c.ReportOn(m, "metadata.name", "remove it: OLM creates the service accounts of deployments itself",
			"contains the ServiceAccount %q, which one of its deployments uses: OLM creates that itself, and the two conflict", m.Name)
	}
}
