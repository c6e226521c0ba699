package pipeline

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var updateGraph = lint.Rule{
	ID: "pipeline/update-graph", Severity: lint.Warning, Gates: lint.GateCommunity, Scope: lint.PerCatalog,
	Doc: `an operator does not say how its bundles upgrade
updateGraph in ci.yaml is replaces-mode or semver-mode. Without it the pipelines take replaces-mode, and that of the community catalog
warns. Operators with file-based catalogs have their upgrades in templates.
Set updateGraph in ci.yaml.`,
	Reference: "operator-pipelines static_tests/community check_ci_upgrade_graph",
	Check:     check(catalogs.NoUpdateGraph, "set updateGraph in ci.yaml"),
}
