package release

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// entryEdges returns the edges of an entry.
func entryEdges(e *catalogs.Entry) Edges {
	edges := Edges{Replaces: e.Replaces.Value, SkipRange: e.SkipRange.Value}
	for _, skip := range e.Skips {
		edges.Skips = append(edges.Skips, skip.Value)
	}
	return edges
}

// equal reports whether two entries declare the same edges.
func (d *Edges) equal(o *Edges) bool {
	return d.Replaces == o.Replaces && d.SkipRange == o.SkipRange && slices.Equal(d.Skips, o.Skips)
}

// set sets the edges of an entry.
func (d *Edges) set(e *catalogs.Entry) {
	e.Replaces, e.Skips, e.SkipRange = catalogs.Text{Value: d.Replaces}, nil, catalogs.Text{Value: d.SkipRange}
	for _, skip := range d.Skips {
		e.Skips = append(e.Skips, catalogs.Text{Value: skip})
	}
}

// editedChannel returns a channel with the edits that are its own.
func (p *planner) editedChannel(name string, edits []Edit) *graph.Graph {
	c := &catalogs.Channel{Name: catalogs.Text{Value: name}, Package: p.with.Name}
	if was := p.base.Graph(name); was != nil {
		*c = *was.Channel
		c.Entries = slices.Clone(c.Entries)
	}
	change, removed := map[string]*Edges{}, false
	for i := range edits {
		switch d := &edits[i]; {
		case d.Channel != name:
		case d.Added:
			e := catalogs.Entry{Name: catalogs.Text{Value: d.Entry}, Bundle: p.with.Bundle(d.Entry)}
			d.After.set(&e)
			c.Entries = append(c.Entries, e)
		case d.Removed:
			change[d.Entry], removed = nil, true
		default:
			change[d.Entry] = &d.After
		}
	}
	for j := range c.Entries {
		if after := change[c.Entries[j].Name.Value]; after != nil {
			after.set(&c.Entries[j])
			delete(change, c.Entries[j].Name.Value) // of entries of one name the first
		}
	}
	if removed {
		c.Entries = slices.DeleteFunc(c.Entries, func(e catalogs.Entry) bool {
			edges, edited := change[e.Name.Value]
			return edited && edges == nil
		})
	}
	return graph.New(p.with, c)
}

// apply returns the package with edits.
func (p *planner) apply(edits []Edit) *graph.PackageGraph {
	edited := map[string]bool{}
	for i := range edits {
		edited[edits[i].Channel] = true
	}
	var channels []*catalogs.Channel
	for _, g := range p.base.Graphs {
		if name := g.Channel.Name.Value; edited[name] {
			channels = append(channels, p.editedChannel(name, edits).Channel)
		} else {
			channels = append(channels, g.Channel)
		}
	}
	for _, c := range p.channels {
		if c.graph == nil && edited[c.name] {
			channels = append(channels, p.editedChannel(c.name, edits).Channel)
		}
	}
	return graph.NewPackageGraph(p.without(channels, p.unusedBundles(edits)))
}

// without returns the package with other channels and without some bundles, and what deprecates these.
func (p *planner) without(channels []*catalogs.Channel, unused []string) *catalogs.Package {
	if len(unused) == 0 {
		return p.with.WithContents(channels, p.with.Bundles)
	}
	gone := map[string]bool{}
	for _, name := range unused {
		gone[name] = true
	}
	pkg := p.with.WithContents(channels, slices.DeleteFunc(slices.Clone(p.with.Bundles), func(b *catalogs.Bundle) bool { return gone[b.Name.Value] }))
	pkg.Deprecations = nil
	for _, all := range p.with.Deprecations {
		kept := *all
		kept.Entries = slices.DeleteFunc(slices.Clone(all.Entries), func(d catalogs.Deprecation) bool {
			return d.Schema.Value == catalogs.SchemaBundle && gone[d.Name.Value]
		})
		pkg.Deprecations = append(pkg.Deprecations, &kept)
	}
	return pkg
}

// unusedBundles returns the bundles that edits drop from all channels that have them, oldest first.
func (p *planner) unusedBundles(edits []Edit) []string {
	left := map[string]int{}
	for i := range edits {
		if e := &edits[i]; e.Removed {
			left[e.Entry]--
		}
	}
	if len(left) == 0 {
		return nil
	}
	for _, g := range p.base.Graphs {
		for _, i := range g.Entries() {
			if n, dropped := left[g.Name(i)]; dropped {
				left[g.Name(i)] = n + 1
			}
		}
	}
	var all []string
	for name, n := range left {
		if n == 0 && p.with.Bundle(name) != nil {
			all = append(all, name)
		}
	}
	slices.SortFunc(all, p.compare)
	return all
}

// removals returns the edits that drop entries of a channel.
func (p *planner) removals(c *channel) []Edit {
	var edits []Edit
	for _, name := range c.pruned {
		i, _ := c.graph.Index(name)
		edits = append(edits, Edit{Channel: c.name, Entry: name, Removed: true, Before: entryEdges(&c.graph.Channel.Entries[i])})
	}
	return edits
}

// editsFor returns the edits of a channel for an answer.
func (p *planner) editsFor(c *channel, at *answer) []Edit {
	after := Edges{Replaces: at.replaces, Skips: slices.Clone(at.skips)}
	if at.low != nil {
		after.SkipRange = ">=" + at.low.String() + " <" + p.release.String()
	}
	edits := []Edit{{Channel: c.name, Entry: p.request.Name, NewChannel: c.graph == nil, Added: true, After: after}}
	if at.above != "" {
		i, _ := c.graph.Index(at.above)
		was := entryEdges(&c.graph.Channel.Entries[i])
		if now := was; was.Replaces != p.request.Name {
			now.Replaces = p.request.Name
			edits = append(edits, Edit{Channel: c.name, Entry: at.above, Before: was, After: now})
		}
	}
	return slices.Concat(edits, at.bridges, c.removals)
}
