package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var yamlCoercion = lint.Rule{
	ID: "catalog/yaml-coercion", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalogAndPackage,
	Doc: `YAML does not read an unquoted value as a string
opm reads YAML 1.1, in which an unquoted yes, no, on, off, y or n is a boolean and 4.10 is the number 4.1. If the field is a
string, opm rejects the catalog without naming the reason.
Quote the value.`,
	Reference: "sigs.k8s.io/yaml YAMLToJSON",
	Check:     problems.Check(catalogs.Coercion, "quote the value"),
}
