package object

import (
	"encoding/json"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var priorityClass = lint.Rule{
	ID: "object/priority-class", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a PriorityClass is the global default
With globalDefault: true an operator changes the priority of every pod in the cluster without a priorityClassName.
Set globalDefault: false, and name the class in the operator's own pods.`,
	Reference: "operator-framework/api object.go validatePriorityClass",
	Check:     contents.InHeads(eachObject(checkPriority)),
}

func checkPriority(c *contents.Contents, m *bundled.Manifest) {
	var class struct{ GlobalDefault bool }
	if m.Kind == "PriorityClass" && json.Unmarshal(m.JSON(), &class) == nil && class.GlobalDefault {
		c.ReportOn(m, "globalDefault", "set globalDefault: false",
			"contains the PriorityClass %q as the default of the whole cluster: it changes which pods all other pods may preempt", m.Name)
	}
}
