package csv

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var rules = lint.Rule{
	ID: "csv/rules", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
	Doc: `a rule of a role is not valid
A rule needs verbs, and either API groups with resources, or paths of the API server, which are allowed for the whole cluster
only. Otherwise the API server rejects the whole role, and the operator stays Pending in OLM v0.
Complete the rule.`,
	Reference: "OLM pkg/controller/install rule_checker.go; Kubernetes pkg/apis/rbac/validation",
	Check:     contents.InAllBundles(contents.EachPolicyRule(checkRule)),
}

// checkRule reports rules of roles that the API server rejects (Kubernetes: pkg/apis/rbac/validation ValidatePolicyRule).
func checkRule(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
	if c.CSV != nil && c.CSV.Err != nil {
		return
	}
	bad := func(fix, says string) {
		c.ReportOn(o.Manifest, path, fix, "has in %s a rule %s: the API server rejects the role", o.Description, says).WithCause(o.Name).WithCause(ruleParts(r)...)
	}
	switch {
	case len(r.Verbs) == 0:
		bad("set verbs", "without verbs, on "+words.AllOf(append(slices.Clone(r.Resources), r.NonResourceURLs...)))
	case len(r.NonResourceURLs) > 0 && !o.ClusterWide:
		bad("move it to the clusterPermissions", "on the paths "+words.AllOf(r.NonResourceURLs)+", which apply to the whole cluster")
	case len(r.NonResourceURLs) > 0 && (len(r.APIGroups) > 0 || len(r.Resources) > 0 || len(r.ResourceNames) > 0):
		bad("split it into two rules", "on paths, "+words.AllOf(r.NonResourceURLs)+", and on resources in one rule")
	case len(r.NonResourceURLs) == 0 && len(r.APIGroups) == 0:
		bad(`set apiGroups, [""] for the core API`, "without apiGroups, on "+words.AllOf(r.Resources))
	case len(r.NonResourceURLs) == 0 && len(r.Resources) == 0:
		bad("set resources", "without resources, in "+words.AllOf(r.APIGroups))
	}
}

// ruleParts returns what a rule names, except for its verbs.
func ruleParts(r *csv.PolicyRule) []string {
	return slices.Concat(r.APIGroups, []string{"/"}, r.Resources, []string{"/"}, r.ResourceNames, []string{"/"}, r.NonResourceURLs)
}
