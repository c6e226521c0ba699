package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// resolveText writes the resolution of a namespace as text.
func resolveText(w io.Writer, o *resolve.ResolveReport, style text.Style) error {
	t := &resolveWriter{Writer: text.NewWriter(w, style), ResolveReport: o}
	t.begin()
	for i, step := range o.Trace.Steps {
		t.step(i, step)
	}
	t.end()
	return t.Flush()
}

type resolveWriter struct {
	*text.Writer
	*resolve.ResolveReport
}

func (t *resolveWriter) heading(format string, args ...any) {
	t.Line("")
	t.Wrapped("", "  ", text.Styled(fmt.Sprintf(format, args...), text.Heading))
}

func (t *resolveWriter) begin() {
	n := &t.Before
	t.Wrapped("", "  ", text.Styled(fmt.Sprintf("namespace %q: %s, %s installed", n.Name, text.Count(len(n.Subscriptions), "subscription"),
		text.Count(len(n.Installed), "operator")), text.Heading))
	if t.WhatIf != "" {
		t.Wrapped("", "  ", text.Plain(t.WhatIf))
	}
	for _, l := range t.Unmet {
		t.Wrapped("  ", "      ", text.Styled("breaks:", text.Error), text.Plain(fmt.Sprintf("%s, which requires %s", l.Name, l.Requirement)))
	}
	for _, pair := range t.Trace.Finished {
		t.Wrapped("  ", "      ", text.Plain(fmt.Sprintf("%s → %s is in progress, and assumed to succeed", pair[0], pair[1])))
	}
	for i := range t.Trace.Waiting {
		w := &t.Trace.Waiting[i]
		t.Wrapped("  ", "      ", text.Plain(w.Name), text.Styled(wording.Wait(w), text.Warning))
	}
	for _, name := range n.UnreferencedPlans() {
		t.Wrapped("  ", "      ", text.Plain(fmt.Sprintf("InstallPlan %q waits for approval, but no subscription refers to it: OLM would still run it", name)))
	}
}

func (t *resolveWriter) step(i int, r *resolve.Resolution) {
	switch {
	case r.Resolvable():
		t.heading("step %d%s", i+1, wording.Approval(r.Plan))
		t.plan(r.Plan, i == 0 && t.Before.Idle())
		for j := range r.Installs {
			t.install(r, &r.Installs[j])
		}
		t.alternatives(r)
		return
	case r.Undecided() && i == 0:
		t.heading(wording.Undecided)
	case r.Undecided():
		t.heading("step %d: %s", i+1, wording.Undecided)
	case i == 0:
		t.heading("OLM %s the namespace, and changes nothing in it%s", cannotResolve(r), conditionSuffix(r))
	default:
		t.heading("step %d: OLM %s the namespace any more, and changes nothing in it%s", i+1, cannotResolve(r), conditionSuffix(r))
	}
	t.faults(r.Faults)
	if len(r.Conflict) > 0 {
		t.standstill()
	}
	if len(r.Conflict) > 0 && r.Conflict[0].Kind != resolve.Unexplained {
		t.Wrapped("  ", "  ", text.Plain("These constraints conflict; without any one of them the others could be met:"))
	}
	for _, reason := range wording.Reasons(r.Conflict) {
		t.Wrapped("  - ", "    ", text.Plain(reason))
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

// faults writes what prevents OLM from resolving the namespace, then what would prevent it next.
func (t *resolveWriter) faults(all []resolve.Fault) {
	for i := range all {
		f := &all[i]
		if i > 0 && f.Kind.Stage() > all[0].Kind.Stage() && all[i-1].Kind.Stage() == all[0].Kind.Stage() {
			t.Wrapped("  ", "  ", text.Plain("Once that is fixed, these prevent it as well:"))
		}
		t.Wrapped("  ", "      ", text.Plain(wording.Fault(f)))
	}
}

// plan writes details of the InstallPlan of a step.
func (t *resolveWriter) plan(p *resolve.Plan, idle bool) {
	for _, line := range planTexts(p, idle) {
		t.Wrapped("  ", "  ", text.Styled(line, text.Faint))
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
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	if len(all) == 1 {
		return "Subscription " + all[0] + " has"
	}
	return "Subscriptions " + text.And(all) + " have"
}

// standstill writes how waiting operators block the namespace.
func (t *resolveWriter) standstill() {
	for _, said := range wording.Standstill(t.ResolveReport) {
		t.Wrapped("  ", "  ", text.Plain(said))
	}
}

func (t *resolveWriter) install(r *resolve.Resolution, in *resolve.Install) {
	said := "installs " + in.Name
	if in.Replaces != "" {
		said = in.Replaces + " → " + in.Name
	}
	t.Wrapped("  ", "      ", text.Plain(said), text.Styled(t.origin(in.Operator), text.Faint))
	if in.Wait != nil {
		t.Wrapped("      ", "        ", text.Styled(wording.Wait(in.Wait), text.Warning))
	}
	if reasons := t.RejectedCRDs[in.Name]; len(reasons) > 0 {
		t.Wrapped("      ", "        ", text.Styled("the InstallPlan fails: "+strings.Join(reasons, "; "), text.Error))
	}
	for _, n := range requiredBy(r, in) {
		t.Wrapped("      ", "        ", text.Plain(fmt.Sprintf("%s requires %s", n.Subject.Name, n.Requirement)))
	}
	for i := range r.Choices {
		if c := &r.Choices[i]; c.Chosen == in.Operator {
			t.rejections(c.Rejected)
			if c.Arbitrary {
				t.Wrapped("      ", "        ", text.Plain(arbitraryNote))
			}
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
func (t *resolveWriter) origin(o resolve.Operator) string {
	said := fmt.Sprintf("from channel %q", o.Channel)
	if o.Channel == "" {
		return ""
	}
	if len(t.Before.Sources) > 1 {
		said += " of " + t.Before.NameOf(o.Source)
	}
	return said
}

const arbitraryNote = "The result can differ: OLM does not define an order here."

// alternatives writes what OLM may do instead in a step.
func (t *resolveWriter) alternatives(r *resolve.Resolution) {
	if len(r.Others) > 0 {
		t.Wrapped("  ", "  ", text.Plain("OLM does not define an order of subscriptions and channels, and the result depends on it. It can do this instead:"))
	}
	for _, other := range r.Others {
		t.Wrapped("  - ", "    ", text.Plain(t.difference(r.Installs, other)))
	}
	if r.MoreOthers {
		t.Wrapped("  ", "  ", text.Plain("There may be other results: olmgraph has not checked all of them."))
	}
}

// difference says what one outcome installs and another does not. It names the channel of what is left out only if the name is
// the same in both.
func (t *resolveWriter) difference(from, to []resolve.Install) string {
	only := func(all, others []resolve.Install, channel func(*resolve.Install) bool) string {
		var names []string
		for i := range all {
			in := &all[i]
			switch {
			case slices.ContainsFunc(others, func(o resolve.Install) bool { return o.Operator == in.Operator }):
			case channel(in):
				names = append(names, in.Name+" "+t.origin(in.Operator))
			default:
				names = append(names, in.Name)
			}
		}
		return text.And(names)
	}
	installs := only(to, from, func(*resolve.Install) bool { return true })
	omits := only(from, to, func(in *resolve.Install) bool {
		return slices.ContainsFunc(to, func(o resolve.Install) bool { return o.Name == in.Name })
	})
	switch nothing := text.And(nil); {
	case installs == nothing:
		return "does not install " + omits
	case omits == nothing:
		return "also installs " + installs
	default:
		return fmt.Sprintf("installs %s instead of %s", installs, omits)
	}
}

func (t *resolveWriter) rejections(all []resolve.Rejection) {
	for i := range all {
		r := &all[i]
		if len(r.Because) == 0 { // the reason was not determined
			t.Wrapped("      ", "        ", text.Plain(fmt.Sprintf("or %s", text.Count(len(all)-i, "older bundle"))))
			return
		}
		t.Wrapped("      ", "        ", text.Styled("not "+r.Name+":", text.Warning), text.Plain(wording.Rejection(r)))
	}
}

func (t *resolveWriter) end() {
	switch c := t.Trace; {
	case c.End == resolve.Loop:
		t.heading("then the state before step %d is reached again, and the steps repeat", c.LoopStart+1)
	case c.End == resolve.Limit && !t.Once:
		t.heading("there are more steps than %d", len(c.Steps))
	case c.End == resolve.Unresolvable, c.End == resolve.Undecided:
	case t.Once && len(t.Unchanged()) > 0:
		t.heading("unchanged in this step")
	case t.Once:
	case len(c.Steps) == 0:
		t.heading("no upgrades")
	default:
		t.heading("then no more upgrades")
	}
	for _, s := range t.Unchanged() {
		t.unchanged(&s)
	}
	if rest := t.Trace.Final; rest != nil && len(rest.Installs) == 0 {
		t.alternatives(rest)
	}
	if t.Trace.Final != nil {
		t.unplanned(t.Trace.Final)
	}
}

// unplanned writes what is missing and why OLM does not install it.
func (t *resolveWriter) unplanned(r *resolve.Resolution) {
	if len(r.Unplanned) == 0 {
		return
	}
	t.heading("missing, but OLM creates no InstallPlan for it: it creates one only if a subscription gets another currentCSV")
	for i := range r.Unplanned {
		in := &r.Unplanned[i]
		t.install(r, in)
		for _, name := range in.Subscriptions {
			t.Wrapped("      ", "        ", text.Plain(t.stuckText(name, in)))
		}
	}
}

// stuckText says why OLM does not install the currentCSV that a subscription already has.
func (t *resolveWriter) stuckText(sub string, in *resolve.Install) string {
	said := fmt.Sprintf("subscription %q already has it as its currentCSV", sub)
	if plan, phase := t.Trace.Last.PlanPhase(sub); plan != "" {
		said += fmt.Sprintf(", and its InstallPlan %q is %s", plan, phase)
	}
	what := "the subscription"
	if in.Replaces != "" {
		what += " and " + in.Replaces
	}
	return said + ": delete " + what + ", and create the subscription again"
}

func (t *resolveWriter) unchanged(s *resolve.Unchanged) {
	said, role := "has no upgrade", text.Normal
	switch {
	case s.Wait != nil:
		said, role = wording.Wait(s.Wait), text.Warning
	case s.Replaced != "":
		said, role = wording.Until(&t.Trace.Last, s.Name, s.Replaced), text.Warning
	case s.Subscription == nil:
		said = "stays: no subscription owns it"
	case len(s.Rejected) > 0:
		said, role = "is blocked", text.Warning
	case len(s.Heads) > 0:
		said, role = fmt.Sprintf("is blocked: it has no upgrade path to %s in %s; see olmgraph path",
			text.Or(s.Heads), wording.Channel(s.Subscription, "any channel")), text.Warning
	case slices.Contains(t.Heads[s.Subscription.Name], s.Name):
		said = "is the head of " + wording.Channel(s.Subscription, "a channel")
	}
	t.Wrapped("  ", "      ", text.Plain(s.Name), text.Styled(said, role))
	t.rejections(s.Rejected)
}
