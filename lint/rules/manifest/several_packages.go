package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var severalPackages = lint.Rule{
	ID: "manifest/several-packages", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `a folder has several package manifests
A folder is one package. Of several package manifests in it the import takes none, or an arbitrary one.
Keep one.`,
	Reference: "operator-framework/api pkg/manifests packagemanifestloader.go",
	Check:     problems.Check(catalogs.ManifestSeveral, "keep one package manifest in the folder"),
}
