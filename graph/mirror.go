package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Mirror is what a way needs of a catalog, in the terms of oc-mirror: packages, their channels, and bounds of versions.
type Mirror struct {
	Packages []MirrorPackage // the one of the way first, then what it requires, by name
	Notes    []string        // what somebody has to see to
}

// MirrorPackage is one package; its default channel is among the channels.
type MirrorPackage struct {
	Name     string
	Why      string // who requires it; "" for the package of the way
	Channels []MirrorChannel
}

// MirrorChannel is one channel. Without bounds it is the head alone.
type MirrorChannel struct {
	Name     string
	Min, Max string // versions, both included
}

// MirrorOf returns what is to be mirrored for a way that begins with an installed bundle, which is mirrored too, as a
// cluster may have to pull it again. What the bundles require is looked for in the catalog, which must hold all packages.
// Requirements are met from the default channel, newest first. It fails where a bundle has no version: oc-mirror knows
// nothing else to bound a channel by.
func MirrorOf(c *catalogs.Catalog, pkg string, answer *Answer, way Way) (*Mirror, error) {
	m := &mirror{catalog: c, atlases: map[string]*Atlas{}, wanted: map[string]map[string]string{}}
	a := m.atlas(pkg)
	own, err := a.bounds(answer, way)
	if err != nil {
		return nil, err
	}
	if !a.Has(answer.From) {
		m.note("%s is not in this catalog any more: mirror it from the one that it was installed from, if clusters may have to pull it again", answer.From)
	}
	names := []string{answer.From}
	for i := range way {
		names = append(names, way[i].To)
	}
	for _, name := range names {
		if err := m.require(a.Package.Bundle(name), 0); err != nil {
			return nil, err
		}
	}
	for _, ch := range own {
		m.heed(a, ch, answer.From)
	}
	delete(m.wanted, a.Package.Name.Value)
	m.Packages = append([]MirrorPackage{{Name: a.Package.Name.Value, Channels: withDefault(a.Package, own)}}, m.required()...)
	return &m.Mirror, nil
}

// withDefault adds the default channel, without which oc-mirror refuses the package.
func withDefault(p *catalogs.Package, channels []MirrorChannel) []MirrorChannel {
	name := p.DefaultChannel.Value
	if name == "" || slices.ContainsFunc(channels, func(c MirrorChannel) bool { return c.Name == name }) {
		return channels
	}
	return append(channels, MirrorChannel{Name: name})
}

// bounds returns the channels of a way, each with the lowest and the highest version that the way has of it.
func (a *Atlas) bounds(answer *Answer, way Way) ([]MirrorChannel, error) {
	var channels []MirrorChannel
	add := func(g *Graph, bundle string) error {
		b := a.Package.Bundle(bundle)
		if b == nil || b.Semver() == nil {
			return fmt.Errorf("%q has no semantic version by which oc-mirror could be told to mirror it", bundle)
		}
		name := g.Channel.Name.Value
		at := slices.IndexFunc(channels, func(c MirrorChannel) bool { return c.Name == name })
		if at < 0 {
			channels = append(channels, MirrorChannel{Name: name, Min: b.Version.Value, Max: b.Version.Value})
			return nil
		}
		c := &channels[at]
		if v, err := semver.Parse(c.Min); err == nil && b.Semver().LT(v) {
			c.Min = b.Version.Value
		}
		if v, err := semver.Parse(c.Max); err == nil && b.Semver().GT(v) {
			c.Max = b.Version.Value
		}
		return nil
	}
	if home := a.home(answer); home != nil {
		if err := add(home, answer.From); err != nil {
			return nil, err
		}
	}
	for i := range way {
		if way[i].Graph == nil {
			return nil, fmt.Errorf("%q is in no channel, and oc-mirror mirrors channels", way[i].To)
		}
		if err := add(way[i].Graph, way[i].To); err != nil {
			return nil, err
		}
	}
	return channels, nil
}

// home returns the channel from which the installed bundle is mirrored: that of the subscription, or of a ClusterExtension the default
// channel if it has the bundle, or else the first that does; nil where the catalog has no such bundle any more.
func (a *Atlas) home(answer *Answer) *Graph {
	if a.Package.Bundle(answer.From) == nil {
		return nil
	}
	if answer.Channel != nil {
		return answer.Channel
	}
	holding := a.Holding(answer.From)
	for _, g := range holding {
		if g.Channel.Name.Value == a.Package.DefaultChannel.Value {
			return g
		}
	}
	if len(holding) == 0 {
		return nil
	}
	return holding[0]
}

// mirror collects packages.
type mirror struct {
	Mirror
	catalog *catalogs.Catalog
	atlases map[string]*Atlas
	wanted  map[string]map[string]string // by package and bundle: who requires it
}

func (m *mirror) atlas(pkg string) *Atlas {
	if a := m.atlases[pkg]; a != nil {
		return a
	}
	for _, p := range m.catalog.Packages {
		if p.Name.Value == pkg {
			m.atlases[pkg] = AtlasOf(p)
		}
	}
	return m.atlases[pkg]
}

func (m *mirror) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(m.Notes, note) {
		m.Notes = append(m.Notes, note)
	}
}

// require adds what meets the requirements of a bundle, and what that requires in turn.
func (m *mirror) require(b *catalogs.Bundle, depth int) error {
	if b == nil || depth > 20 {
		return nil
	}
	deps, err := b.Dependencies()
	if err != nil {
		return err
	}
	for i := range deps.Requires {
		r := &deps.Requires[i]
		found, ok := m.meet(r)
		if !ok {
			m.note("%s requires %s, which nothing in this catalog was found to meet", b.Name.Value, r)
			continue
		}
		for _, f := range found {
			if err := m.want(f, b, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *mirror) want(b, by *catalogs.Bundle, depth int) error {
	pkg, name := b.Package.Value, b.Name.Value
	if m.wanted[pkg] == nil {
		m.wanted[pkg] = map[string]string{}
	}
	if _, met := m.wanted[pkg][name]; met {
		return nil
	}
	m.wanted[pkg][name] = by.Name.Value
	return m.require(b, depth+1)
}

// meet returns bundles that meet a requirement together.
func (m *mirror) meet(r *catalogs.Requirement) (found []*catalogs.Bundle, ok bool) {
	switch {
	case r.API != nil, r.Package != "":
		b := m.provider(r)
		return []*catalogs.Bundle{b}, b != nil
	case r.Operator == "any":
		for i := range r.Of {
			if found, ok := m.meet(&r.Of[i]); ok {
				return found, true
			}
		}
	case r.Operator == "all":
		for i := range r.Of {
			more, ok := m.meet(&r.Of[i])
			if !ok {
				return nil, false
			}
			found = append(found, more...)
		}
		return found, true
	case r.Operator == "not":
		return nil, true
	}
	return nil, false
}

// provider returns the first bundle of a default channel, in the order of OLM v0, that meets a simple requirement.
func (m *mirror) provider(r *catalogs.Requirement) *catalogs.Bundle {
	for _, p := range m.catalog.Packages {
		if r.Package != "" && r.Package != p.Name.Value {
			continue
		}
		a := m.atlas(p.Name.Value)
		g := a.Graph(p.DefaultChannel.Value)
		if g == nil {
			continue
		}
		order, _ := g.Order()
		for _, i := range order {
			if b := g.Channel.Entries[i].Bundle; b != nil && meets(b, r) {
				return b
			}
		}
	}
	return nil
}

func meets(b *catalogs.Bundle, r *catalogs.Requirement) bool {
	if r.API == nil {
		in, err := ParseRange(r.Range)
		return err == nil && b.Semver() != nil && in.Contains(*b.Semver())
	}
	if b.Index(catalogs.TypeGVK) < 0 {
		return false
	}
	deps, err := b.Dependencies()
	return err == nil && slices.Contains(deps.Provides, *r.API)
}

// required returns the packages that meet requirements.
func (m *mirror) required() []MirrorPackage {
	var packages []MirrorPackage
	for name, bundles := range m.wanted {
		p := m.atlas(name).Package
		out, by := MirrorPackage{Name: name}, []string{}
		c := MirrorChannel{Name: p.DefaultChannel.Value}
		for bundle, why := range bundles {
			b := p.Bundle(bundle)
			by = append(by, why)
			if v, err := semver.Parse(c.Min); err != nil || b.Semver().LT(v) {
				c.Min = b.Version.Value
			}
			if v, err := semver.Parse(c.Max); err != nil || b.Semver().GT(v) {
				c.Max = b.Version.Value
			}
		}
		slices.Sort(by)
		out.Why = strings.Join(slices.Compact(by), ", ")
		out.Channels = []MirrorChannel{c}
		packages = append(packages, out)
	}
	slices.SortFunc(packages, func(a, b MirrorPackage) int { return strings.Compare(a.Name, b.Name) })
	return packages
}

// heed looks at the channel as it will be mirrored, with nothing but what is within the bounds, and notes where OLM does
// not upgrade there as it does here: oc-mirror refuses a channel of several heads.
func (m *mirror) heed(a *Atlas, c MirrorChannel, from string) {
	whole := a.Graph(c.Name).Channel
	low, lowErr := semver.Parse(c.Min)
	high, highErr := semver.Parse(c.Max)
	if lowErr != nil || highErr != nil {
		return
	}
	cut := *whole
	cut.Entries = slices.DeleteFunc(slices.Clone(whole.Entries), func(e catalogs.Entry) bool {
		return e.Bundle == nil || e.Bundle.Semver() == nil || e.Bundle.Semver().LT(low) || e.Bundle.Semver().GT(high)
	})
	g := Of(a.Package, &cut)
	if heads := g.Heads(); len(heads) != 1 {
		var names []string
		for _, i := range heads {
			names = append(names, g.Name(i))
		}
		m.note("channel %q between %s and %s has %d heads (%s): oc-mirror will refuse it; widen the bounds",
			c.Name, c.Min, c.Max, len(heads), strings.Join(names, ", "))
		return
	}
	if i, ok := g.Index(from); ok {
		if _, end, ok := g.Hops(i); !ok || g.Name(end) != g.Name(g.Heads()[0]) {
			m.note("channel %q between %s and %s: OLM v0 upgrades %s no further than %s there; widen the bounds",
				c.Name, c.Min, c.Max, from, g.Name(end))
		}
	}
}
