package resolve

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// End says how a course of steps ends.
type End int

// The ends of a course.
const (
	Settled      End = iota // nothing moves any more
	Unresolvable            // the last step has faults of OLM's, or a conflict
	Loop                    // the namespace is as it was before an earlier step
	Limit                   // there would be more steps than were asked for
	Undecided               // nobody knows what the next step would be: it takes more to work out than it may cost here
)

// Course is what happens in a namespace, step by step.
type Course struct {
	Steps []*Resolution // those that install something; the last one may be unresolvable
	End   End
	// Rest is why nothing moves any more, where it is Settled: what each subscription has, and why nothing better.
	Rest *Resolution
	Back int       // where it ends in a loop: the index of the step before which it was the same
	Last Namespace // after all steps
}

// Settle resolves a namespace again and again until nothing moves, everything installed having succeeded each time, but
// no more than limit times. An error is the context's.
func Settle(ctx context.Context, n Namespace, limit int) (*Course, error) {
	c := &Course{Last: n}
	seen := map[string]int{}
	for {
		state := c.Last.state()
		if back, met := seen[state]; met {
			c.End, c.Back = Loop, back
			return c, nil
		}
		seen[state] = len(c.Steps)
		step, err := Resolve(ctx, c.Last)
		switch {
		case err != nil:
			return nil, err
		case !step.Resolvable():
			c.Steps, c.End = append(c.Steps, step), step.ending()
			return c, nil
		case len(step.Installs) == 0:
			c.Rest = step
			return c, nil
		case len(c.Steps) == limit:
			c.End = Limit
			return c, nil
		}
		c.Steps = append(c.Steps, step)
		c.Last = c.Last.After(step)
	}
}

// Stuck is the course of a first step that is not Resolvable.
func (r *Resolution) Stuck(n Namespace) *Course {
	return &Course{Steps: []*Resolution{r}, End: r.ending(), Last: n}
}

func (r *Resolution) ending() End {
	if r.Undecided() {
		return Undecided
	}
	return Unresolvable
}

// state is the same for namespaces in which the same is installed for the same subscriptions.
func (n *Namespace) state() string {
	var state []string
	for i := range n.Installed {
		state = append(state, fmt.Sprintf("%q %s", n.Installed[i].Name, n.Installed[i].Version))
	}
	for i := range n.Subscriptions {
		sub := &n.Subscriptions[i]
		state = append(state, fmt.Sprintf("%q %q %q %q %q", sub.Name, sub.Package, sub.Channel, sub.Installed, sub.current()))
	}
	slices.Sort(state)
	return strings.Join(state, "\n")
}

// After returns the namespace as it is once everything that a resolution of it installs has succeeded. The namespace itself
// does not change.
func (n Namespace) After(r *Resolution) Namespace {
	n.Subscriptions, n.Installed = slices.Clone(n.Subscriptions), slices.Clone(n.Installed)
	for i := range r.Installs {
		in := &r.Installs[i]
		n.Installed = slices.DeleteFunc(n.Installed, func(old Installed) bool { return old.Name == in.Replaces || old.Name == in.Name })
		n.Installed = append(n.Installed, in.facts)
		if in.Generated != nil {
			generated := *in.Generated
			generated.Installed, generated.Current = in.Name, in.Name
			n.Subscriptions = append(n.Subscriptions, generated)
		}
		for j := range n.Subscriptions {
			if sub := &n.Subscriptions[j]; slices.Contains(in.Subscriptions, sub.Name) {
				sub.Installed, sub.Current = in.Name, in.Name
			}
		}
	}
	return n
}
