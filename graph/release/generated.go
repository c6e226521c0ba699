package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// Generated is the plan of a release of which opm makes the edges, by versions: its edits are those by which opm changes the package to now. It is
// refused if someone is stranded by them.
func Generated(a *graph.PackageGraph, now *catalogs.Package, r Request) *Plan {
	plan := &Plan{Request: r, Exact: true, After: graph.OfPackage(now)}
	for _, g := range plan.After.Graphs {
		plan.Edits = append(plan.Edits, generatedEdits(a.Graph(g.Channel.Name.Value), g)...)
	}
	plan.Channels = nil
	for i := range plan.Edits {
		if c := plan.Edits[i].Channel; !slices.Contains(plan.Channels, c) {
			plan.Channels = append(plan.Channels, c)
		}
	}
	r.Channels = plan.Channels
	p, refusal := newPlanner(a, r, usual())
	if refusal == nil {
		refusal = stranded(a, plan.After)
	}
	if refusal != nil {
		plan.Refusal = refusal
		return plan
	}
	plan.Classes, plan.NotInstalled = p.classes(plan), p.refusal
	return plan
}

// generatedEdits returns the edits by which a channel changes, the added entry first. was may be nil.
func generatedEdits(was, is *graph.Graph) []Edit {
	var edits []Edit
	for _, i := range is.Entries() {
		e := &is.Channel.Entries[i]
		one := Edit{Channel: is.Channel.Name.Value, Entry: e.Name.Value, NewChannel: was == nil, Added: true, After: edgesOf(e)}
		if was != nil {
			if j, had := was.Index(one.Entry); had {
				one.Added, one.Before = false, edgesOf(&was.Channel.Entries[j])
			}
		}
		if one.Added || !one.Before.same(&one.After) {
			edits = append(edits, one)
		}
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return boolToInt(b.Added) - boolToInt(a.Added) })
	return edits
}

// stranded returns why nobody may be left where they are: OLM v0 upgraded them to the head of their channel before.
func stranded(a, now *graph.PackageGraph) *Refusal {
	for _, g := range now.Graphs {
		was := a.Graph(g.Channel.Name.Value)
		if _, err := g.Order(); err != nil {
			return &Refusal{Channel: g.Channel.Name.Value, Constraint: fmt.Sprintf("OLM v0 would reject the edges that opm makes: %v", err), Change: "list the image in another stream"}
		}
		if was == nil {
			continue
		}
		change := graph.Change{Base: was, Now: g}
		for _, s := range change.Strandings() {
			return &Refusal{Channel: g.Channel.Name.Value, Constraint: fmt.Sprintf("with the edges that opm makes, %s would no longer be upgraded to the head", strings.Join(was.Names(s.Stranded), ", ")),
				Change: "list the image in another stream, or give it a version that is higher than those of its minor version"}
		}
	}
	return nil
}

// OwnEdges returns the edges of the entry of a bundle in a channel, and false if it has no entry.
func OwnEdges(c *catalogs.Channel, name string) (Edges, bool) {
	if e := c.Entry(name); e != nil {
		return edgesOf(e), true
	}
	return Edges{}, false
}

// Strands returns by channel who would no longer be upgraded to the head if the entry that a plan adds had other edges: the names of entries, or
// none if OLM v0 would reject the channel.
func Strands(a *graph.PackageGraph, plan *Plan, own *Edges) map[string][]string {
	all := map[string][]string{}
	for i := range plan.Edits {
		e := &plan.Edits[i]
		base := a.Graph(e.Channel)
		if !e.Added || base == nil {
			continue
		}
		c := *base.Channel
		entry := catalogs.Entry{Name: catalogs.Text{Value: e.Entry}, Bundle: plan.After.Package.Bundle(e.Entry)}
		own.set(&entry)
		c.Entries = append(slices.Clone(c.Entries), entry)
		change := graph.Change{Base: base, Now: graph.Of(plan.After.Package, &c)}
		if _, err := change.Now.Order(); err != nil {
			all[e.Channel] = []string{}
			continue
		}
		for _, s := range change.Strandings() {
			all[e.Channel] = append(all[e.Channel], base.Names(s.Stranded)...)
		}
	}
	return all
}
