package graph

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Generation is the generation of OLM that upgrades.
type Generation uint8

// The generations of OLM.
const (
	V0 Generation = iota
	V1
)

// String returns v0 or v1.
func (olm Generation) String() string { return [...]string{"v0", "v1"}[olm] }

// PackageGraph holds the graphs of all channels of a package, between which a subscription can be switched.
type PackageGraph struct {
	Package *catalogs.Package
	Graphs  []*Graph // by channel name; of channels of one name the first

	removed    InstalledBundle // see WithRemoved
	containing *lazy[map[string][]*Graph]
	origins    *lazy[*Origins] // see ownOrigins
}

// WithRemoved returns the package graph with the version of an installed bundle that the package no longer has.
func (pg *PackageGraph) WithRemoved(gone InstalledBundle) *PackageGraph {
	known := *pg
	known.removed = gone
	return &known
}

// NewPackageGraph builds the graphs of a package's channels.
func NewPackageGraph(p *catalogs.Package) *PackageGraph {
	pg := &PackageGraph{Package: p, containing: new(lazy[map[string][]*Graph]), origins: new(lazy[*Origins])}
	for _, c := range p.Channels {
		if p.Channel(c.Name.Value) == c {
			pg.Graphs = append(pg.Graphs, New(p, c))
		}
	}
	slices.SortFunc(pg.Graphs, func(g, h *Graph) int { return strings.Compare(g.Channel.Name.Value, h.Channel.Name.Value) })
	return pg
}

// Graph returns the graph of the channel of that name, or nil.
func (pg *PackageGraph) Graph(channel string) *Graph {
	i, ok := slices.BinarySearchFunc(pg.Graphs, channel, func(g *Graph, name string) int { return strings.Compare(g.Channel.Name.Value, name) })
	if !ok {
		return nil
	}
	return pg.Graphs[i]
}

// GraphsContaining returns the graphs that have an entry of that name.
func (pg *PackageGraph) GraphsContaining(name string) []*Graph {
	return slices.Clone(pg.containing.value(pg.findContaining)[name])
}

func (pg *PackageGraph) findContaining() map[string][]*Graph {
	all := map[string][]*Graph{}
	for _, g := range pg.Graphs {
		for name := range g.index {
			all[name] = append(all[name], g)
		}
	}
	return all
}

// Find returns the names of the entries of all channels, and of the bundles in none, that a text may mean: the one with this
// name, else those with exactly this version, else those with an equal version. A leading v and missing parts of the version are
// allowed. They are sorted; several mean that the text is ambiguous.
func (pg *PackageGraph) Find(text string) []string {
	var named, exact, equal []string
	want := ParseVersion(text)
	add := func(name string, b *catalogs.Bundle, v *semver.Version) {
		switch {
		case name == text:
			named = append(named, name)
		case b == nil: // an entry without a bundle
		case b.Version.Value == text:
			exact = append(exact, name)
		case want != nil && v != nil && v.EQ(*want):
			equal = append(equal, name)
		}
	}
	for _, g := range pg.Graphs {
		for i, e := range g.eachEntry() {
			add(e.Name.Value, e.Bundle, g.Version(i))
		}
	}
	for _, b := range pg.Package.Bundles {
		if name := b.Name.Value; len(pg.GraphsContaining(name)) == 0 {
			add(name, b, pg.semver(name))
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

// FindRemoved returns the names that entries of the channels replace or skip, and the package no longer has, that a text may mean:
// the name, or those that end in the version. They are sorted.
func (pg *PackageGraph) FindRemoved(text string) []string {
	var names []string
	for _, one := range pg.ownOrigins().All {
		if one.Place == Named {
			names = append(names, one.Name)
		}
	}
	if slices.Contains(names, text) {
		return []string{text}
	}
	slices.Sort(names)
	want, err := semver.ParseTolerant(text)
	return slices.DeleteFunc(names, func(name string) bool {
		v, ok := VersionIn(name)
		return err != nil || !ok || v.NE(want)
	})
}

// Version returns the version of a bundle of the package, or of the bundle of WithRemoved; "" if there is none.
func (pg *PackageGraph) Version(name string) string {
	if b := pg.Package.Bundle(name); b != nil {
		return b.Version.Value
	}
	if name == pg.removed.Name {
		return pg.removed.Version
	}
	return ""
}

// Has reports whether a bundle of the package or an entry of its channels has that name.
func (pg *PackageGraph) Has(name string) bool {
	return pg.Package.Bundle(name) != nil || len(pg.GraphsContaining(name)) > 0
}

// semver is Version as OLM v0 reads it, nil where it cannot.
func (pg *PackageGraph) semver(name string) *semver.Version { return ParseVersion(pg.Version(name)) }

// automaticStep returns the upgrades that OLM v0 makes from an installed bundle, which need not be in the channel: one, or none.
func (pg *PackageGraph) automaticStep(g *Graph, name string) []Step {
	if e, ok := g.NextFor(pg.installedBundle(name)); ok {
		return []Step{{Graph: g, From: name, To: g.Name(e.To), Edge: e, Automatic: true}}
	}
	return nil
}

// ByVersion returns the entries, newest version first; those without one come last, and equal ones by name.
func (g *Graph) ByVersion() []int {
	sorted := g.byName(slices.Clone(g.members))
	slices.SortStableFunc(sorted, func(a, b int) int { return CompareVersions(g.Version(b), g.Version(a)) })
	return sorted
}
