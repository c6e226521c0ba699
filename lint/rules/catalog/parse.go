package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var parse = lint.Rule{
	ID: lint.ParseRuleID, Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `a file is not a catalog
opm reads every file below the catalog's folder, whatever its name, and rejects the whole catalog if one of them is not YAML or
JSON objects. Files that could not be read were not checked, so this rule cannot be turned off.
Correct the file, or list files that are not part of the catalog in a .indexignore file.`,
	Reference: "operator-registry alpha/declcfg WalkMetasFS",
	Check:     problems.Check(catalogs.ParseProblem, "correct the file; list a file that is not part of the catalog in .indexignore"),
}
