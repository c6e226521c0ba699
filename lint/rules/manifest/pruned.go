package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var pruned = lint.Rule{
	ID: "manifest/pruned", Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `a new version removes bundles from a channel
In replaces-mode the highest version of a channel becomes its head. The channel then has what the head replaces, what that replaces
and so on, and what these skip. opm registry add removes the other bundles from it. Users on these versions are upgraded only if a
skipRange covers them.
Let the new version replace or skip them, if users still have them.`,
	Reference: "operator-registry pkg/registry SemverPackageManifest, pkg/sqlite addPackageChannels",
	Check:     problems.Check(catalogs.RegistryPruned, "let it replace or skip them, if users still have them"),
}
