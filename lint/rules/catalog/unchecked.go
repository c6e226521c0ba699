package catalog

import "github.com/olmgraph/olmgraph/lint"

var unchecked = lint.Rule{
	ID: lint.UncheckedRuleID, Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.ReportedByRun,
	Doc: `a part of the catalogs was not checked, and is the same in the base
It cannot be read, in the base neither, so that the change is not to blame: lint --new tells it once. What it has to do with the change
is not known.
Correct it in a change of its own; without --new each part is an error.`,
	Reference: "olmgraph",
}
