package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve"
)

// Outlook is what OLM v0 will do in a namespace.
type Outlook struct {
	Before resolve.Namespace // as it is, or is supposed to be
	Course *resolve.Course
	Once   bool // only one step was asked for; Rest of the course is that step
	// Supposed says what was changed before the question was asked; Lacks are what that breaks.
	Supposed string
	Lacks    []resolve.Lack
	Groups   int                 // OperatorGroups of the namespace
	Heads    map[string][]string // of the channel of a subscription, by its name
}

// Stay is an operator that OLM leaves as it is.
type Stay struct {
	resolve.Operator
	Subscription *resolve.Subscription // nil if none owns it
	Rejected     []resolve.Rejection   // what it would rather be
	Heads        []string              // of its channel, if no upgrade leads to one
}

// Held reports whether something keeps it from what its channel has.
func (s *Stay) Held() bool { return len(s.Rejected) > 0 || len(s.Heads) > 0 }

// Stays returns what does not move, by subscription, and then what no subscription owns.
func (o *Outlook) Stays() []Stay {
	var all []Stay
	if o.Course.Rest == nil {
		return nil
	}
	for i := range o.Course.Rest.Choices {
		c := &o.Course.Rest.Choices[i]
		if c.Subscription == "" || !c.Chosen.Installed() {
			continue
		}
		s := Stay{Operator: c.Chosen, Subscription: o.subscription(c.Subscription), Rejected: c.Rejected}
		if heads := o.Heads[c.Subscription]; len(c.Rejected) == 0 && len(heads) > 0 && !slices.Contains(heads, c.Chosen.Name) {
			s.Heads = heads
		}
		all = append(all, s)
	}
	for _, operator := range o.Before.Operators() {
		if !slices.ContainsFunc(o.Before.Subscriptions, func(s resolve.Subscription) bool { return s.Installed == operator.Name }) {
			all = append(all, Stay{Operator: operator})
		}
	}
	return all
}

func (o *Outlook) subscription(name string) *resolve.Subscription {
	i := slices.IndexFunc(o.Course.Last.Subscriptions, func(s resolve.Subscription) bool { return s.Name == name })
	return &o.Course.Last.Subscriptions[i]
}

// OneGroup reports whether the namespace has an OperatorGroup as OLM wants it: one, or none that anybody was told of.
func (o *Outlook) OneGroup() bool { return o.Groups <= 1 }

// Undecided reports whether nobody knows what happens, because it takes more to work out than it may cost.
func (o *Outlook) Undecided() bool { return o.OneGroup() && o.Course.End == resolve.Undecided }

// Good reports whether everything goes its way: nothing is broken, unresolvable or held back for ever.
func (o *Outlook) Good() bool {
	end := o.Course.End
	return end != resolve.Unresolvable && end != resolve.Undecided && end != resolve.Loop && (end != resolve.Limit || o.Once) && o.OneGroup() && len(o.Lacks) == 0 &&
		!slices.ContainsFunc(o.Stays(), func(s Stay) bool { return s.Held() })
}

// OutlookText writes it for people.
func OutlookText(w io.Writer, o *Outlook, style Style) error {
	t := &outlookText{text: &text{Writer: bufio.NewWriter(w), style: style, colors: newPalette(w, style.Color)}, Outlook: o}
	t.begin()
	if o.OneGroup() {
		for i, step := range o.Course.Steps {
			t.step(i, step)
		}
		t.end()
	}
	return t.Flush()
}

type outlookText struct {
	*text
	*Outlook
}

func (t *outlookText) heading(format string, args ...any) {
	t.line("")
	t.wrapped("", "  ", word{safe(fmt.Sprintf(format, args...)), t.colors.heading})
}

func (t *outlookText) begin() {
	n := &t.Before
	t.wrapped("", "  ", word{safe(fmt.Sprintf("namespace %q: %s, %s installed", n.Name, count(len(n.Subscriptions), "subscription"),
		count(len(n.Installed), "operator"))), t.colors.heading})
	if t.Supposed != "" {
		t.wrapped("", "  ", plain(t.Supposed))
	}
	for _, l := range t.Lacks {
		t.wrapped("  ", "      ", word{"breaks:", t.colors.error}, plain(fmt.Sprintf("%s, which requires %s", l.Name, l.Requirement)))
	}
	if !t.OneGroup() {
		t.wrapped("", "  ", word{fmt.Sprintf("It has %d OperatorGroups, and OLM resolves nothing where there is not exactly one.", t.Groups), t.colors.error})
	}
}

func (t *outlookText) step(i int, r *resolve.Resolution) {
	switch {
	case r.Resolvable():
		t.heading("step %d", i+1)
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
		t.heading("OLM cannot resolve the namespace, and does nothing in it: %s", condition(r))
	default:
		t.heading("step %d: OLM cannot resolve the namespace any more, and does nothing in it: %s", i+1, condition(r))
	}
	for j := range r.Faults {
		t.wrapped("  ", "      ", plain(faultText(&r.Faults[j])))
	}
	if len(r.Conflict) > 0 && r.Conflict[0].Kind != resolve.Unexplained {
		t.wrapped("  ", "  ", plain("These cannot hold together, and without any one of them the others could:"))
	}
	for _, reason := range reasonTexts(r.Conflict) {
		t.wrapped("  - ", "    ", plain(reason))
	}
}

const undecided = "olmgraph does not know what OLM does: it takes more to work out than olmgraph tries"

// condition is what OLM gives as the reason in the condition ResolutionFailed of each subscription.
func condition(r *resolve.Resolution) string {
	if slices.ContainsFunc(r.Faults, func(f resolve.Fault) bool { return !f.Kind.Unsatisfiable() }) {
		return "ErrorPreventedResolution"
	}
	return "ConstraintsNotSatisfiable"
}

func (t *outlookText) install(r *resolve.Resolution, in *resolve.Install) {
	said := "installs " + in.Name
	if in.Replaces != "" {
		said = in.Replaces + " → " + in.Name
	}
	t.wrapped("  ", "      ", plain(said), word{safe(t.from(in.Operator)), t.colors.faint})
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
func (t *outlookText) from(o resolve.Operator) string {
	said := fmt.Sprintf("from channel %q", o.Channel)
	if len(t.Before.Sources) > 1 {
		said += " of " + t.Before.NameOf(o.Source)
	}
	return said
}

const byChance = "This may come out otherwise the next time: OLM promises no order here."

// others says what else OLM may do in a step.
func (t *outlookText) others(r *resolve.Resolution) {
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
func (t *outlookText) difference(from, to []resolve.Install) string {
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

func (t *outlookText) rejections(all []resolve.Rejection) {
	for i := range all {
		r := &all[i]
		if len(r.Because) == 0 { // nobody asked
			t.wrapped("      ", "        ", plain(fmt.Sprintf("nor %s", count(len(all)-i, "older bundle"))))
			return
		}
		t.wrapped("      ", "        ", word{"not " + safe(r.Name) + ":", t.colors.warning}, plain(becauseText(r)))
	}
}

func (t *outlookText) end() {
	switch c := t.Course; {
	case c.End == resolve.Loop:
		t.heading("then everything is as it was before step %d, and begins again", c.Back+1)
	case c.End == resolve.Limit && !t.Once:
		t.heading("there are more steps than %d", len(c.Steps))
	case c.End == resolve.Unresolvable, c.End == resolve.Undecided:
	case t.Once && len(t.Stays()) > 0:
		t.heading("this stays as it is in this step")
	case t.Once:
	case len(c.Steps) == 0:
		t.heading("nothing moves")
	default:
		t.heading("then nothing moves any more")
	}
	for _, s := range t.Stays() {
		t.stay(&s)
	}
	if rest := t.Course.Rest; rest != nil && len(rest.Installs) == 0 {
		t.others(rest)
	}
}

func (t *outlookText) stay(s *Stay) {
	said, brush := "has no newer one to go to", brush(nil)
	switch {
	case s.Subscription == nil:
		said = "stays: no subscription owns it"
	case len(s.Rejected) > 0:
		said, brush = "is held back", t.colors.warning
	case len(s.Heads) > 0:
		said, brush = fmt.Sprintf("is held back: no upgrade leads from it to %s in channel %q, as olmgraph path explains",
			orNames(s.Heads), s.Subscription.Channel), t.colors.warning
	case slices.Contains(t.Heads[s.Subscription.Name], s.Name):
		said = fmt.Sprintf("is the head of channel %q", s.Subscription.Channel)
	}
	t.wrapped("  ", "      ", plain(s.Name), word{safe(said), brush})
	t.rejections(s.Rejected)
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
