package object

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var podSecurityPolicy = lint.Rule{
	ID: "object/pod-security-policy", Severity: lint.Warning, Gates: lint.GateCommunity,
	Doc: `an operator has permissions on PodSecurityPolicies
Kubernetes 1.25 (OpenShift 4.12) removed PodSecurityPolicies: the permissions have no effect there, and an operator that needs the API
fails. The pipeline of the community catalog warns of them.
Remove the permissions, unless the operator supports older clusters.`,
	Reference: "operator-framework/api removed_apis.go getRemovedAPIsOn1_25From",
	Check:     contents.InHeads(contents.EachPolicyRule(checkPodSecurityPolicy)),
}

func checkPodSecurityPolicy(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest.Kind == csv.Kind && slices.Contains(r.APIGroups, "policy") && slices.Contains(r.Resources, "podsecuritypolicies") {
		c.ReportOn(o.Manifest, path, "remove it, unless the operator supports older clusters",
			"has permissions on PodSecurityPolicies, by %s, which Kubernetes 1.25 removed: the community pipeline warns of it", o.Description).WithCause(o.Name)
	}
}
