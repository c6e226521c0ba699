package object

import (
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var budgetPermission = lint.Rule{
	ID: "object/budget-permission", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `a role may create PodDisruptionBudgets
A budget that allows no disruption prevents nodes from being drained, and so blocks upgrades of the cluster.
Give the role read access only, unless the operator must create budgets.`,
	Reference: "operator-framework/api object.go audit",
	Check:     contents.InHeads(contents.EachPolicyRule(checkPDBRule)),
}

func checkPDBRule(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest.Kind != csv.Kind && r.Allows("policy", []string{"poddisruptionbudgets"}, "create", "update", "patch") {
		c.ReportOn(o.Manifest, path, "give it read access only, unless it must create them",
			"may create disruption budgets, by %s: one that allows no disruption prevents nodes from being drained", o.Description)
	}
}
