package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var schemaMissing = lint.Rule{
	ID: "catalog/schema-missing", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `an object has no schema
Each document of a catalog needs a schema. opm rejects a document without one, and an empty document as well (two separator lines
in a row, or only comments between them).
Add the schema, or remove the empty document.`,
	Reference: "operator-registry alpha/declcfg Meta.UnmarshalJSON",
	Check:     checkSchemaMissing,
}

func checkSchemaMissing(p *lint.Pass) {
	misspelt, _ := fbc.MisspeltFolder(p.Catalog) // reported by catalog/no-package
	problems.CheckMatching(func(problem *catalogs.Problem) bool {
		return problem.Kind == catalogs.SchemaMissing && !(problem.Foreign && misspelt != "")
	}, "add schema: olm.package, olm.channel, olm.bundle or olm.deprecations, or remove the document")(p)
}
