package version

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var number = lint.Rule{
	ID: "version/number", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalogAndPackage,
	Doc: `a bundle's version is not a string
Without quotes YAML reads 1.10 as the number 1.1, and opm rejects the catalog. A number is also not a semantic version, which has
three parts.
Write the full version in quotes.`,
	Reference: "operator-registry alpha/property Parse",
	Check: problems.CheckMatching(func(problem *catalogs.Problem) bool { return problem.Field == versions.VersionField },
		"write the full version in quotes"),
}
