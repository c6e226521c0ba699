package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var noChannel = lint.Rule{
	ID: "manifest/no-channel", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `a package manifest has no channel
Users subscribe to a channel. Without one the operator cannot be installed, and the import fails.
Add a channel with a name and a currentCSV.`,
	Reference: "operator-registry pkg/sqlite DirectoryLoader",
	Check:     problems.Check(catalogs.ManifestNoChannel, "add channels: with a name and a currentCSV"),
}
