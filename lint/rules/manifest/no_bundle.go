package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var noBundle = lint.Rule{
	ID: "manifest/no-bundle", Severity: lint.Error, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `the folder of a version is no bundle folder
In a repository of bundles, the bundle of a version is in operator/VERSION/manifests and operator/VERSION/metadata. The pipelines
of these repositories do not see manifests in other folders, for example in operator/VERSION or in operator/VERSION/bundle/manifests:
the change is merged, and nothing is published. Nothing of such a version was checked.
Move the manifests to where they belong.`,
	Reference: "operator-pipelines operator_repo Bundle.probe",
	Check:     problems.Check(catalogs.UnreadVersion, ""),
}
