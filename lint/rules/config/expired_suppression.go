package config

import (
	"github.com/olmgraph/olmgraph/lint"
)

var expiredSuppression = lint.Rule{
	ID: "config/expired-suppression", Severity: lint.Error, Gates: lint.GateAdvice, Scope: lint.ReportedByRun,
	Doc: `a suppression has expired
It was valid up to a day, and has no effect any more: its finding is reported again.
Fix the finding, or set a later day with a reason.`,
	Reference: "olmgraph",
}
