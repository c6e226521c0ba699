package plan

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve"
)

// lift is a constraint that is not applied, to find out whether it is what blocks.
type lift struct {
	kind BlockerKind
	pkg  string
	some bool // false: everything applies
}

func (l lift) covers(kind BlockerKind, pkg string) bool {
	return l.some && l.kind == kind && l.pkg == pkg
}

// outcome is what OLM does next with a part.
type outcome struct {
	resolution *resolve.Resolution
	ok         bool      // it is resolvable
	moves      bool      // something is installed
	exists     bool      // by an InstallPlan that exists
	waits      bool      // which has to be approved
	planned    *part     // with the InstallPlan that OLM creates, which waits for approval
	after      *part     // once it is installed
	blocked    []Blocker // why it would not run
}

// next returns what OLM does next with a part of the namespace, unless the whole namespace waits.
func (w *world) next(p *part, m Minor) *outcome {
	at := partAt{p, m}
	if known := w.moved[at]; known != nil {
		return known
	}
	o := &outcome{}
	w.moved[at] = o
	n := w.namespace(p, m)
	r := w.states.resolved[at]
	if r == nil {
		var err error
		if r, err = resolve.NextOfPart(w.ctx, n); err != nil {
			w.content.err = err
			return o
		}
		w.states.resolved[at] = r
	}
	w.fill(o, p, n, r, m)
	return o
}

// installApproved returns what the InstallPlans install that a part waits for.
func (w *world) installApproved(p *part, m Minor) *outcome {
	o := &outcome{}
	n := w.namespace(p, m)
	r, err := n.RunApproved()
	if err != nil {
		w.content.err = err
		return o
	}
	w.fill(o, p, n, r, m)
	return o
}

func (w *world) fill(o *outcome, p *part, n resolve.Namespace, r *resolve.Resolution, m Minor) {
	o.resolution, o.ok, o.moves = r, r.Resolvable(), len(r.Installs) > 0
	if !o.ok || !o.moves {
		o.moves = false
		return
	}
	o.exists = r.Plan != nil && len(r.Plan.Names) > 0
	o.waits = o.exists && len(r.Plan.Approve) > 0
	stored := p.stored
	for i := range r.Installs {
		in := &r.Installs[i]
		blocked, after := w.check(in, m, stored)
		stored = after
		for wait := in.Wait; wait != nil; wait = wait.Then {
			blocked = append(blocked, w.waitBlocker(wait, in.Package, m))
		}
		o.blocked = append(o.blocked, slices.DeleteFunc(blocked, func(b Blocker) bool { return w.lifted.covers(b.Kind, b.Package) })...)
	}
	if len(o.blocked) == 0 {
		o.after = w.states.newPart(n.AfterAll(r), stored)
	}
	if !o.exists && w.manual {
		o.planned = w.states.newPart(n.WithPlan(r, planName(r)), p.stored)
	}
}

// planName is a name for an InstallPlan that does not exist yet: the same for the same bundles.
func planName(r *resolve.Resolution) string {
	var names []string
	for i := range r.Installs {
		names = append(names, r.Installs[i].Name)
	}
	return "new: " + strings.Join(names, ", ")
}

// waitBlocker returns why an operator does not run.
func (w *world) waitBlocker(wait *resolve.Wait, pkg string, m Minor) Blocker {
	b := Blocker{Kind: Hanging, Minor: m, Namespace: w.base.Name, Package: pkg, Operator: wait.Name, Message: wait.Reason}
	switch wait.Kind {
	case resolve.NotUpgradeable:
		b.Kind, b.Operator = NotUpgradeable, wait.Replaces
		b.Message = strings.Trim(wait.Condition.Reason+": "+wait.Condition.Message, ": ")
	case resolve.UnsupportedGroup:
		b.Kind, b.Message = NotSupported, wait.Err.Error()
	case resolve.RequirementsNotMet:
		b.Kind, b.Message = KubernetesTooOld, wait.Err.Error()
	case resolve.NotReplaceable:
		b.Operator = wait.Replaces
	}
	return b
}

// event is what happens in the namespace in one step: the parts that are upgraded together.
type event struct {
	plans []string // InstallPlans of the cluster that are approved
	done  []*resolve.Resolution
}

func (e *event) upgrades() int {
	n := 0
	for _, r := range e.done {
		n += len(r.Installs)
	}
	return n
}

// maxSteps bounds what OLM does automatically at one minor version; no channel has as many upgrades.
const maxSteps = 1000

// settle lets OLM do what it does without anybody: upgrades that need no approval, and InstallPlans that wait for one. blocked is not
// empty if an upgrade is made that cannot succeed.
func (w *world) settle(m Minor, parts []*part, idle bool) (after []*part, events []event, blocked []Blocker) {
	for range maxSteps {
		if w.content.err != nil || !w.hasCatalogs(m, parts) {
			return parts, events, nil
		}
		outcomes, ok := w.outcomes(m, parts, idle && allPending(parts))
		if !ok {
			return parts, events, nil
		}
		next, e, planned, blocked := w.applyOutcomes(parts, outcomes)
		switch {
		case len(blocked) > 0:
			return parts, events, blocked
		case e.done == nil && planned == nil:
			return parts, events, nil
		case e.done == nil:
			return planned, events, nil
		}
		parts, events = next, append(events, e)
	}
	return parts, events, []Blocker{{Kind: Hanging, Minor: m, Namespace: w.base.Name, Message: "the upgrades are endless"}}
}

// outcomes returns what OLM does next with each part; false if the namespace is not resolvable.
func (w *world) outcomes(m Minor, parts []*part, idle bool) (all []*outcome, ok bool) {
	for _, p := range parts {
		o := w.next
		if idle {
			o = w.installApproved
		}
		one := o(p, m)
		if !one.ok {
			return nil, false
		}
		all = append(all, one)
	}
	return all, true
}

func allPending(parts []*part) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool { return !p.pending && len(p.Subscriptions) > 0 })
}

// applyOutcomes does what needs no approval, or else returns the parts with their InstallPlans.
func (w *world) applyOutcomes(parts []*part, outcomes []*outcome) (next []*part, e event, planned []*part, blocked []Blocker) {
	next, planned = slices.Clone(parts), slices.Clone(parts)
	isPlanned := false
	for i, o := range outcomes {
		switch {
		case !o.moves || o.waits:
		case w.manual && !o.exists:
			planned[i], isPlanned = o.planned, isPlanned || o.planned != parts[i]
		default:
			e.done, blocked = append(e.done, o.resolution), append(blocked, o.blocked...)
			next[i] = o.after
		}
	}
	if !isPlanned {
		planned = nil
	}
	return next, e, planned, blocked
}

// approve approves the InstallPlans that the parts wait for; false if there are none, or OLM does not run them.
func (w *world) approve(m Minor, parts []*part) (next []*part, e event, blocked []Blocker, ok bool) {
	if !slices.ContainsFunc(parts, func(p *part) bool { return p.waits }) || !w.hasCatalogs(m, parts) {
		return nil, event{}, nil, false
	}
	if !w.relaxed && !allPending(parts) {
		if _, resolvable := w.outcomes(m, parts, false); !resolvable {
			return nil, event{}, nil, false
		}
	}
	next = slices.Clone(parts)
	for i, p := range parts {
		if !p.waits {
			continue
		}
		o := w.installApproved(p, m)
		if !o.moves || !o.waits {
			continue
		}
		e.done, blocked = append(e.done, o.resolution), append(blocked, o.blocked...)
		e.plans = append(e.plans, w.plansToApprove(o, p, parts, m)...)
		next[i] = o.after
	}
	return next, e, blocked, e.done != nil
}

// plansToApprove returns the InstallPlans of the cluster that install what a part waits for. If another part has got a new one, that repeats the
// steps of those whose bundles are resolved again (OLM: resolver ResolveSteps), and is approved instead.
func (w *world) plansToApprove(o *outcome, of *part, parts []*part, m Minor) (names []string) {
	isNew := func(name string) bool { return strings.HasPrefix(name, "new: ") }
	created := slices.ContainsFunc(parts, func(p *part) bool {
		return slices.ContainsFunc(p.Subscriptions, func(s resolve.Subscription) bool { return isNew(s.Plan) && s.CurrentCSV != s.InstalledCSV })
	})
	if again := w.next(of, m); created && again.ok && again.moves {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(o.resolution.Plan.Approve), isNew)
}
