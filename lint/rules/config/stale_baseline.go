package config

import (
	"github.com/olmgraph/olmgraph/lint"
)

var staleBaseline = lint.Rule{
	ID: "config/stale-baseline", Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.ReportedByRun,
	Doc: `a finding of the baseline no longer exists
It is fixed, or has another cause now. While it is in the baseline, the same problem could come back unnoticed.
Write the baseline again, with --write-baseline.`,
	Reference: "olmgraph",
}
