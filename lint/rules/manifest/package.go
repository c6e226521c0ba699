package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var packageRule = lint.Rule{
	ID: "manifest/package", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `a package manifest is incomplete
A package manifest needs the name of its package, channels with a name and a currentCSV each, and, if there are several, a default
channel that is one of them. Without these it cannot be subscribed to, and the import fails.
Add the missing field.`,
	Reference: "operator-framework/api pkg/validation/internal package_manifest.go",
	Check:     problems.Check(catalogs.ManifestPackage, "complete the package manifest"),
}
