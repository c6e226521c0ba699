package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var orphanCSV = lint.Rule{
	ID: "manifest/orphan-csv", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `a CSV is in no channel
Channels begin at their currentCSV and follow replaces and skips of each CSV. A CSV that no channel reaches can be neither
installed nor upgraded. The import accepts it and does not offer it.
Let a newer CSV replace or skip it, make it the currentCSV of a channel, or remove its folder.`,
	Reference: "operator-registry pkg/sqlite DirectoryLoader",
	Check:     problems.Check(catalogs.ManifestOrphan, "let a newer CSV replace or skip it, make it the currentCSV of a channel, or remove its folder"),
}
