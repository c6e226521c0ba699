package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
)

// CRDVersions lists the versions of a CRD with their properties. Versions without a note are served.
func CRDVersions(s *judge.CRDRevision) string {
	switch {
	case s.Error != "":
		return "cannot be read"
	case !s.InBundle:
		return "-"
	}
	var all []string
	for _, v := range s.Versions {
		var marks []string
		if v.Storage {
			marks = append(marks, "stored")
		}
		if !v.Served {
			marks = append(marks, "not served")
		}
		if v.Deprecated {
			marks = append(marks, "deprecated")
		}
		all = append(all, v.Name+parenthesize(strings.Join(marks, ", ")))
	}
	if s.Removed > 0 {
		return fmt.Sprintf("%s; until Kubernetes 1.%d", strings.Join(all, ", "), s.Removed-1)
	}
	return strings.Join(all, ", ")
}

// CRDChanges describes what changes with a bundle, and its severity: Error if an upgrade is rejected or the CRD cannot be read,
// Warning if OLM v1 rejects it, otherwise Off.
func CRDChanges(s *judge.CRDRevision) (string, lint.Severity) {
	if s.Error != "" {
		return s.Error, lint.Error
	}
	var said []string
	refused := 0
	for _, c := range s.Changes {
		if c.Schema {
			refused++
		} else {
			said = append(said, c.Message)
		}
	}
	switch {
	case refused == 1:
		said = append(said, "1 change that OLM v1 rejects")
	case refused > 1:
		said = append(said, fmt.Sprintf("%d changes that OLM v1 rejects", refused))
	case s.TextChanged && len(said) == 0 && len(s.Fails) == 0:
		said = append(said, "only additions or changed texts")
	}
	if lost := s.MissingVersions; len(lost) > 0 {
		return strings.Join(append([]string{"rejected on clusters where " + strings.Join(lost, " or ") + " is still stored"}, said...), "; "), lint.Error
	}
	if len(s.Fails) > 0 {
		return strings.Join(append([]string{"the upgrade " + strings.Join(words.Map(s.Fails, crdFailure), "; it ")}, said...), "; "), crdFailureSeverity(s.Fails)
	}
	if refused > 0 {
		return strings.Join(said, "; "), lint.Warning
	}
	return strings.Join(said, "; "), lint.Off
}

// crdFailure says where an upgrade fails, and why: of many changes of a schema not which.
func crdFailure(f judge.CRDFailure) string {
	said := "fails"
	if len(f.Where) > 0 {
		said += " where " + strings.Join(f.Where, " and ")
	}
	if f.Unfit {
		return said
	}
	return said + ": " + f.Message
}

func crdFailureSeverity(all []judge.CRDFailure) lint.Severity {
	if slices.ContainsFunc(all, func(f judge.CRDFailure) bool { return len(f.Where) == 0 }) {
		return lint.Error
	}
	return lint.Warning
}

var ordinals = [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}

// DescribeFailing says which of the upgrades of a path fails, as what follows their number; "" if none is known to.
func DescribeFailing(all judge.Outcomes) string {
	i := slices.IndexFunc(all, func(o judge.Outcome) bool { return o.Fails() })
	if i < 0 {
		i = slices.IndexFunc(all, func(o judge.Outcome) bool { return len(o.Reasons) > 0 })
	}
	if i < 0 {
		return ""
	}
	fails := "fails"
	if !all[i].Fails() {
		fails += " where " + all[i].Reasons[0].Where[0].String()
	}
	switch {
	case len(all) == 1:
		return "; it " + fails
	case i == len(all)-1:
		return "; the last one " + fails
	case i < len(ordinals):
		return "; the " + ordinals[i] + " " + fails
	}
	return fmt.Sprintf("; number %d %s", i+1, fails)
}

// Failure says where an upgrade may fail and why it fails, where users are left, and how they get out.
func Failure(o *judge.Outcome, olm graph.Generation) (all []string) {
	all = words.Map(byMessage(o.Warnings), judge.Reason.String)
	if len(o.Reasons) == 0 {
		return all
	}
	for _, r := range o.Reasons {
		said := r.String()
		if len(r.Where) == 0 {
			said = "fails: " + said
		}
		all = append(all, said)
	}
	left := failedState(o, olm)
	if !o.Fails() {
		left = "then " + left
	}
	return append(all, left)
}

// byMessage joins reasons that say the same of several objects of a kind.
func byMessage(all []judge.Reason) []judge.Reason {
	var same memo.Groups[string, judge.Reason]
	for _, r := range all {
		same.Add(strings.Join(append(words.Map(r.Where, judge.Condition.String), r.Row.ID, r.Kind, r.Message), "\x00"), r)
	}
	var joined []judge.Reason
	for _, of := range same.All() {
		of[0].Name = words.JoinSome(words.Map(of, func(r judge.Reason) string { return r.Name }), 2)
		joined = append(joined, of[0])
	}
	return joined
}

// failedState says in which state a failed upgrade leaves users, and how they get out.
func failedState(o *judge.Outcome, olm graph.Generation) string {
	stored := !slices.ContainsFunc(o.Reasons, func(r judge.Reason) bool { return !r.Stored })
	ofBundle := slices.ContainsFunc(o.Reasons, func(r judge.Reason) bool { return !r.Row.Upgrade })
	runs := fmt.Sprintf("The pods of %s keep running, and OLM upgrades nothing in the namespace", o.From)
	switch stage := o.Stage(); {
	case olm == graph.V1:
		return "the ClusterExtension stays at " + o.From
	case stage == judge.Unpack:
		return fmt.Sprintf("OLM v0 cannot unpack the bundle, and creates no InstallPlan in the namespace; %s keeps running", o.From)
	case stage == judge.MakeCSV:
		return fmt.Sprintf("the InstallPlan fails at its first step; %s keeps running, and OLM does not upgrade it", o.From)
	case stage == judge.MakeCRDs && stored:
		return fmt.Sprintf("the InstallPlan fails, and %s waits (RequirementsNotMet), unless you first store the objects again and remove the version from status.storedVersions", o.To)
	case stage == judge.MakeCRDs:
		return fmt.Sprintf("the InstallPlan fails, and %s waits (RequirementsNotMet)", o.To)
	case stage == judge.MakeRest:
		said := fmt.Sprintf("the InstallPlan fails after a minute and skips its remaining steps; %s runs if it does not need them", o.To)
		if !ofBundle && o.Reasons[0].Old != nil {
			said += ". If you delete the object before the upgrade, the InstallPlan creates it again"
		}
		return said
	case stage == judge.Require:
		return fmt.Sprintf("%s waits (RequirementsNotMet) until the cluster has what it requires. %s", o.To, runs)
	case stage == judge.Fit && !ofBundle:
		return fmt.Sprintf("%s fails until the OperatorGroup fits it. %s", o.To, runs)
	case stage == judge.Fit:
		return fmt.Sprintf("%s fails (InvalidInstallModes) whatever the OperatorGroup. %s", o.To, runs)
	}
	said := fmt.Sprintf("OLM v0 retries the installation of %s endlessly (InstallComponentFailed). %s", o.To, runs)
	if !ofBundle {
		said += ". To continue, delete the Deployment: OLM creates it again"
	}
	return said
}
