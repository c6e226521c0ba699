package config

import (
	"github.com/olmgraph/olmgraph/lint"
)

var badIgnore = lint.Rule{
	ID: "config/bad-ignore", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.ReportedByRun,
	Doc: `a suppressing comment has no rule or no reason
A comment # olmgraph:ignore RULE REASON has an effect only with a rule and a reason.
Add the missing part, or correct the name of the rule.`,
	Reference: "olmgraph",
}
