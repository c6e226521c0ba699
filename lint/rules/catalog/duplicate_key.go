package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var duplicateKey = lint.Rule{
	ID: "catalog/duplicate-key", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `two keys differ in case only
opm ignores the case of keys and rejects an object with two keys that differ in case only.
Keep one of them.`,
	Reference: "operator-registry alpha/declcfg extractUniqueMetaKeys",
	Check:     problems.Check(catalogs.DuplicateKey, "keep one of the two"),
}
