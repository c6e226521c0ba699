package resolve

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// TraceEnd says how a trace ends.
type TraceEnd int

// The ends of a trace.
const (
	fixedPoint    TraceEnd = iota // nothing changes any more
	Unresolvable                  // the last step has faults of OLM's, or a conflict
	Loop                          // the namespace is as it was before an earlier step
	traceEndLimit                 // more steps than the limit
	undecided                     // a limit of olmgraph was reached before the next step was known
)

// Trace is what happens in a namespace, step by step.
type Trace struct {
	Steps []*Resolution // those that install something; the last one may be unresolvable
	End   TraceEnd
	// Final is the last Resolution, which installs nothing, if the end is a fixed point: what each subscription has, and why
	// nothing better. At the limit it is the last step.
	Final     *Resolution
	LoopStart int       // where it ends in a loop: the index of the step before which it was the same
	Last      Namespace // after all steps
}

// runToFixedPoint resolves a namespace again and again until nothing changes, but takes at most limit steps, the last of which is Final then.
// Each time all InstallPlans are
// approved, and everything installed succeeds except what has to wait. An error is the context's, or of a source that has
// changed.
func runToFixedPoint(ctx context.Context, n Namespace, limit int) (*Trace, error) {
	c := &Trace{}
	var err error
	if c.Last, err = n.FinishPending(); err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for {
		state := c.Last.state()
		if back, met := seen[state]; met {
			c.End, c.LoopStart = Loop, back
			return c, nil
		}
		seen[state] = len(c.Steps)
		step, err := Next(ctx, c.Last)
		switch {
		case err != nil:
			return nil, err
		case !step.Resolvable():
			c.Steps, c.End = append(c.Steps, step), step.traceEnd()
			return c, nil
		case len(step.Installs) == 0:
			c.Final = step
			return c, nil
		}
		c.Steps = append(c.Steps, step)
		if c.Last = c.Last.After(step); len(c.Steps) == limit {
			c.End, c.Final = traceEndLimit, step
			return c, nil
		}
	}
}

// traceEnd returns how a trace ends whose last step is a Resolution that is not Resolvable.
func (r *Resolution) traceEnd() TraceEnd {
	if r.isUndecided() {
		return undecided
	}
	return Unresolvable
}

// state is equal for namespaces in which the same operators are installed for the same subscriptions.
func (n *Namespace) state() string {
	var state []string
	for i := range n.Installed {
		state = append(state, fmt.Sprintf("%q %s %s", n.Installed[i].Name, n.Installed[i].Version, n.Installed[i].Phase))
	}
	for i := range n.Subscriptions {
		sub := &n.Subscriptions[i]
		state = append(state, fmt.Sprintf("%q %q %q %q %q", sub.Name, sub.Package, sub.Channel, sub.InstalledCSV, sub.currentCSV()))
	}
	slices.Sort(state)
	return strings.Join(state, "\n")
}

// After returns the namespace after everything that a Resolution of it installs has succeeded, except what waits. The namespace
// itself does not change.
func (n Namespace) After(r *Resolution) Namespace {
	n.Subscriptions, n.Installed, n.Plans = slices.Clone(n.Subscriptions), slices.Clone(n.Installed), slices.Clone(n.Plans)
	at, gone := n.indexes(), map[string]int{} // gone: all of this name before the index
	remove := func(name string) {
		gone[name] = len(n.Installed)
		delete(at, name)
	}
	has := map[string]string{} // by subscription
	for i := range r.Installs {
		in := &r.Installs[i]
		remove(in.Name)
		facts := in.facts
		facts.Replaces = in.Replaces
		if in.Wait == nil {
			for j, ok := at[in.Replaces]; ok; j, ok = at[n.Installed[j].Replaces] {
				remove(n.Installed[j].Name)
			}
		} else if j, ok := at[in.Wait.Replaces]; ok {
			n.setWaiting(&facts, &n.Installed[j], in.Wait)
		} else {
			n.setWaiting(&facts, nil, in.Wait)
		}
		at[in.Name] = len(n.Installed)
		n.Installed = append(n.Installed, facts)
		for _, name := range in.Subscriptions {
			has[name] = in.Name
		}
	}
	i := -1
	n.Installed = slices.DeleteFunc(n.Installed, func(in InstalledOperator) bool { i++; return i < gone[in.Name] })
	for i := range n.Subscriptions {
		if sub := &n.Subscriptions[i]; has[sub.Name] != "" {
			sub.InstalledCSV, sub.CurrentCSV = has[sub.Name], has[sub.Name]
		}
	}
	for i := range r.Installs {
		if in := &r.Installs[i]; in.Generated != nil {
			generated := *in.Generated
			generated.InstalledCSV, generated.CurrentCSV = in.Name, in.Name
			n.Subscriptions = append(n.Subscriptions, generated)
		}
	}
	for i := range n.Plans {
		if r.Plan != nil && slices.Contains(r.Plan.Names, n.Plans[i].Name) {
			n.Plans[i].Phase = "Complete"
		}
	}
	return n
}

// NextOfPart returns what OLM does in the next step with some subscriptions and operators of a namespace of which nothing depends on the
// others, and at least one subscription of the namespace does not wait for an InstallPlan. It does not explain the answer: there are no
// Choices, and a Conflict is Unexplained.
func NextOfPart(ctx context.Context, part Namespace) (*Resolution, error) {
	r, err := newBudgets(maxSteps).answer(ctx, part, false)
	if err != nil {
		return nil, err
	}
	return part.addPlan(r)
}

// WithPlan returns the namespace once OLM has created the InstallPlan for a Resolution of it, which waits for approval (OLM: catalog
// createInstallPlan, setIPReference).
func (n Namespace) WithPlan(r *Resolution, name string) Namespace {
	n.Subscriptions, n.Plans = slices.Clone(n.Subscriptions), slices.Clone(n.Plans)
	p := InstallPlan{Name: name, Phase: "RequiresApproval", steps: map[string]plannedCSV{}, subs: map[string]Subscription{}}
	for i := range r.Installs {
		in := &r.Installs[i]
		p.CSVs = append(p.CSVs, in.Name)
		facts := in.facts
		p.steps[in.Name] = plannedCSV{in.Replaces, &facts}
		if in.Generated != nil {
			p.subs[in.Name] = *in.Generated
		}
		for j := range n.Subscriptions {
			if sub := &n.Subscriptions[j]; sub.updatedBy(*in) {
				sub.CurrentCSV, sub.Plan, sub.Pending = in.Name, name, true
			}
		}
	}
	n.Plans = append(n.Plans, p)
	return n
}

// AfterAll returns the namespace after what it installs has succeeded, as After, but nothing waits.
func (n Namespace) AfterAll(r *Resolution) Namespace {
	free := *r
	free.Installs = slices.Clone(r.Installs)
	for i := range free.Installs {
		free.Installs[i].Wait = nil
	}
	return n.After(&free)
}
