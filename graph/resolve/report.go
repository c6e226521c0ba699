package resolve

import (
	"context"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
)

// ResolveReport is the answer to the question what OLM v0 does in a namespace.
type ResolveReport struct {
	Before Namespace // as it is, or as the what-if question assumes it to be
	Trace  *Trace
	// WhatIf says what the what-if question changed in Before. The next field holds the requirements that are unmet because of
	// it.
	WhatIf  string
	Unmet   []Unmet
	Removed *Removed            // by the question; nil if nothing was
	Heads   map[string][]string // of the channel of a subscription, by its name; of all channels if it names none
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
	Elsewhere    bool          // a catalog that was not given may have what the best candidate requires: it is not known whether it is blocked
}

// IsBlocked reports whether something prevents an upgrade that the channel has.
func (u *Unchanged) IsBlocked() bool {
	return len(u.Rejected) > 0 && !u.Elsewhere || len(u.Heads) > 0 || u.Wait != nil
}

// UnchangedOperators returns the operators that OLM leaves as they are in the end: by subscription, then those without one. None unless
// the trace ends at a fixed point.
func (r *ResolveReport) UnchangedOperators() []Unchanged {
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
	waiting := last.WaitingOperators()
	for i := range all {
		for j := range waiting {
			if waiting[j].Name == all[i].Name {
				all[i].Wait = &waiting[j]
			}
		}
	}
	return all
}

func (r *ResolveReport) unchangedBySubscription() []Unchanged {
	var all []Unchanged
	for i := range r.Trace.Final.Choices {
		c := &r.Trace.Final.Choices[i]
		if c.Subscription == "" || !c.Chosen.isFromNamespace() {
			continue
		}
		u := Unchanged{Operator: c.Chosen, Subscription: r.Trace.Last.Subscription(c.Subscription), Rejected: c.Rejected}
		u.Elsewhere = len(c.Rejected) > 0 && r.Before.MayBeElsewhere(c.Rejected[0].Because)
		if len(c.Rejected) == 0 && !slices.Contains(r.Heads[c.Subscription], c.Chosen.Name) {
			u.Heads = r.newerHeads(&u)
		}
		all = append(all, u)
	}
	return all
}

// newerHeads returns the heads of the channel of a subscription, unless what is installed is newer than all of them: the catalog does not have it
// any more, or not yet.
func (r *ResolveReport) newerHeads(u *Unchanged) []string {
	p, heads := r.Before.SubscribedPackage(u.Subscription), r.Heads[u.Subscription.Name]
	installed, err := semver.Parse(u.Version)
	if p == nil || err != nil || slices.ContainsFunc(heads, func(head string) bool {
		v, err := semver.Parse(graph.NewPackageGraph(p).Version(head))
		return err != nil || installed.LTE(v)
	}) {
		return heads
	}
	return nil
}

// MayBeElsewhere reports whether a requirement that no given catalog meets may be met by one that was not given.
func (n *Namespace) MayBeElsewhere(reasons []Reason) bool {
	return slices.ContainsFunc(n.Sources, func(s Source) bool { return s.Unknown }) &&
		slices.ContainsFunc(reasons, func(r Reason) bool { return r.Kind == Requires && len(r.Operators) == 0 })
}

// Subscription returns the subscription of that name, nil if there is none.
func (n *Namespace) Subscription(name string) *Subscription {
	return find.Pointer(n.Subscriptions, func(s Subscription) bool { return s.Name == name })
}

// MaxSteps bounds the steps of a namespace; no channel has as many upgrades.
const MaxSteps = 10_000

// Run finds the trace from Before, of so many steps, and the heads. An error is that of runToFixedPoint.
func (r *ResolveReport) Run(ctx context.Context, steps int) (err error) {
	if r.Trace, err = runToFixedPoint(ctx, r.Before, steps); err != nil {
		return err
	}
	r.Heads = map[string][]string{}
	for i := range r.Trace.Last.Subscriptions {
		sub := &r.Trace.Last.Subscriptions[i]
		p := r.Before.SubscribedPackage(sub)
		if p == nil {
			continue
		}
		var heads []string
		for _, g := range graph.NewPackageGraph(p).Graphs {
			for _, head := range g.Heads() {
				if sub.Channel == "" || sub.Channel == g.Channel.Name.Value {
					heads = append(heads, g.Name(head))
				}
			}
		}
		r.Heads[sub.Name] = find.Distinct(heads)
	}
	return nil
}

// SubscribedPackage returns the package of a subscription, nil if the catalog of its source is not known or does not have it.
func (n *Namespace) SubscribedPackage(sub *Subscription) *catalogs.Package {
	if s := find.Pointer(n.Sources, func(s Source) bool { return s.SourceKey == sub.Source }); s != nil {
		return s.Catalog.Package(sub.Package)
	}
	return nil
}
