package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// namespaceAnswer says the resolution of a namespace. What a decision tells is a number in it.
type namespaceAnswer struct {
	*answer.Answer
	*resolve.ResolveReport
	decisions []cluster.Decision
}

// sayNamespace says what each step does, or why there is none, and what stays as it is.
func sayNamespace(to *answer.Answer, r *cluster.Report) {
	a := namespaceAnswer{to, r.Namespace, r.Decisions}
	a.begin()
	for i, step := range a.Trace.Steps {
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

// told returns the numbers of the decisions that tell something, as " (1, 2)"; "" if none does.
func (a *namespaceAnswer) told(tells func(d *cluster.Decision) bool) string {
	var numbers []string
	for i := range a.decisions {
		if tells(&a.decisions[i]) {
			numbers = append(numbers, strconv.Itoa(i+1))
		}
	}
	if len(numbers) == 0 {
		return ""
	}
	return " (" + strings.Join(numbers, ", ") + ")"
}

// wait says why an operator waits, if no decision tells it.
func (a *namespaceAnswer) wait(w *resolve.Wait) text.Word {
	said := "is blocked" + a.told(func(d *cluster.Decision) bool { return d.Wait != nil && d.Wait.Name == w.Name })
	if said == "is blocked" {
		said = wording.Wait(w)
	}
	return text.Styled(said, text.Warning)
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
		a.Item(w.Name, " ", a.wait(w))
	}
}

func (a *namespaceAnswer) step(i int, r *resolve.Resolution) {
	step := fmt.Sprintf("step %d", i+1)
	if r.Resolvable() {
		a.Section(step, wording.Approval(r.Plan))
		for _, line := range planTexts(r.Plan, i == 0 && a.Before.Idle()) {
			a.Item(text.Styled(line, text.Faint))
		}
		for j := range r.Installs {
			a.install(r, &r.Installs[j])
		}
		a.uncertain(r)
		return
	}
	told := a.told(func(d *cluster.Decision) bool { return d.Fault != nil || len(d.Reasons) > 0 })
	if step += ": "; i == 0 {
		step = ""
	}
	if r.Undecided() {
		a.Section(step, wording.Undecided, told)
	} else {
		a.Section(step, "OLM ", cannotResolve(r), " the namespace, and changes nothing in it", conditionSuffix(r), told)
	}
	if told != "" {
		return
	}
	if len(r.Conflict) > 0 {
		a.List(wording.Standstill(a.ResolveReport))
	}
	if len(r.Conflict) > 0 && r.Conflict[0].Kind != resolve.Unexplained {
		a.Item("These constraints conflict. Without any one of them, the others can be met:")
	}
	for _, reason := range wording.Reasons(r.Conflict) {
		a.Detail(reason)
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

// planTexts says of the InstallPlan of a step what the decision to approve it does not. idle says that OLM does not resolve the namespace before the plan has run.
func planTexts(p *resolve.Plan, idle bool) []string {
	if p == nil {
		return nil
	}
	var all []string
	for _, other := range []struct {
		plans  []string
		format string
	}{
		{p.Supersedes, "%s still waits for approval, but no subscription refers to it: the new one supersedes it. OLM would still run it."},
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

func (a *namespaceAnswer) install(r *resolve.Resolution, in *resolve.Install) {
	said := "installs " + in.Name
	if in.Replaces != "" {
		said = in.Replaces + " → " + in.Name
	}
	a.Item(said, " ", text.Styled(a.origin(in.Operator), text.Faint))
	if in.Wait != nil {
		a.Detail(a.wait(in.Wait))
	}
	if reasons := a.Rejected[in.Name]; len(reasons) > 0 {
		told := a.told(func(d *cluster.Decision) bool { return len(d.Said) > 0 && slices.Contains(d.To, in.Name) })
		if told == "" {
			told = ": " + strings.Join(reasons, "; ")
		}
		a.Detail(text.Styled("the upgrade fails"+told, text.Error))
	}
	for _, n := range r.RequiredBy(in) {
		a.Detail(n.Subject.Name, " requires ", n.Requirement)
	}
	for i := range r.Choices {
		if c := &r.Choices[i]; c.Chosen == in.Operator {
			a.rejections(c.Rejected)
		}
	}
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
		a.Item("OLM may reach another result, depending on the order of subscriptions and channels, which OLM does not define.")
	}
}

func (a *namespaceAnswer) rejections(all []resolve.Rejection) {
	for i := range all {
		r := &all[i]
		if len(r.Because) == 0 { // the reason was not determined
			a.Detail("or ", phrase.Count(len(all)-i, "older bundle"))
			return
		}
		told := a.told(func(d *cluster.Decision) bool { return len(d.Reject) > 0 && d.Reject[0].Name == r.Name })
		if told == "" {
			told = ": " + wording.Rejection(r)
		}
		a.Detail(text.Styled("not "+r.Name, text.Warning), told)
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
	if rest := a.Trace.Final; rest != nil && len(rest.Installs) == 0 {
		a.uncertain(rest)
	}
}

func (a *namespaceAnswer) unchanged(s *resolve.Unchanged) {
	said, role := "has no upgrade", text.Normal
	told := a.told(func(d *cluster.Decision) bool { return d.Package != "" && d.From.Name == s.Name })
	unknown := func(source resolve.Source) bool { return source.Unknown && source.SourceKey == s.Subscription.Source }
	switch {
	case s.Wait != nil:
		a.Item(s.Name, " ", a.wait(s.Wait))
		return
	case s.Replaced != "":
		said, role = wording.Until(&a.Trace.Last, s.Name, s.Replaced), text.Warning
	case s.Subscription == nil:
		said = "stays: no subscription owns it"
	case slices.ContainsFunc(a.Before.Sources, unknown):
		said, role = "is assumed to stay: its catalog is not given", text.Warning
	case s.Elsewhere:
		said, role = "is blocked, unless a catalog that is not given provides what is missing", text.Warning
	case len(s.Rejected) > 0, len(s.Heads) > 0:
		said, role = "is blocked"+told, text.Warning
	case slices.Contains(a.Heads[s.Subscription.Name], s.Name):
		said = "is the head of " + wording.Channel(s.Subscription, "a channel")
	}
	a.Item(s.Name, " ", text.Styled(said, role))
	a.rejections(s.Rejected)
}
