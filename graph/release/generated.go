package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
)

// NewGeneratedPlan is the plan of a release of which opm makes the edges, by versions: its edits are those by which opm changes the package to now. It is
// rejected if someone is stranded by them.
func NewGeneratedPlan(pg *graph.PackageGraph, now *catalogs.Package, r Request) *Plan {
	plan := &Plan{Request: r, After: graph.NewPackageGraph(now)}
	for _, g := range plan.After.Graphs {
		plan.Edits = append(plan.Edits, generatedEdits(pg.Graph(g.Channel.Name.Value), g)...)
	}
	plan.Channels = nil
	for i := range plan.Edits {
		if c := plan.Edits[i].Channel; !slices.Contains(plan.Channels, c) {
			plan.Channels = append(plan.Channels, c)
		}
	}
	r.Channels = plan.Channels
	p, refusal := newPlanner(pg, r)
	if refusal == nil {
		refusal = checkStranded(pg, plan.After)
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
		one := Edit{Channel: is.Channel.Name.Value, Entry: e.Name.Value, NewChannel: was == nil, Added: true, After: entryEdges(e)}
		if was != nil {
			if j, had := was.Index(one.Entry); had {
				one.Added, one.Before = false, entryEdges(&was.Channel.Entries[j])
			}
		}
		if one.Added || !one.Before.equal(&one.After) {
			edits = append(edits, one)
		}
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return find.CompareFirst(a.Added, b.Added) })
	return edits
}

// checkStranded returns why nobody may be left where they are: OLM v0 upgraded them to the head of their channel before.
func checkStranded(pg, now *graph.PackageGraph) *Refusal {
	for _, g := range now.Graphs {
		was := pg.Graph(g.Channel.Name.Value)
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
