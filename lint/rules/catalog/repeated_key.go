package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var repeatedKey = lint.Rule{
	ID: "catalog/repeated-key", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `an object has a key twice
opm takes the last value and silently drops the first.
Keep the intended one.`,
	Reference: "encoding/json, sigs.k8s.io/yaml",
	Check:     problems.Check(catalogs.RepeatedKey, "keep the intended one"),
}
