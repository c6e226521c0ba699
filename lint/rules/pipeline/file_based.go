package pipeline

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var fileBased = lint.Rule{
	ID: "pipeline/file-based", Severity: lint.Warning, Gates: lint.GateCommunity, Scope: lint.PerCatalog,
	Doc: `an operator does not use file-based catalogs
The bundles of an operator without templates are added to the index one by one, and a release cannot change the upgrades of an earlier
one. The pipeline of the community catalog warns of it.
Enable fbc in ci.yaml, with a template for each catalog.`,
	Reference: "operator-pipelines static_tests/community check_using_fbc",
	Check:     check(catalogs.WithoutTemplates, "enable fbc in ci.yaml, with templates"),
}
