package lint

import "github.com/olmgraph/olmgraph/catalogs"

// The rules whose findings the engine reports itself.
var (
	Parse = Rule{
		ID: "catalog/parse", Part: Objects, Severity: Error, Gates: GateOPM, Scope: PerCatalog, Unchecked: Unread,
		Doc: `a file is not a catalog
opm reads every file below the catalog's folder, whatever its name, and rejects the whole catalog if one of them is not YAML or
JSON objects. Files that could not be read were not checked, so this rule cannot be turned off.
Correct the file, or list files that are not part of the catalog in a .indexignore file.`,
		Reference: "operator-registry alpha/declcfg WalkMetasFS",
		Check:     EachProblem(catalogs.ParseProblem, "correct the file; list a file that is not part of the catalog in .indexignore"),
	}
	UncheckedInBase = Rule{
		ID: "catalog/unchecked", Part: Objects, Severity: Info, Gates: GateAdvice, Scope: ReportedByRun, Unchecked: UnreadInBase,
		Doc: `a part of the catalogs was not checked, and is the same in the base
It cannot be read in the base either, so the change is not the cause: lint --new reports it once. Whether the change affects it
is not known.
Correct it in a change of its own; without --new each part is an error.`,
		Reference: "olmgraph",
	}
	RuleFailed = Rule{
		ID: "catalog/rule-failed", Part: judgement, Severity: Error, Gates: GateAdvice, Scope: ReportedByRun, Unchecked: NotLooked,
		Doc: `a rule failed
This is a fault of olmgraph, and not of the catalog: what the rule checks is not known. All other rules have run. The exit status is 3.
Report it at https://github.com/olmgraph/olmgraph/issues, with the package.`,
		Reference: "olmgraph",
	}
	CatalogRemoved = Rule{
		ID: "published/catalog-removed", Part: UpgradeGraph, Severity: Error, Gates: GateOLMv0 | GateOLMv1, Scope: ReportedByRun, NeedsBase: true,
		Doc: `a published catalog was removed
Each catalog of the base must have its counterpart: by its name, else by its OpenShift version, else by the files that they share. Clusters that have a
catalog without one keep its operators, and never get another version or fix. What opm does not read is no counterpart: a bundle, a template or an archive in
the place of the catalog. It is a warning if the catalog has another name now, if its packages were removed from all other catalogs too, which is
deliberate, and with --trust-changes: a reviewer accepts it.
Restore the catalog. To retire an OpenShift version, let a reviewer accept the change with --trust-changes, or set the severity of this rule, or a
suppression of it, in the .olmgraph.yaml of the base first.`,
		Reference: "OLM CatalogSource, ClusterCatalog: a cluster reads the catalog that its OpenShift version names",
	}
	UnusedSuppression = Rule{
		ID: "config/unused-suppression", Part: judgement, Severity: Warning, Gates: GateAdvice, Scope: ReportedByRun,
		Doc: `a suppression has no effect
The finding that it suppressed is fixed, or never matched. It could hide the next finding of that kind. It is reported only if all
rules, packages and gates are checked.
Remove it.`,
		Reference: "olmgraph",
	}
	ExpiredSuppression = Rule{
		ID: "config/expired-suppression", Part: judgement, Severity: Error, Gates: GateAdvice, Scope: ReportedByRun,
		Doc: `a suppression has expired
It was valid until a day that has passed: its finding is reported again.
Fix the finding, or set a later day with a reason.`,
		Reference: "olmgraph",
	}
	BadIgnore = Rule{
		ID: "config/bad-ignore", Part: judgement, Severity: Warning, Gates: GateAdvice, Scope: ReportedByRun,
		Doc: `a suppressing comment has no rule or no reason
A comment # olmgraph:ignore RULE REASON has an effect only with a rule and a reason.
Add the missing part, or correct the name of the rule.`,
		Reference: "olmgraph",
	}
	StaleBaseline = Rule{
		ID: "config/stale-baseline", Part: judgement, Severity: Info, Gates: GateAdvice, Scope: ReportedByRun,
		Doc: `a finding of the baseline no longer exists
It is fixed, or has another cause now. While it is in the baseline, the same problem could come back unnoticed.
Write the baseline again, with --write-baseline.`,
		Reference: "olmgraph",
	}
	Changed = Rule{
		ID: "config/changed", Part: judgement, Severity: Warning, Gates: GateAdvice, Scope: ReportedByRun,
		Doc: `a change decides how it is judged
With --base, comments that suppress findings, the configuration, the baseline and the organization in config.yaml count as they are in the
base. Otherwise a pull request could silence its own check. What the change adds or alters there does not count.
Merge it in a change of its own, or let a reviewer accept it with --trust-changes, in a workflow that the pull request cannot change.`,
		Reference: "olmgraph",
	}
)

// finding returns a finding of the rule about no catalog.
func (r *Rule) finding(pos catalogs.Pos, message, fix string) Finding {
	return Finding{Rule: r.ID, part: r.Part, Severity: r.Severity, Gates: r.Gates, Unchecked: r.Unchecked, Pos: pos, Message: message, Fix: fix}
}
