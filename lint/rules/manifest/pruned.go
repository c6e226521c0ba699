package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var pruned = lint.Rule{
	ID: "manifest/pruned", Severity: lint.Info, Gates: lint.GateAdvice, OtherGates: lint.GateCertified | lint.GateMarketplace, Scope: lint.PerCatalog,
	Doc: `a new version removes bundles from a channel
In replaces-mode the highest version of a channel becomes its head. The channel then has what the head replaces, what that replaces
and so on, and what these skip. opm registry add removes the other bundles from it. Users on these versions are upgraded only if a
skipRange covers them. The pipelines of the certified and the marketplace catalog warn of a new version that has a skipRange and replaces
nothing.
Let the new version replace or skip them, if users still have them.`,
	Reference: "operator-registry pkg/registry SemverPackageManifest, pkg/sqlite addPackageChannels; operator-pipelines check_pruned_graph",
	Check:     checkPruned,
}

// checkPruned reports what the pipelines of the suite isv warn of, if they judge the bundle, as they do.
func checkPruned(p *lint.Pass) {
	ofRange := func(problem *catalogs.Problem) bool {
		return problem.Kind == catalogs.RegistryPruned && problem.ByRange
	}
	const fix = "let it replace or skip them, if users still have them"
	problems.CheckMatching(func(problem *catalogs.Problem) bool {
		return problem.Kind == catalogs.RegistryPruned && !problem.ByRange
	}, fix)(p)
	problems.CheckMatching(ofRange, fix, func(f *lint.Finding) {
		f.Severity, f.Gates = lint.Warning, lint.GateCertified|lint.GateMarketplace
		f.WarningGates = f.Gates
	})(p)
}
