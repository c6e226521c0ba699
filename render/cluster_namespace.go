package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// namespaceAnswer says the resolution of a namespace.
type namespaceAnswer struct {
	*answer.Answer
	*resolve.ResolveReport
}

// sayNamespace says what each step does, or why there is none, and what stays as it is.
func sayNamespace(to *answer.Answer, o *resolve.ResolveReport) {
	a := namespaceAnswer{to, o}
	a.begin()
	for i, step := range o.Trace.Steps {
		a.step(i, step)
	}
	a.end()
}

// sayQuestion says what was assumed of a namespace, and what breaks.
func sayQuestion(a *answer.Answer, o *resolve.ResolveReport) {
	if o.WhatIf != "" {
		a.Say(o.WhatIf)
	}
	for _, l := range o.Unmet {
		a.Item(text.Styled("breaks:", text.Error), " ", l.Name, ", which requires ", l.Requirement)
	}
}

func (a *namespaceAnswer) begin() {
	if len(a.Trace.Finished)+len(a.Trace.Waiting) > 0 {
		a.Section("before the first step")
	}
	for _, pair := range a.Trace.Finished {
		a.Item(pair[0], " → ", pair[1], " is in progress, and assumed to succeed")
	}
	for i := range a.Trace.Waiting {
		w := &a.Trace.Waiting[i]
		a.Item(w.Name, " ", text.Styled(wording.Wait(w), text.Warning))
	}
}

func (a *namespaceAnswer) step(i int, r *resolve.Resolution) {
	step := fmt.Sprintf("step %d", i+1)
	switch {
	case r.Resolvable():
		a.Section(step, wording.Approval(r.Plan))
		for _, line := range planTexts(r.Plan, i == 0 && a.Before.Idle()) {
			a.Item(text.Styled(line, text.Faint))
		}
		for j := range r.Installs {
			a.install(r, &r.Installs[j])
		}
		a.uncertain(r)
		return
	case r.Undecided() && i == 0:
		a.Section(wording.Undecided)
	case r.Undecided():
		a.Section(step, ": ", wording.Undecided)
	case i == 0:
		a.Section("OLM ", cannotResolve(r), " the namespace, and changes nothing in it", conditionSuffix(r))
	default:
		a.Section(step, ": OLM ", cannotResolve(r), " the namespace any more, and changes nothing in it", conditionSuffix(r))
	}
	a.faults(r.Faults)
	if len(r.Conflict) > 0 {
		a.List(wording.Standstill(a.ResolveReport))
	}
	if len(r.Conflict) > 0 && r.Conflict[0].Kind != resolve.Unexplained {
		a.Item("These constraints conflict; without any one of them the others could be met:")
	}
	for _, reason := range wording.Reasons(r.Conflict) {
		a.Detail(reason)
	}
	if a.Before.MayBeElsewhere(r.Conflict) {
		a.Item("A catalog that is not given may have what is missing.")
	}
}

// cannotResolve is the predicate of the heading: OLM cannot resolve the namespace, or does not try to.
func cannotResolve(r *resolve.Resolution) string {
	if wording.Condition(r) == "" {
		return "does not resolve"
	}
	return "cannot resolve"
}

func conditionSuffix(r *resolve.Resolution) string {
	if c := wording.Condition(r); c != "" {
		return ": " + c
	}
	return ""
}

// faults says what prevents OLM from resolving the namespace, then what would prevent it next.
func (a *namespaceAnswer) faults(all []resolve.Fault) {
	for i := range all {
		f := &all[i]
		if i > 0 && f.Kind.Stage() > all[0].Kind.Stage() && all[i-1].Kind.Stage() == all[0].Kind.Stage() {
			a.Item("Once that is fixed, these prevent it as well:")
		}
		a.Item(wording.Fault(f))
	}
}

// planTexts describes the InstallPlan of a step. idle says that OLM does not resolve the namespace before the plan has run.
func planTexts(p *resolve.Plan, idle bool) []string {
	if p == nil {
		return nil
	}
	var all []string
	if n := len(p.Manual); n > 0 {
		all = append(all, fmt.Sprintf("%s installPlanApproval Manual, so the whole InstallPlan waits for approval.", subscriptionsHave(p.Manual)))
	}
	for _, other := range []struct {
		plans  []string
		format string
	}{
		{p.Repeats, "%s still waits for approval; the new one repeats some of its steps."},
		{p.Supersedes, "%s still waits for approval, but no subscription refers to it any more: the new one supersedes it. OLM would still run it."},
		{p.Others, "%s still waits for approval; the new one has none of its steps."},
	} {
		for _, name := range other.plans {
			all = append(all, fmt.Sprintf(other.format, wording.Plans([]string{name})))
		}
	}
	if idle {
		until := "it"
		if len(p.Names) > 1 {
			until = "one of them"
		}
		all = append(all, fmt.Sprintf("All subscriptions wait for %s: OLM does not resolve the namespace until %s has run.",
			wording.Plans(p.Names), until))
	}
	return all
}

func subscriptionsHave(names []string) string {
	return phrase.Plural(len(names), "Subscription ", "Subscriptions ") + phrase.And(phrase.Quoted(names)) + phrase.Plural(len(names), " has", " have")
}

func (a *namespaceAnswer) install(r *resolve.Resolution, in *resolve.Install) {
	said := "installs " + in.Name
	if in.Replaces != "" {
		said = in.Replaces + " → " + in.Name
	}
	a.Item(said, " ", text.Styled(a.origin(in.Operator), text.Faint))
	if in.Wait != nil {
		a.Detail(text.Styled(wording.Wait(in.Wait), text.Warning))
	}
	if reasons := a.Rejected[in.Name]; len(reasons) > 0 {
		a.Detail(text.Styled("the upgrade fails: "+strings.Join(reasons, "; "), text.Error))
	}
	for _, n := range requiredBy(r, in) {
		a.Detail(n.Subject.Name, " requires ", n.Requirement)
	}
	for i := range r.Choices {
		if c := &r.Choices[i]; c.Chosen == in.Operator {
			a.rejections(c.Rejected)
		}
	}
}

// requiredBy returns the requirements for which OLM installs an operator without a subscription.
func requiredBy(r *resolve.Resolution, in *resolve.Install) []resolve.Choice {
	var all []resolve.Choice
	for _, c := range r.Choices {
		if in.Generated != nil && c.Requirement != nil && c.Chosen == in.Operator {
			all = append(all, c)
		}
	}
	return all
}

// origin names the channel and catalog of a bundle.
func (a *namespaceAnswer) origin(o resolve.Operator) string {
	said := fmt.Sprintf("from channel %q", o.Channel)
	if o.Channel == "" {
		return ""
	}
	if len(a.Before.Sources) > 1 {
		said += " of " + a.Before.NameOf(o.Source)
	}
	return said
}

// uncertain says that OLM may do something else in a step.
func (a *namespaceAnswer) uncertain(r *resolve.Resolution) {
	if r.Uncertain {
		a.Item("OLM may come to another result: it depends on the order of subscriptions and channels, which OLM does not define.")
	}
}

func (a *namespaceAnswer) rejections(all []resolve.Rejection) {
	for i := range all {
		r := &all[i]
		if len(r.Because) == 0 { // the reason was not determined
			a.Detail("or ", phrase.Count(len(all)-i, "older bundle"))
			return
		}
		a.Detail(text.Styled("not "+r.Name+":", text.Warning), " ", wording.Rejection(r))
	}
}

func (a *namespaceAnswer) end() {
	switch c := a.Trace; {
	case c.End == resolve.Loop:
		a.Section("then the state before step ", c.LoopStart+1, " is reached again, and the steps repeat")
	case c.End == resolve.Limit:
		a.Section("there are more steps than ", len(c.Steps))
	case c.End == resolve.Unresolvable, c.End == resolve.Undecided:
	case len(c.Steps) == 0:
		a.Section("no upgrades")
	default:
		a.Section("then no more upgrades")
	}
	for _, s := range a.Unchanged() {
		a.unchanged(&s)
	}
	if rest := a.Trace.Final; rest != nil {
		if len(rest.Installs) == 0 {
			a.uncertain(rest)
		}
		a.unplanned(rest)
	}
}

// unplanned says what is missing and why OLM does not install it.
func (a *namespaceAnswer) unplanned(r *resolve.Resolution) {
	if len(r.Unplanned) == 0 {
		return
	}
	a.Section("missing, but OLM creates no InstallPlan for it: it creates one only if a subscription gets another currentCSV")
	for i := range r.Unplanned {
		in := &r.Unplanned[i]
		a.install(r, in)
		for _, name := range in.Subscriptions {
			a.Detail(a.stuckText(name))
		}
	}
}

// stuckText says why OLM does not install the currentCSV that a subscription already has.
func (a *namespaceAnswer) stuckText(sub string) string {
	said := fmt.Sprintf("subscription %q already has it as its currentCSV", sub)
	if plan, phase := a.Trace.Last.PlanPhase(sub); plan != "" {
		said += fmt.Sprintf(", and its InstallPlan %q is %s", plan, phase)
	}
	return said
}

func (a *namespaceAnswer) unchanged(s *resolve.Unchanged) {
	said, role := "has no upgrade", text.Normal
	unknown := func(source resolve.Source) bool { return source.Unknown && source.SourceKey == s.Subscription.Source }
	switch {
	case s.Wait != nil:
		said, role = wording.Wait(s.Wait), text.Warning
	case s.Replaced != "":
		said, role = wording.Until(&a.Trace.Last, s.Name, s.Replaced), text.Warning
	case s.Subscription == nil:
		said = "stays: no subscription owns it"
	case slices.ContainsFunc(a.Before.Sources, unknown):
		said, role = "is assumed to stay: its catalog is not given", text.Warning
	case s.Elsewhere:
		said, role = "is blocked, unless a catalog that is not given has what is missing", text.Warning
	case len(s.Rejected) > 0:
		said, role = "is blocked", text.Warning
	case len(s.Heads) > 0:
		said, role = fmt.Sprintf("is blocked: it has no upgrade path to %s in %s; see olmgraph path",
			phrase.Or(s.Heads), wording.Channel(s.Subscription, "any channel")), text.Warning
	case slices.Contains(a.Heads[s.Subscription.Name], s.Name):
		said = "is the head of " + wording.Channel(s.Subscription, "a channel")
	}
	a.Item(s.Name, " ", text.Styled(said, role))
	a.rejections(s.Rejected)
}
