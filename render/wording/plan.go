package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/lifecycle"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// PlanStep is what is done in a step of a plan. What is upgraded is not part of it.
func PlanStep(s *plan.Step) string {
	switch s.Kind {
	case plan.SwitchChannel:
		return fmt.Sprintf("Switch subscription %q in namespace %q from channel %q to channel %q%s", s.Subscription, s.Namespace, s.From, s.To, keepsSuffix(s))
	case plan.SwitchSource:
		said := fmt.Sprintf("Change the catalog of subscription %q in namespace %q from %q to %q", s.Subscription, s.Namespace, s.From, s.To)
		if s.Channel != "" {
			said += fmt.Sprintf(", and its channel to %q", s.Channel)
		}
		return said + keepsSuffix(s)
	case plan.UpgradeOpenShift:
		return fmt.Sprintf("Update OpenShift from %s to %s", s.From, s.To)
	case plan.UpgradeWorkers:
		if !s.Paused {
			return fmt.Sprintf("Wait until OpenShift has updated the workers from %s to %s", s.From, s.To)
		}
		return fmt.Sprintf("Update the workers from %s to %s", s.From, s.To)
	case plan.PauseWorkers:
		return "Pause the machine config pools of the workers"
	case plan.ChangeCatalogs:
		return fmt.Sprintf("Make sure that the catalogs are those of OpenShift %s: %s", s.Minor, words.And(words.Quote(s.Catalogs)))
	}
	if !s.Approve {
		return fmt.Sprintf("OLM upgrades automatically in namespace %q", s.Namespace)
	}
	if len(s.InstallPlans) > 0 {
		return fmt.Sprintf("Approve %s in namespace %q", plans(s.InstallPlans...), s.Namespace)
	}
	return fmt.Sprintf("Approve the InstallPlan in namespace %q", s.Namespace)
}

func keepsSuffix(s *plan.Step) string {
	if !s.Keeps {
		return ""
	}
	return ", which upgrades nothing yet"
}

// PlanUpgrades are the upgrades of a step, those of one operator after each other as one.
func PlanUpgrades(s *plan.Step) []string {
	var all []string
	used := make([]bool, len(s.Upgrades))
	for i := range s.Upgrades {
		if used[i] {
			continue
		}
		last, hops := &s.Upgrades[i], 1
		for j := i + 1; j < len(s.Upgrades); j++ {
			if next := &s.Upgrades[j]; !used[j] && next.From.Name == last.To.Name {
				last, used[j] = next, true
				hops++
			}
		}
		all = append(all, planUpgrade(&s.Upgrades[i], last, hops))
		all = append(all, last.Deprecations...)
	}
	if len(s.Waiting) > 0 {
		all = append(all, fmt.Sprintf("not %s, which %s for approval since before: OLM creates another for these versions", plans(s.Waiting...), words.Plural(len(s.Waiting), "waits", "wait")))
	}
	return all
}

func planUpgrade(first, last *plan.Upgrade, hops int) string {
	said := fmt.Sprintf("%s %s → %s", first.Package, first.From.Version, last.To.Version)
	if first.From.Name == "" {
		said = fmt.Sprintf("%s %s is installed", first.Package, last.To.Version)
	}
	if hops > 1 {
		said += fmt.Sprintf(" in %d upgrades", hops)
	}
	if first.Dependency {
		said += ", as a dependency"
	}
	return fmt.Sprintf("%s (channel %s of %s)", said, last.Channel, last.Source.Name)
}

// PlanHeading says what a plan is about and what it costs.
func PlanHeading(p *plan.Plan) string {
	route := fmt.Sprintf("OpenShift %s to %s", p.From, p.To)
	switch {
	case !p.IsPossible() && p.IsUndecided():
		return fmt.Sprintf("%s: no plan was found within the limit of olmgraph; one reaches OpenShift %s", route, p.Reached)
	case !p.IsPossible() && p.Reached == p.To:
		return fmt.Sprintf("%s: the cluster reaches it, but some operators are not up to date at the end", route)
	case !p.IsPossible() && p.Reached == p.From && !slices.ContainsFunc(p.Blockers, func(b plan.Blocker) bool { return b.Minor != p.From || b.OfOpenShift() }):
		return route + ": there is no plan before what blocks operators is corrected; OpenShift itself is not blocked"
	case !p.IsPossible():
		said, all := route+": there is no plan", p.To
		if p.Blockers[0].OfOpenShift() {
			all = openShiftReached(p)
			said += fmt.Sprintf(", OpenShift reaches %s at most", all)
		}
		if p.Reached < all {
			said += fmt.Sprintf(", all operators run at most on %s", p.Reached)
		}
		return said
	case len(p.Steps) == 0 && len(p.Today) > 0:
		return route + ": there is nothing to do except for what is blocked today"
	case len(p.Steps) == 0:
		return route + ": there is nothing to do"
	}
	said := fmt.Sprintf("%s: %s", route, words.Count(len(p.Steps), "step"))
	var costs []string
	for _, c := range []struct {
		n         int
		one, many string
	}{{p.Cost.Switches, "change of a channel or catalog", "changes of channels or catalogs"}, {p.Cost.Approvals, "approval", "approvals"}, {p.Cost.Upgrades, "upgrade", "upgrades"}} {
		if c.n > 0 {
			costs = append(costs, words.CountPlural(c.n, c.one, c.many))
		}
	}
	if len(costs) > 0 {
		said += " with " + words.And(costs)
	}
	return said
}

// openShiftReached returns the OpenShift version before the first that an operator does not allow.
func openShiftReached(p *plan.Plan) plan.Minor {
	first := p.To
	for i := range p.Blockers {
		if b := &p.Blockers[i]; b.OfOpenShift() {
			first = min(first, b.Minor)
		}
	}
	return first - 1
}

// StepFreezes says which namespaces are frozen after a step.
func StepFreezes(s *plan.Step) (all []string) {
	for i := range s.Freezes {
		f := &s.Freezes[i]
		until := ", and an update of OpenShift cannot be taken back"
		if f.Until != 0 {
			until = fmt.Sprintf(", until OpenShift %s", f.Until)
		}
		causes := words.Map(f.Because, func(b plan.Blocker) string { return describeBlocker(&b).What })
		all = append(all, fmt.Sprintf("after it OLM upgrades nothing in namespace %q (%s)%s: %s", f.Namespace, words.And(f.Packages), until, strings.Join(causes, "; ")))
	}
	return all
}

// Frozen says that a namespace is frozen already, and what to do first.
func Frozen(f plan.Freeze) string {
	causes := words.Map(f.Because, func(b plan.Blocker) string {
		said := describeBlocker(&b)
		return said.What + ". First: " + said.First
	})
	said := fmt.Sprintf("OLM upgrades nothing in namespace %q today (%s): %s", f.Namespace, words.And(f.Packages), strings.Join(causes, "; "))
	if len(f.Waiting) > 0 {
		said += fmt.Sprintf(". Until then it does not upgrade to %s", words.Or(f.Waiting))
	}
	return said
}

// PlanNotes are what a reader has to know of a plan.
func PlanNotes(p *plan.Plan) []string {
	all := words.Map(p.Frozen, Frozen)
	if len(p.Today) > 0 {
		who := words.Map(p.Today, func(o plan.Today) string { return fmt.Sprintf("%s in namespace %q", o.Package, o.Namespace) })
		all = append(all, fmt.Sprintf("%s %s blocked today: olmgraph cluster says what to do. The plan assumes that %s.",
			words.And(who), words.Plural(len(who), "is", "are"), words.Plural(len(who), "it goes on", "they go on")))
	}
	if len(p.Unknown) > 0 {
		all = append(all, fmt.Sprintf("Not all catalogs of OpenShift %s were given. The plan upgrades nothing from a missing catalog, but OLM on the cluster may.", words.And(words.Map(p.Unknown, plan.Minor.String))))
	}
	if len(p.Blockers) > 1 && slices.ContainsFunc(p.Blockers, func(b plan.Blocker) bool { return b.Package != p.Blockers[0].Package }) {
		all = append(all, "Several packages are blocked: resolve the blockers of all of them.")
	}
	if p.CanSkipWorkers() {
		how := "only at even versions"
		if p.To-p.From == 2 {
			how = "once, from one to the other"
		}
		all = append(all, fmt.Sprintf("OpenShift %s and %s are even versions: with --eus the workers are updated %s.", p.From, p.To, how))
	}
	if !p.Exact {
		all = append(all, "A limit of olmgraph was reached: a plan with fewer switches, approvals or upgrades may exist.")
	}
	return append(all, words.Map(p.Limited, Limited)...)
}

// SupportedUntil returns the last day of the last phase of a lifecycle, "" if it is not known.
func SupportedUntil(l *lifecycle.Lifecycle) (last string) {
	if l != nil {
		for _, p := range l.Phases {
			last = max(last, p.End)
		}
	}
	return last
}

// Limited says that a service account limits what OLM installs in a namespace.
func Limited(l resolve.Limited) string {
	return fmt.Sprintf("OperatorGroup %q in namespace %q limits OLM to the permissions of service account %q: it was not checked whether they suffice for the upgrades", l.OperatorGroup, l.Namespace, l.ServiceAccount)
}

// Blocked is a blocker in words: what it is, and what to do first.
type Blocked struct {
	What  string `json:"message"`
	First string `json:"first"`
}

// Blocker describes a blocker.
func Blocker(b *plan.Blocker) Blocked {
	said := describeBlocker(b)
	where := fmt.Sprintf(" (namespace %q)", b.Namespace)
	said.What += where
	if len(b.Frozen) > 0 {
		others := words.And(b.Frozen)
		if len(b.Frozen) > 3 {
			others = words.Count(len(b.Frozen), "other package")
		}
		said.What += fmt.Sprintf("; OLM then upgrades nothing in the namespace, %s included", others)
	}
	return said
}

func describeBlocker(b *plan.Blocker) Blocked {
	operator := b.Operator
	if operator == "" {
		operator = "package " + b.Package
	} else if b.Package != "" {
		operator += " of package " + b.Package
	}
	after := ""
	if b.Message != "" {
		after = ": " + b.Message
	}
	switch b.Kind {
	case plan.MaxOpenShift:
		return Blocked{fmt.Sprintf("%s allows OpenShift %s at most (olm.maxOpenShiftVersion), which blocks the update to %s", operator, b.Limit, b.Minor),
			fmt.Sprintf("no upgrade before the update allows OpenShift %s: ask the maintainer for one, or remove package %s", b.Minor, b.Package)}
	case plan.InvalidMax:
		return Blocked{fmt.Sprintf("%s has the olm.maxOpenShiftVersion %q, which is invalid%s: OpenShift blocks the update to %s", operator, b.Limit, after, b.Minor),
			fmt.Sprintf("ask the maintainer of %s for a version with a valid one, or remove the operator", b.Package)}
	case plan.NoUpgrade:
		head := "the head"
		if b.Limit != "" {
			head = b.Limit + ", the head"
		}
		return Blocked{fmt.Sprintf("%s is not upgraded to %s of channel %q of catalog %q, at OpenShift %s", operator, head, b.Channel, b.Source.Name, b.Minor),
			fmt.Sprintf("olmgraph path CATALOG %s %s says why, or olmgraph cluster -n %s if other operators prevent it; reinstall the operator, or accept the installed version with --any",
				b.Package, b.Operator, b.Namespace)}
	case plan.MissingInCatalog:
		if b.Limit == "channel" {
			return Blocked{describeMissing(b), fmt.Sprintf("no other channel of %s upgrades the installed version: ask the maintainer for one, or find one in other catalogs", b.Package)}
		}
		if b.Package == "" {
			return Blocked{describeMissing(b), fmt.Sprintf("repair catalog %q, or delete its CatalogSource: OLM resolves no namespace that sees it until then", b.Source.Name)}
		}
		return Blocked{describeMissing(b), fmt.Sprintf("look for %s in other catalogs, or remove its subscription, so that OLM resolves the namespace again", b.Package)}
	case plan.NotSupported:
		return Blocked{operator + " does not run in the namespace" + after, "create an OperatorGroup that fits its install modes"}
	case plan.NotUpgradeable:
		return Blocked{operator + " forbids upgrades in its OperatorCondition" + after, "follow its message; override the condition only if the message is wrong"}
	}
	return blockedOtherwise(b, operator, after)
}

// blockedOtherwise is blocked for what the resolver, the API server and OLM's own checks reject.
func blockedOtherwise(b *plan.Blocker, operator, after string) Blocked {
	switch b.Kind {
	case plan.KubernetesTooOld:
		return Blocked{fmt.Sprintf("%s is installed at OpenShift %s, and does not run there%s", operator, b.Minor, after),
			"set the approval of the subscription to Manual, or switch its channel, before the catalog has this version"}
	case plan.StoredVersions:
		return Blocked{operator + " is rejected" + after, "migrate the stored objects, and remove the version from status.storedVersions"}
	case plan.ImmutableField:
		return Blocked{fmt.Sprintf("the upgrade to %s fails at OpenShift %s: %s%s", operator, b.Minor, b.Limit, after), "delete a Deployment after the failure, any other object before the upgrade: OLM creates it again"}
	case plan.RemovedAPI, plan.UpgradeFails:
		return Blocked{fmt.Sprintf("the upgrade to %s fails at OpenShift %s%s", operator, b.Minor, after), "ask the maintainer for a version without it, or, where an object does not fit, change the object"}
	case plan.InvalidGroups:
		return Blocked{"OLM upgrades nothing in the namespace" + after, "leave exactly one OperatorGroup in the namespace"}
	case plan.UnknownCatalog:
		return Blocked{fmt.Sprintf("the catalogs of OpenShift %s are not known", b.Minor), "give these catalogs"}
	case plan.Hanging:
		return Blocked{strings.TrimSpace(b.Limit+" "+operator) + " does not run" + after, "see olmgraph cluster, which says what to do"}
	case plan.TooHard:
		return Blocked{"no plan was found within the limit of olmgraph; OLM and OpenShift have no such limit", "plan a version in between, or fewer namespaces"}
	}
	if b.Limit != "" {
		bundles, packages, requires := []string{operator}, []string{b.Package}, "requires"
		for _, o := range b.Also {
			bundles, packages, requires = append(bundles, o.Name+" of package "+o.Package), append(packages, o.Package), "require"
		}
		return Blocked{fmt.Sprintf("%s %s %s, which none of the given catalogs of OpenShift %s provides", words.And(bundles), requires, b.Limit, b.Minor),
			fmt.Sprintf("give the catalog that has %s, if the cluster has it; else install what provides it from another one, or remove the %s of %s", b.Limit,
				words.Plural(len(packages), "subscription", "subscriptions"), words.And(packages))}
	}
	return Blocked{fmt.Sprintf("the requirements of the operators cannot all be met at OpenShift %s: %s%s", b.Minor, operator, after), "see olmgraph cluster -n, which explains them"}
}

// describeMissing says what of a subscription a catalog does not have.
func describeMissing(b *plan.Blocker) string {
	switch b.Limit {
	case "package":
		return fmt.Sprintf("package %s is missing in catalog %q of OpenShift %s", b.Package, b.Source.Name, b.Minor)
	case "channel":
		return fmt.Sprintf("channel %q of package %s is missing in catalog %q of OpenShift %s", b.Channel, b.Package, b.Source.Name, b.Minor)
	case "startingCSV":
		return fmt.Sprintf("%s, the startingCSV of the subscription to package %s, is missing in catalog %q of OpenShift %s", b.Operator, b.Package, b.Source.Name, b.Minor)
	}
	if b.Package == "" {
		return fmt.Sprintf("OLM cannot read catalog %q at OpenShift %s: %s", b.Source.String(), b.Minor, b.Message)
	}
	return fmt.Sprintf("OLM cannot use catalog %q at OpenShift %s, which the subscription of package %s names: %s", b.Source.String(), b.Minor, b.Package, b.Message)
}

// Blocks is the heading of blockers: of OpenShift, or of operators.
func Blocks(b *plan.Blocker) string {
	if b.OfOpenShift() {
		return "Blocks the update of OpenShift"
	}
	return "Blocks operators"
}

// BlockerGain says how far the cluster gets without a blocker.
func BlockerGain(b *plan.Blocker, p *plan.Plan) string {
	switch {
	case b.Kind == plan.TooHard || b.Kind == plan.Hanging:
		return ""
	case b.Solved && slices.ContainsFunc(p.Frozen, func(f plan.Freeze) bool { return f.Namespace == b.Namespace }):
		return "" // something else freezes the namespace before
	case b.Together:
		return "not the only blocker: to resolve only this one is not enough"
	case !b.Solved && b.Lifted <= p.Reached:
		return ""
	case b.Solved:
		return "without this blocker, there is a plan for " + blockerSubject(b)
	}
	return fmt.Sprintf("without this blocker, %s reaches OpenShift %s", blockerSubject(b), b.Lifted)
}

func blockerSubject(b *plan.Blocker) string {
	if b.Package == "" {
		return "the namespace"
	}
	return b.Package
}
