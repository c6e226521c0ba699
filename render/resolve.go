package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve"
)

// resolveText writes it for people.
func resolveText(w io.Writer, o *resolve.ResolveReport, style Style) error {
	t := &resolveWriter{text: &text{Writer: bufio.NewWriter(w), style: style, colors: newPalette(w, style.Color)}, ResolveReport: o}
	t.begin()
	for i, step := range o.Trace.Steps {
		t.step(i, step)
	}
	t.end()
	return t.Flush()
}

type resolveWriter struct {
	*text
	*resolve.ResolveReport
}

func (t *resolveWriter) heading(format string, args ...any) {
	t.line("")
	t.wrapped("", "  ", word{safe(fmt.Sprintf(format, args...)), t.colors.heading})
}

func (t *resolveWriter) begin() {
	n := &t.Before
	t.wrapped("", "  ", word{safe(fmt.Sprintf("namespace %q: %s, %s installed", n.Name, count(len(n.Subscriptions), "subscription"),
		count(len(n.Installed), "operator"))), t.colors.heading})
	if t.WhatIf != "" {
		t.wrapped("", "  ", plain(t.WhatIf))
	}
	for _, l := range t.Unmet {
		t.wrapped("  ", "      ", word{"breaks:", t.colors.error}, plain(fmt.Sprintf("%s, which requires %s", l.Name, l.Requirement)))
	}
	for _, pair := range t.Trace.Finished {
		t.wrapped("  ", "      ", plain(fmt.Sprintf("%s → %s is under way, and taken to succeed", pair[0], pair[1])))
	}
	for i := range t.Trace.Waiting {
		w := &t.Trace.Waiting[i]
		t.wrapped("  ", "      ", plain(w.Name), word{safe(waitText(w)), t.colors.warning})
	}
	for _, name := range n.UnreferencedPlans() {
		t.wrapped("  ", "      ", plain(fmt.Sprintf("InstallPlan %q waits for approval, but no subscription refers to it: OLM would still run it", name)))
	}
}

func (t *resolveWriter) step(i int, r *resolve.Resolution) {
	switch {
	case r.Resolvable():
		t.heading("step %d%s", i+1, approvalText(r.Plan))
		t.planned(r.Plan, i == 0 && t.Before.Idle())
		for j := range r.Installs {
			t.install(r, &r.Installs[j])
		}
		t.others(r)
		return
	case r.Undecided() && i == 0:
		t.heading(undecided)
	case r.Undecided():
		t.heading("step %d: %s", i+1, undecided)
	case i == 0:
		t.heading("OLM %s the namespace, and does nothing in it%s", cannot(r), reasonOf(r))
	default:
		t.heading("step %d: OLM %s the namespace any more, and does nothing in it%s", i+1, cannot(r), reasonOf(r))
	}
	t.faults(r.Faults)
	if len(r.Conflict) > 0 {
		t.whileWaiting()
	}
	if len(r.Conflict) > 0 && r.Conflict[0].Kind != resolve.Unexplained {
		t.wrapped("  ", "  ", plain("These cannot hold together, and without any one of them the others could:"))
	}
	for _, reason := range reasonTexts(r.Conflict) {
		t.wrapped("  - ", "    ", plain(reason))
	}
}

const undecided = "olmgraph does not know what OLM does: it takes more to work out than olmgraph tries"

// cannot says whether OLM tries to resolve a namespace.
func cannot(r *resolve.Resolution) string {
	if condition(r) == "" {
		return "does not resolve"
	}
	return "cannot resolve"
}

func reasonOf(r *resolve.Resolution) string {
	if c := condition(r); c != "" {
		return ": " + c
	}
	return ""
}

// faults writes what keeps OLM from resolving the namespace, and then what it has not come upon yet.
func (t *resolveWriter) faults(all []resolve.Fault) {
	for i := range all {
		f := &all[i]
		if i > 0 && f.Kind.Stage() > all[0].Kind.Stage() && all[i-1].Kind.Stage() == all[0].Kind.Stage() {
			t.wrapped("  ", "  ", plain("After that, these stop it as well:"))
		}
		t.wrapped("  ", "      ", plain(faultText(f)))
	}
}

// approvalText says behind the number of a step who has to approve it.
func approvalText(p *resolve.Plan) string {
	switch {
	case p == nil || !p.Waits():
		return ""
	case len(p.Approve) > 0:
		return ", once " + plansText(p.Approve) + " is approved"
	}
	return ", once its InstallPlan is approved"
}

// plansText names InstallPlans.
func plansText(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return "InstallPlan " + andNames(all)
}

// planned says more of the InstallPlan of a step.
func (t *resolveWriter) planned(p *resolve.Plan, idle bool) {
	for _, line := range planTexts(p, idle) {
		t.wrapped("  ", "  ", word{safe(line), t.colors.faint})
	}
}

// planTexts says what there is to know of the InstallPlan of a step; idle says that OLM resolves nothing before it has run.
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
		{p.Repeats, "%s still waits for approval, and the new one has steps of it as well."},
		{p.Supersedes, "%s still waits for approval, but no subscription refers to it any more: the new one supersedes it. OLM would still run it."},
		{p.Others, "%s still waits for approval, and the new one has no step of it."},
	} {
		for _, name := range other.plans {
			all = append(all, fmt.Sprintf(other.format, plansText([]string{name})))
		}
	}
	if idle {
		until := "it"
		if len(p.Names) > 1 {
			until = "one of them"
		}
		all = append(all, fmt.Sprintf("All subscriptions wait for %s: until %s has run OLM does not resolve the namespace, whatever the catalogs have by then.",
			plansText(p.Names), until))
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
	return "Subscriptions " + andNames(all) + " have"
}

// whileWaiting says what operators that wait do to the namespace.
func (t *resolveWriter) whileWaiting() {
	for _, said := range standstill(t.ResolveReport) {
		t.wrapped("  ", "  ", plain(said))
	}
}

// standstill says why nothing moves in the last step: what stays because it is replaced by what waits, and whom that holds back
// as well.
func standstill(o *resolve.ResolveReport) []string {
	last := &o.Trace.Last
	waiting := last.Waiting()
	var all []string
	for _, reason := range o.Trace.Steps[len(o.Trace.Steps)-1].Conflict {
		for _, w := range waiting {
			if reason.Kind == resolve.NotOwned && w.Replaces == reason.Subject.Name {
				all = append(all, w.Replaces+" "+untilText(last, w.Replaces, w.Name)+". No subscription has it as its installedCSV any more, so OLM keeps it, and cannot have both: "+
					"until then it installs and upgrades nothing in the namespace.")
			}
		}
	}
	var others []string
	for i := range last.Subscriptions {
		sub := &last.Subscriptions[i]
		if !slices.ContainsFunc(waiting, func(w resolve.Wait) bool { return w.Name == sub.InstalledCSV }) {
			others = append(others, fmt.Sprintf("%q", sub.Name))
		}
	}
	if len(all) > 0 && len(others) > 0 {
		all = append(all, fmt.Sprintf("That holds back %s as well.", countedNames("subscription", others)))
	}
	return all
}

// untilText says of an operator that it is there until another one has its place. What is Failed or Pending does not run.
func untilText(n *resolve.Namespace, name, by string) string {
	does := "runs on"
	if slices.ContainsFunc(n.Installed, func(in resolve.InstalledOperator) bool {
		return in.Name == name && (in.Phase == resolve.Failed || in.Phase == resolve.Pending)
	}) {
		does = "stays"
	}
	return fmt.Sprintf("%s until %s takes its place", does, by)
}

func countedNames(what string, names []string) string {
	if len(names) > 1 {
		what += "s"
	}
	return what + " " + andNames(names)
}

// condition is what OLM gives as the reason in the condition ResolutionFailed of each subscription; none where it does not
// try to resolve the namespace.
func condition(r *resolve.Resolution) string {
	if len(r.Faults) == 0 {
		return "ConstraintsNotSatisfiable"
	}
	switch r.Faults[0].Kind.Stage() {
	case resolve.Beforehand:
		return ""
	case resolve.Unsatisfiable:
		return "ConstraintsNotSatisfiable"
	}
	return "ErrorPreventedResolution"
}

func (t *resolveWriter) install(r *resolve.Resolution, in *resolve.Install) {
	said := "installs " + in.Name
	if in.Replaces != "" {
		said = in.Replaces + " → " + in.Name
	}
	t.wrapped("  ", "      ", plain(said), word{safe(t.from(in.Operator)), t.colors.faint})
	if in.Wait != nil {
		t.wrapped("      ", "        ", word{safe(waitText(in.Wait)), t.colors.warning})
	}
	for _, n := range neededBy(r, in) {
		t.wrapped("      ", "        ", plain(fmt.Sprintf("%s requires %s", n.Subject.Name, n.Requirement)))
	}
	for i := range r.Choices {
		if c := &r.Choices[i]; c.Chosen == in.Operator {
			t.rejections(c.Rejected)
			if c.Arbitrary {
				t.wrapped("      ", "        ", plain(byChance))
			}
		}
	}
}

// neededBy returns the requirements for which OLM installs what no subscription asks for.
func neededBy(r *resolve.Resolution, in *resolve.Install) []resolve.Choice {
	var all []resolve.Choice
	for _, c := range r.Choices {
		if in.Generated != nil && c.Requirement != nil && c.Chosen == in.Operator {
			all = append(all, c)
		}
	}
	return all
}

// from says where a bundle comes from.
func (t *resolveWriter) from(o resolve.Operator) string {
	said := fmt.Sprintf("from channel %q", o.Channel)
	if o.Channel == "" {
		return ""
	}
	if len(t.Before.Sources) > 1 {
		said += " of " + t.Before.NameOf(o.Source)
	}
	return said
}

const byChance = "This may come out otherwise the next time: OLM promises no order here."

// others says what else OLM may do in a step.
func (t *resolveWriter) others(r *resolve.Resolution) {
	if len(r.Others) > 0 {
		t.wrapped("  ", "  ", plain("OLM promises no order of subscriptions and channels, and here it matters. It may do this instead:"))
	}
	for _, other := range r.Others {
		t.wrapped("  - ", "    ", plain(t.difference(r.Installs, other)))
	}
	if r.MoreOthers {
		t.wrapped("  ", "  ", plain("There may be other outcomes: olmgraph has not looked at all of them."))
	}
}

// difference says what is installed in one outcome and not in another one. The channel of what is not is said where it is all
// that differs.
func (t *resolveWriter) difference(from, to []resolve.Install) string {
	only := func(all, others []resolve.Install, channel func(*resolve.Install) bool) string {
		var names []string
		for i := range all {
			in := &all[i]
			switch {
			case slices.ContainsFunc(others, func(o resolve.Install) bool { return o.Operator == in.Operator }):
			case channel(in):
				names = append(names, in.Name+" "+t.from(in.Operator))
			default:
				names = append(names, in.Name)
			}
		}
		return andNames(names)
	}
	installs := only(to, from, func(*resolve.Install) bool { return true })
	spares := only(from, to, func(in *resolve.Install) bool {
		return slices.ContainsFunc(to, func(o resolve.Install) bool { return o.Name == in.Name })
	})
	switch nothing := andNames(nil); {
	case installs == nothing:
		return "does not install " + spares
	case spares == nothing:
		return "also installs " + installs
	default:
		return fmt.Sprintf("installs %s instead of %s", installs, spares)
	}
}

func (t *resolveWriter) rejections(all []resolve.Rejection) {
	for i := range all {
		r := &all[i]
		if len(r.Because) == 0 { // nobody asked
			t.wrapped("      ", "        ", plain(fmt.Sprintf("nor %s", count(len(all)-i, "older bundle"))))
			return
		}
		t.wrapped("      ", "        ", word{"not " + safe(r.Name) + ":", t.colors.warning}, plain(becauseText(r)))
	}
}

func (t *resolveWriter) end() {
	switch c := t.Trace; {
	case c.End == resolve.Loop:
		t.heading("then everything is as it was before step %d, and begins again", c.LoopStart+1)
	case c.End == resolve.Limit && !t.Once:
		t.heading("there are more steps than %d", len(c.Steps))
	case c.End == resolve.Unresolvable, c.End == resolve.Undecided:
	case t.Once && len(t.Unchanged()) > 0:
		t.heading("this stays as it is in this step")
	case t.Once:
	case len(c.Steps) == 0:
		t.heading("nothing moves")
	default:
		t.heading("then nothing moves any more")
	}
	for _, s := range t.Unchanged() {
		t.stay(&s)
	}
	if rest := t.Trace.Final; rest != nil && len(rest.Installs) == 0 {
		t.others(rest)
	}
	if t.Trace.Final != nil {
		t.unplanned(t.Trace.Final)
	}
}

// unplanned writes what is missing, and why OLM does not install it.
func (t *resolveWriter) unplanned(r *resolve.Resolution) {
	if len(r.Unplanned) == 0 {
		return
	}
	t.heading("this is missing, but OLM makes no InstallPlan for it: it only does so where a subscription gets another currentCSV")
	for i := range r.Unplanned {
		in := &r.Unplanned[i]
		t.install(r, in)
		for _, name := range in.Subscriptions {
			t.wrapped("      ", "        ", plain(t.stuckText(name, in)))
		}
	}
}

// stuckText says why a subscription never gets what it has as its currentCSV already.
func (t *resolveWriter) stuckText(sub string, in *resolve.Install) string {
	said := fmt.Sprintf("subscription %q has it as its currentCSV already", sub)
	if plan, phase := t.Trace.Last.PlanPhase(sub); plan != "" {
		said += fmt.Sprintf(", and its InstallPlan %q is %s", plan, phase)
	}
	what := "the subscription"
	if in.Replaces != "" {
		what += " and " + in.Replaces
	}
	return said + ": delete " + what + ", and create the subscription again"
}

func (t *resolveWriter) stay(s *resolve.Unchanged) {
	said, brush := "has no newer one to go to", brush(nil)
	switch {
	case s.Wait != nil:
		said, brush = waitText(s.Wait), t.colors.warning
	case s.Replaced != "":
		said, brush = untilText(&t.Trace.Last, s.Name, s.Replaced), t.colors.warning
	case s.Subscription == nil:
		said = "stays: no subscription owns it"
	case len(s.Rejected) > 0:
		said, brush = "is held back", t.colors.warning
	case len(s.Heads) > 0:
		said, brush = fmt.Sprintf("is held back: no upgrade leads from it to %s in %s, as olmgraph path explains",
			orNames(s.Heads), channelText(s.Subscription, "any channel")), t.colors.warning
	case slices.Contains(t.Heads[s.Subscription.Name], s.Name):
		said = "is the head of " + channelText(s.Subscription, "a channel")
	}
	t.wrapped("  ", "      ", plain(s.Name), word{safe(said), brush})
	t.rejections(s.Rejected)
}

// channelText names the channel of a subscription, which may name none.
func channelText(sub *resolve.Subscription, none string) string {
	if sub.Channel == "" {
		return none
	}
	return fmt.Sprintf("channel %q", sub.Channel)
}

// orNames words alternatives, the first few by name.
func orNames(names []string) string { return fewNames(names, "or") }

func andNames(names []string) string { return fewNames(names, "and") }

func fewNames(names []string, last string) string {
	const most = 5
	switch n := len(names); {
	case n == 0:
		return "nothing"
	case n == 1:
		return names[0]
	case n > most+1:
		return fmt.Sprintf("%s %s %d others", strings.Join(names[:most], ", "), last, n-most)
	default:
		return fmt.Sprintf("%s %s %s", strings.Join(names[:n-1], ", "), last, names[n-1])
	}
}
