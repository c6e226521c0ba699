package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// rejection says why OLM does not choose a candidate. It leaves out obvious reasons if there are others.
func rejection(r *resolve.Rejection) string {
	reasons := slices.DeleteFunc(slices.Clone(r.Because), isObvious)
	if len(reasons) == 0 {
		reasons = r.Because
	}
	return strings.Join(reasonTexts(reasons), "; ")
}

// reasonTexts describes reasons. Operators with the same requirement, as most versions of an operator have, share a sentence.
func reasonTexts(all []resolve.Reason) []string {
	var said []string
	for len(all) > 0 {
		n := 1
		for n < len(all) && sameRequirement(&all[0], &all[n]) {
			n++
		}
		if n == 1 {
			said = append(said, reasonText(&all[0]))
		} else {
			subjects := words.Map(all[:n], func(r resolve.Reason) string { return r.Subject.Name })
			said = append(said, fmt.Sprintf("%s all require %s", words.And(subjects), requirementText(&all[0])))
		}
		all = all[n:]
	}
	return said
}

func sameRequirement(a, b *resolve.Reason) bool {
	return a.Kind == resolve.Requires && b.Kind == resolve.Requires && a.Requirement.String() == b.Requirement.String() &&
		slices.Equal(operatorNames(a.Operators), operatorNames(b.Operators))
}

// isObvious reports whether a reason goes without saying: a package has one operator, and an upgrade replaces its predecessor.
func isObvious(r resolve.Reason) bool {
	return r.Kind == resolve.OnlyPackage || r.Kind == resolve.Replacement
}

// reasonText describes one of the constraints that conflict.
func reasonText(r *resolve.Reason) string {
	names := operatorNames(r.Operators)
	switch r.Kind {
	case resolve.Wanted:
		return fmt.Sprintf("subscription %q can only have %s", r.Subscription, words.Or(names))
	case resolve.Requires:
		return fmt.Sprintf("%s requires %s", r.Subject.Name, requirementText(r))
	case resolve.OnlyPackage:
		return fmt.Sprintf("only one operator of package %q can be installed: %s", r.Package, words.Or(names))
	case resolve.OnlyAPI:
		return fmt.Sprintf("only one operator can provide API %s: %s", r.API, words.Or(names))
	case resolve.Replacement:
		return fmt.Sprintf("%s replaces %s", r.Subject.Name, words.Or(names))
	case resolve.NotOwned:
		return fmt.Sprintf("%s is installed, and stays because no subscription owns it", r.Subject.Name)
	case resolve.Prohibited:
		return fmt.Sprintf("%s has the property olm.deprecated, so OLM never installs it", r.Subject.Name)
	case resolve.Unexplained:
		return "the reason is not known: finding it exceeds the limit of olmgraph"
	}
	return fmt.Sprintf("OLM has already chosen %s", r.Subject.Name)
}

// requirementText returns a requirement and its possible providers.
func requirementText(r *resolve.Reason) string {
	if len(r.Operators) == 0 {
		return fmt.Sprintf("%s, which no bundle in the catalogs provides", r.Requirement)
	}
	return fmt.Sprintf("%s, which only %s can provide", r.Requirement, words.Or(operatorNames(r.Operators)))
}

// operatorNames returns the names of operators, each once: a bundle can be in several channels and also installed.
func operatorNames(all []resolve.Operator) []string {
	return find.Distinct(words.Map(all, func(o resolve.Operator) string { return o.Name }))
}

// fault says what prevents OLM from resolving the namespace, and what to do.
func fault(f *resolve.Fault) string {
	o := &f.Operator
	sub := fmt.Sprintf("subscription %q", f.Subscription)
	switch f.Kind {
	case resolve.MissingCatalog:
		return fmt.Sprintf("%s: CatalogSource %s in namespace %q does not exist, or its catalog is empty; set an existing one, or delete the subscription",
			sub, o.Source.Name, o.Source.Namespace)
	case resolve.MissingPackage:
		return fmt.Sprintf("%s: catalog %q has no package %q", sub, o.Source.Name, o.Package)
	case resolve.MissingChannel:
		return fmt.Sprintf("%s: package %q has no channel %q", sub, o.Package, o.Channel)
	case resolve.MissingStartingCSV:
		return fmt.Sprintf("%s: its startingCSV %s is not in the channel; set one that exists, or remove startingCSV", sub, o.Name)
	case resolve.MalformedRequirement:
		return fmt.Sprintf("%s%s: OLM cannot read its %s: %v", posPrefix(f), o.Name, f.Property, f.Err)
	case resolve.CostlyRequirement:
		return fmt.Sprintf("%s%s: a rule in its %s: %v; OLM has no such limit, and may never finish", posPrefix(f), o.Name, f.Property, f.Err)
	case resolve.InvalidGroups:
		return groupsText(f.Groups)
	case resolve.EndedPlan:
		return fmt.Sprintf("%s waits for InstallPlan %q, which never runs: %v", sub, o.Name, f.Err)
	case resolve.UnreachableCatalog:
		return fmt.Sprintf("CatalogSource %s in namespace %q cannot be read (%v): it prevents OLM from resolving every namespace that uses it, even without a subscription to it; repair or delete it",
			o.Source.Name, o.Source.Namespace, f.Err)
	case resolve.UnseenCatalog:
		said := fmt.Sprintf("%s: CatalogSource %s is in namespace %q, but %v; set an existing one", sub, o.Source.Name, o.Source.Namespace, f.Err)
		if !f.Excluded {
			said += ", or set the global namespace with --global-namespace"
		}
		return said
	case resolve.TooHard:
		return fmt.Sprintf("%v; OLM has no such limit, and may never finish", f.Err)
	case resolve.UnorderedChannel:
		return fmt.Sprintf("%spackage %q, channel %q: OLM cannot order its entries: %v", posPrefix(f), o.Package, o.Channel, f.Err)
	}
	return fmt.Sprintf("%s: %v", o.Name, f.Err)
}

// groupsText describes the problem of the OperatorGroups.
func groupsText(g *resolve.OperatorGroups) string {
	if len(g.Names) > 0 {
		return fmt.Sprintf("it has %d OperatorGroups (%s), and OLM requires exactly one: delete the others", len(g.Names), words.And(g.Names))
	}
	return "it has no OperatorGroup, and OLM requires exactly one: create it"
}

// wait says why an operator does not run, and what follows.
func wait(w *resolve.Wait) string {
	said := waitReason(w)
	for then := w.Then; then != nil; then = then.Then {
		said += "; after that it " + waitReason(then)
	}
	return said
}

func waitReason(w *resolve.Wait) string {
	switch w.Kind {
	case resolve.UnsupportedGroup:
		advice := "an OperatorGroup that fits is needed"
		if w.Reason == resolve.InvalidInstallModes {
			advice = "no OperatorGroup fits: use another bundle"
		}
		return fmt.Sprintf("fails (%s): %v; %s", w.Reason, w.Err, advice)
	case resolve.HasFailed:
		return "is Failed" + parenthesize(w.Reason) + ": OLM continues when the phase is Succeeded"
	case resolve.NotReplaceable:
		return fmt.Sprintf("waits in the phase Pending: OLM replaces %s only in the phase Succeeded, but its phase is %s%s", w.Replaces, w.Phase, parenthesize(w.Reason))
	case resolve.UpgradeFails:
		return fmt.Sprintf("does not come to run: %v", w.Err)
	case resolve.RequirementsNotMet:
		return fmt.Sprintf("waits in the phase Pending (RequirementsNotMet): %v", w.Err)
	}
	c := w.Condition
	said := fmt.Sprintf("waits in the phase Pending: OperatorCondition %s", w.Replaces)
	switch {
	case c.Outdated:
		return fmt.Sprintf("%s has Upgradeable=%s of an older generation of the object: OLM waits until the operator reports again", said, c.Status)
	case c.Override:
		said += " overrides Upgradeable=" + c.Status
	default:
		said += " has Upgradeable=" + c.Status
	}
	said += parenthesize(c.Reason)
	if c.Message != "" {
		said += ": " + c.Message
	}
	return said
}

func parenthesize(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// posPrefix returns the position of a fault and a blank, or "" if it is not known.
func posPrefix(f *resolve.Fault) string {
	if f.Pos.File == "" {
		return ""
	}
	return f.Pos.String() + " "
}

// undecided says that a limit of olmgraph was reached.
const undecided = "the answer is not known: the resolution exceeds the limit of olmgraph"

// plans names InstallPlans.
func plans(names ...string) string {
	return "InstallPlan " + words.And(words.Quote(names))
}

func countedNames(what string, names []string) string {
	if len(names) > 1 {
		what += "s"
	}
	return what + " " + words.And(names)
}
