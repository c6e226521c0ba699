package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var caseFoldedField = lint.Rule{
	ID: "catalog/case-folded-field", Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.PerCatalogAndPackage,
	Doc: `a key has the wrong case
opm accepts it, since it ignores the case of keys. Other readers of the catalog may not.
Write the key as the format defines it.`,
	Reference: "encoding/json",
	Check:     problems.Check(catalogs.CaseFoldedField, "write it as the format defines it"),
}
