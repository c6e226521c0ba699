package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var fieldType = lint.Rule{
	ID: "catalog/field-type", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalogAndPackage,
	Doc: `a value has the wrong type
opm decodes the fields of its objects and of known properties into fixed types, and rejects the catalog if a value does not match,
often without a position.
Give the value the type that the finding names.`,
	Reference: "operator-registry alpha/property Parse",
	Check:     problems.Check(catalogs.FieldType, "give it that type; quote a string that looks like another type"),
}
