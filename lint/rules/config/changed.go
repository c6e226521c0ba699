package config

import "github.com/olmgraph/olmgraph/lint"

var changed = lint.Rule{
	ID: lint.ChangedRuleID, Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.ReportedByRun,
	Doc: `a change decides how it is judged
With --base, comments that suppress findings, the configuration, the baseline and the organization in config.yaml count as they are in the
base: otherwise a pull request could silence its own check. What the change adds or alters there does not count.
Merge it in a change of its own, or let a reviewer accept it with --trust-changes, in a workflow that the pull request cannot change.`,
	Reference: "olmgraph",
}
