package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var replacedCSV = lint.Rule{
	ID: "manifest/replaced-csv", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `a replaced CSV, or the currentCSV of a channel, is not in the package
The import follows the replaces of each channel and fails at a name without a CSV in the package.
Correct the name, or restore the CSV.`,
	Reference: "operator-registry pkg/sqlite AddPackageChannels",
	Check:     problems.Check(catalogs.ManifestReplaced, "correct the name, or restore that CSV"),
}
