package object

import (
	"encoding/json"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var disruptionBudget = lint.Rule{
	ID: "object/disruption-budget", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a PodDisruptionBudget allows no disruption
With maxUnavailable 0 or minAvailable 100% a node that runs such a pod cannot be drained, and upgrades of the cluster stop there.
Allow at least one pod to be unavailable.`,
	Reference: "operator-framework/api object.go validatePDB",
	Check:     contents.InHeads(eachObject(checkBudget)),
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
