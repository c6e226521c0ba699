package config

import (
	"github.com/olmgraph/olmgraph/lint"
)

var unusedSuppression = lint.Rule{
	ID: "config/unused-suppression", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.ReportedByRun,
	Doc: `a suppression has no effect
The finding that it suppressed is fixed, or never matched. It could hide the next finding of that kind. It is reported only if all
rules, packages and gates are checked.
Remove it.`,
	Reference: "olmgraph",
}
