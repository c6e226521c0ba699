package resolve

import (
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
)

// ResolveReport is the answer to the question what OLM v0 does in a namespace.
type ResolveReport struct {
	Before Namespace // as it is, or as the what-if question assumes it to be
	Trace  *Trace
	Once   bool // only one step was requested; the Final resolution of the trace is that step
	// WhatIf says what the what-if question changed in Before. The next field holds the requirements that are unmet because of
	// it.
	WhatIf string
	Unmet  []Unmet
	Heads  map[string][]string // of the channel of a subscription, by its name; of all channels if it names none
	// RejectedCRDs are the reasons why a CRD is rejected, by the name of the bundle that has it: its InstallPlan fails.
	RejectedCRDs map[string][]string
}

// Path returns the upgrades of a subscription.
func (r *ResolveReport) Path(sub *Subscription) graph.Path {
	var path graph.Path
	from := sub.InstalledCSV
	for _, step := range r.Trace.Steps {
		for i := range step.Installs {
			if in := &step.Installs[i]; step.Resolvable() && slices.Contains(in.Subscriptions, sub.Name) {
				path = append(path, graph.Step{From: from, To: in.Name})
				from = in.Name
			}
		}
	}
	return path
}

// Unchanged is an installed operator that OLM leaves as it is.
type Unchanged struct {
	Operator
	Subscription *Subscription // nil if none owns it
	Rejected     []Rejection   // better candidates, best first, and why OLM does not install them
	Heads        []string      // of its channel, if no upgrade leads to one of them
	Wait         *Wait         // nil if it runs
	Replaced     string        // by what it is replaced once that runs; "" if by nothing
}

// Blocked reports whether something prevents an upgrade that the channel has.
func (u *Unchanged) Blocked() bool { return len(u.Rejected) > 0 || len(u.Heads) > 0 || u.Wait != nil }

// Unchanged returns the operators that OLM leaves as they are in the end: by subscription, then those without one. None unless
// the trace ends at a fixed point.
func (r *ResolveReport) Unchanged() []Unchanged {
	if r.Trace.Final == nil {
		return nil
	}
	last := &r.Trace.Last
	all := r.unchangedBySubscription()
	for _, operator := range last.Operators() {
		if !slices.ContainsFunc(last.Subscriptions, func(s Subscription) bool { return s.InstalledCSV == operator.Name }) {
			all = append(all, Unchanged{Operator: operator})
		}
	}
	waiting := last.Waiting()
	for i := range all {
		for j := range waiting {
			switch w := &waiting[j]; all[i].Name {
			case w.Name:
				all[i].Wait = w
			case w.Replaces:
				all[i].Replaced = w.Name
			}
		}
	}
	return all
}

func (r *ResolveReport) unchangedBySubscription() []Unchanged {
	var all []Unchanged
	for i := range r.Trace.Final.Choices {
		c := &r.Trace.Final.Choices[i]
		if c.Subscription == "" || !c.Chosen.IsInstalled() {
			continue
		}
		u := Unchanged{Operator: c.Chosen, Subscription: r.Trace.Last.subscription(c.Subscription), Rejected: c.Rejected}
		if heads := r.Heads[c.Subscription]; len(c.Rejected) == 0 && len(heads) > 0 && !slices.Contains(heads, c.Chosen.Name) {
			u.Heads = heads
		}
		all = append(all, u)
	}
	return all
}

// subscription returns the subscription of that name, which the namespace must have.
func (n *Namespace) subscription(name string) *Subscription {
	return find.Pointer(n.Subscriptions, func(s Subscription) bool { return s.Name == name })
}

// Undecided reports whether a limit of olmgraph was reached before the answer was found; OLM itself has no such limit.
func (r *ResolveReport) Undecided() bool { return r.Trace.End == Undecided }

// UpToDate reports whether every operator reaches the newest version that its channel has: the namespace is resolvable, nothing is
// unmet or blocked, and nothing waits.
func (r *ResolveReport) UpToDate() bool {
	switch r.Trace.End {
	case Unresolvable, Undecided, Loop:
		return false
	case Limit:
		if !r.Once {
			return false
		}
	}
	unplanned := r.Trace.Final != nil && len(r.Trace.Final.Unplanned) > 0
	return len(r.Unmet) == 0 && len(r.RejectedCRDs) == 0 && !unplanned && len(r.Trace.Last.Waiting()) == 0 &&
		!slices.ContainsFunc(r.Unchanged(), func(u Unchanged) bool { return u.Blocked() })
}

// MaxSteps bounds the steps of a namespace; no channel has as many upgrades.
const MaxSteps = 10_000

// Run finds the trace from Before, of so many steps, and the heads. An error is that of RunToFixedPoint.
func (r *ResolveReport) Run(ctx context.Context, steps int) (err error) {
	if r.Trace, err = RunToFixedPoint(ctx, r.Before, steps); err != nil {
		return err
	}
	r.Heads = map[string][]string{}
	for i := range r.Trace.Last.Subscriptions {
		sub := &r.Trace.Last.Subscriptions[i]
		p := r.Before.PackageOf(sub)
		if p == nil {
			continue
		}
		var heads []string
		for _, g := range graph.OfPackage(p).Graphs {
			for _, head := range g.Heads() {
				if sub.Channel == "" || sub.Channel == g.Channel.Name.Value {
					heads = append(heads, g.Name(head))
				}
			}
		}
		r.Heads[sub.Name] = withoutDuplicates(heads)
	}
	return nil
}

// PackageOf returns the package of a subscription, nil if the catalog of its source is not known or does not have it.
func (n *Namespace) PackageOf(sub *Subscription) *catalogs.Package {
	if s := find.Pointer(n.Sources, func(s Source) bool { return s.SourceKey == sub.Source }); s != nil {
		return s.Catalog.Package(sub.Package)
	}
	return nil
}
