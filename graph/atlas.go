package graph

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Resolver is the generation of OLM that does the upgrading.
type Resolver uint8

// The generations of OLM.
const (
	V0 Resolver = iota
	V1
)

// String returns v0 or v1.
func (r Resolver) String() string { return [...]string{"v0", "v1"}[r] }

// Atlas holds the graphs of all channels of a package, between which a subscription can be moved.
type Atlas struct {
	Package *catalogs.Package
	Graphs  []*Graph // by channel name; of channels of one name the first
}

// AtlasOf builds the graphs of a package's channels.
func AtlasOf(p *catalogs.Package) *Atlas {
	a := &Atlas{Package: p}
	for _, c := range p.Channels {
		if p.Channel(c.Name.Value) == c {
			a.Graphs = append(a.Graphs, Of(p, c))
		}
	}
	slices.SortFunc(a.Graphs, func(g, h *Graph) int { return strings.Compare(g.Channel.Name.Value, h.Channel.Name.Value) })
	return a
}

// Graph returns the graph of the channel of that name, or nil.
func (a *Atlas) Graph(channel string) *Graph {
	for _, g := range a.Graphs {
		if g.Channel.Name.Value == channel {
			return g
		}
	}
	return nil
}

// Holding returns the graphs that have an entry of that name.
func (a *Atlas) Holding(name string) []*Graph {
	return slices.DeleteFunc(slices.Clone(a.Graphs), func(g *Graph) bool {
		_, ok := g.Index(name)
		return !ok
	})
}

// Find returns the names of the entries of all channels that a user may mean: that of this name, else those of exactly
// this version, else those of a version equal to it. A leading v and missing parts of the version are allowed. They are
// sorted; several mean that the text is ambiguous.
func (a *Atlas) Find(text string) []string {
	var named, exact, equal []string
	want, err := semver.ParseTolerant(text)
	for _, g := range a.Graphs {
		for i, e := range g.entries() {
			switch v := g.Version(i); {
			case e.Name.Value == text:
				named = append(named, text)
			case e.Bundle == nil:
			case e.Bundle.Version.Value == text:
				exact = append(exact, e.Name.Value)
			case err == nil && v != nil && v.EQ(want):
				equal = append(equal, e.Name.Value)
			}
		}
	}
	for _, found := range [][]string{named, exact, equal} {
		if found != nil {
			slices.Sort(found)
			return slices.Compact(found)
		}
	}
	return nil
}

// version returns the version of a bundle of the package, or "".
func (a *Atlas) version(name string) string {
	if b := a.Package.Bundle(name); b != nil {
		return b.Version.Value
	}
	return ""
}

// hops returns the upgrades that an installed bundle of the package, which need not be in the channel, can make there:
// under v0 the next; under v1, where a user may ask for any version, every successor, best first.
func (a *Atlas) hops(g *Graph, r Resolver, name string) []Step {
	if r == V0 {
		if e, ok := g.nextOf(name, a.version(name)); ok {
			return []Step{{Graph: g, From: name, To: g.Name(e.To), Edge: e, Automatic: true}}
		}
		return nil
	}
	best := none
	if i, ok := g.Index(name); ok {
		best, _ = g.NextV1(i)
	} else if all := g.pins(name, a.version(name)); len(all) > 0 {
		best = all[0]
	}
	var steps []Step
	for _, e := range g.pins(name, a.version(name)) {
		steps = append(steps, Step{Graph: g, From: name, To: g.Name(e.To), Edge: e, Automatic: e.To == best.To})
	}
	return steps
}

// nextOf is NextOf that makes use of what is known.
func (g *Graph) nextOf(name, version string) (Edge, bool) {
	if i, ok := g.Index(name); ok {
		return g.Next(i)
	}
	return g.NextOf(name, version)
}

// pins returns the edges to the successors of an installed bundle that a user of OLM v1 can ask for, best first. There are
// none where OLM v1 cannot read the installed version.
func (g *Graph) pins(name, version string) []Edge {
	edges, r := []Edge(nil), g.ranks()
	if i, ok := g.Index(name); ok {
		if r.versions[i] == nil {
			return nil
		}
		edges = g.Successors(i)
	} else if v, err := semver.Parse(version); err == nil {
		edges = slices.Collect(g.into(g.members, name, &v))
	}
	edges = slices.DeleteFunc(edges, func(e Edge) bool { return r.versions[e.To] == nil })
	slices.SortStableFunc(edges, func(e, f Edge) int { return r.compare(e.To, f.To) })
	return edges
}

// ByVersion returns the entries, newest version first; those without one come last, and equal ones by name.
func (g *Graph) ByVersion() []int {
	sorted := g.byName(slices.Clone(g.members))
	slices.SortStableFunc(sorted, func(a, b int) int {
		switch v, w := g.Version(a), g.Version(b); {
		case v != nil && w != nil:
			return w.Compare(*v)
		case v != nil:
			return -1
		case w != nil:
			return 1
		}
		return 0
	})
	return sorted
}
