package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var noBundle = lint.Rule{
	ID: lint.NoBundleRuleID, Severity: lint.Error, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `the folder of a version is no bundle folder
In a repository of bundles, the bundle of a version is in operator/VERSION/manifests and operator/VERSION/metadata. The pipelines
of these repositories take no other folder for a bundle, for example operator/VERSION or operator/VERSION/bundle with the manifests:
they check and publish nothing of such a version. Nothing of it was checked here either.
Move the manifests to where they belong.`,
	Reference: "operator-pipelines operator_repo Bundle.probe, detect_changed_operators",
	Check:     problems.Check(catalogs.UnreadVersion, ""),
}
