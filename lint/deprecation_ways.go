package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// deprecated looks up what the package deprecates: see catalogs.Package.DeprecationEntries.
type deprecated struct {
	pkg      *catalogs.Deprecation
	channels map[string]*catalogs.Deprecation
	bundles  map[string]*catalogs.Deprecation
}

func deprecatedIn(pkg *catalogs.Package) deprecated {
	d := deprecated{channels: map[string]*catalogs.Deprecation{}, bundles: map[string]*catalogs.Deprecation{}}
	entries := pkg.DeprecationEntries()
	for i := range entries {
		switch e := &entries[i]; e.Schema.Value {
		case catalogs.SchemaPackage:
			d.pkg = e
		case catalogs.SchemaChannel:
			d.channels[e.Name.Value] = e
		case catalogs.SchemaBundle:
			d.bundles[e.Name.Value] = e
		}
	}
	return d
}

func (d deprecated) any() bool { return d.pkg != nil || len(d.channels)+len(d.bundles) > 0 }

func checkDeprecatedHead(p *Pass) {
	d := deprecatedIn(p.Package)
	name := p.Package.DefaultChannel
	c := p.Package.Channel(name.Value)
	if !d.any() || d.pkg != nil || c == nil {
		return
	}
	f := Finding{Subject: Subject{Channel: name.Value}, Pos: name.Pos}
	if e := d.channels[name.Value]; e != nil {
		f.Message = fmt.Sprintf("the default channel %q is deprecated: new users without a channel start in it", name.Value)
		f.Fix = "set defaultChannel to a channel that is not deprecated"
		if living := channelsNotDeprecated(p.Package, d); len(living) > 0 {
			f.Fix = "set defaultChannel to " + oneOf(living)
		}
		f.Related = []Related{{Pos: e.Pos, Message: "deprecated here"}}
		p.Report(f)
		return
	}
	head, ok := p.Graph(c).Head()
	if !ok {
		return
	}
	if e := d.bundles[c.Entries[head].Name.Value]; e != nil {
		f.Bundle, f.Pos = e.Name.Value, c.Entries[head].Name.Pos
		f.Message = fmt.Sprintf("%q, the head of the default channel %q, is deprecated: every new user gets it",
			f.Bundle, name.Value)
		f.Fix = "add a newer bundle, or set defaultChannel to a channel whose head is not deprecated"
		f.Related = []Related{{Pos: e.Pos, Message: "deprecated here"}}
		p.Report(f)
	}
}

// channelsNotDeprecated returns the names of the channels that are not deprecated.
func channelsNotDeprecated(pkg *catalogs.Package, d deprecated) []string {
	var names []string
	for _, c := range pkg.Channels {
		if d.channels[c.Name.Value] == nil {
			names = append(names, c.Name.Value)
		}
	}
	return names
}

// checkOnlyDeprecatedUpgrades leaves the default channel to deprecation/head, unless that has only one entry to speak of.
func checkOnlyDeprecatedUpgrades(p *Pass) {
	d := deprecatedIn(p.Package)
	if len(d.bundles) == 0 || d.pkg != nil {
		return
	}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		var trapped []string
		for _, i := range g.Entries() {
			if way := append([]int{i}, g.Reachable(i)...); len(way) > 1 && allDeprecated(g, way, d) {
				trapped = append(trapped, g.Name(i))
			}
		}
		if len(trapped) == 0 || d.channels[c.Name.Value] != nil {
			continue
		}
		last := d.bundles[trapped[len(trapped)-1]]
		p.Report(Finding{
			Subject: Subject{Channel: c.Name.Value},
			Each:    trapped,
			Pos:     last.Pos,
			Message: fmt.Sprintf("in channel %q %s %s deprecated, and so is every upgrade up to the head",
				c.Name.Value, allOf(trapped), plural(len(trapped), "is", "are")),
			Fix: "add a head that is not deprecated, or deprecate the channel with a message that names another one",
		})
	}
}

func allDeprecated(g *graph.Graph, entries []int, d deprecated) bool {
	return !slices.ContainsFunc(entries, func(i int) bool { return d.bundles[g.Name(i)] == nil })
}

func checkDeprecatedChannel(p *Pass) {
	d := deprecatedIn(p.Package)
	living := channelsNotDeprecated(p.Package, d)
	if d.pkg != nil || len(living) == 0 || len(p.Package.Channels) > maxSwitched {
		return
	}
	for _, c := range p.Package.Channels {
		e := d.channels[c.Name.Value]
		head, ok := p.Graph(c).Head()
		if e == nil || !ok || isUpgradedIn(p, c.Entries[head], living) {
			continue
		}
		name := c.Entries[head].Name.Value
		p.Report(Finding{
			Subject: Subject{Channel: c.Name.Value, Bundle: name},
			Cause:   []string{c.Name.Value},
			Pos:     e.Pos,
			Message: fmt.Sprintf("users of the deprecated channel %q cannot leave it: no other channel has or upgrades its head %q",
				c.Name.Value, name),
			Fix:     fmt.Sprintf("let an entry of %s skip %q, or cover its version with a skipRange", oneOf(living), name),
			Related: []Related{{Pos: c.Entries[head].Name.Pos, Message: "the head"}},
		})
	}
}

// isUpgradedIn reports whether some channel has an installed entry, or upgrades it.
func isUpgradedIn(p *Pass, e catalogs.Entry, channels []string) bool {
	version := ""
	if e.Bundle != nil {
		version = e.Bundle.Version.Value
	}
	return slices.ContainsFunc(channels, func(name string) bool {
		g := p.Graph(p.Package.Channel(name))
		if i, ok := g.Index(e.Name.Value); ok && g.Offers(i) {
			return true
		}
		_, ok := g.NextOfInstalled(e.Name.Value, version)
		return ok
	})
}

func checkStuckByDeprecation(p *Pass) {
	d := deprecatedIn(p.Package)
	if len(d.bundles) == 0 || d.pkg != nil {
		return
	}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		for _, i := range g.Entries() {
			next := g.Successors(i)
			living := func(e graph.Edge) bool { return d.bundles[g.Name(e.To)] == nil }
			if d.bundles[g.Name(i)] != nil || len(next) == 0 || slices.ContainsFunc(next, living) {
				continue
			}
			p.Report(stuckByDeprecation(g, i, next, d))
		}
	}
}

func stuckByDeprecation(g *graph.Graph, i int, next []graph.Edge, d deprecated) Finding {
	var names []string
	f := Finding{
		Subject: Subject{Channel: g.Channel.Name.Value, Bundle: g.Name(i)},
		Pos:     g.Channel.Entries[i].Name.Pos,
		Fix:     fmt.Sprintf("let a bundle that is not deprecated skip %q, or deprecate that as well", g.Name(i)),
	}
	for _, e := range next {
		names = append(names, g.Name(e.To))
		f.Related = append(f.Related, Related{Pos: d.bundles[g.Name(e.To)].Pos, Message: fmt.Sprintf("%q is deprecated",
			g.Name(e.To))})
	}
	f.Message = fmt.Sprintf("OLM v1 never upgrades %q, which is not deprecated, to %s, which %s",
		g.Name(i), allOf(names), plural(len(names), "is", "are"))
	return f
}

func checkLowerPreferred(p *Pass) {
	d := deprecatedIn(p.Package)
	if len(d.bundles) == 0 || d.pkg != nil {
		return
	}
	var best, highest *catalogs.Bundle
	for _, b := range listedBundles(p.Package) {
		if b.Semver() == nil {
			continue
		}
		if highest == nil || newerThan(b, highest) {
			highest = b
		}
		if d.bundles[b.Name.Value] == nil && (best == nil || newerThan(b, best)) {
			best = b
		}
	}
	if best == nil || best == highest || d.bundles[highest.Name.Value] == nil {
		return
	}
	p.Report(Finding{
		Subject: Subject{Bundle: best.Name.Value},
		Pos:     d.bundles[highest.Name.Value].Pos,
		Message: fmt.Sprintf("OLM v1 installs %q, since %q and all other newer bundles are deprecated", best.Name.Value, highest.Name.Value),
		Fix:     "deprecate the older bundles as well, or add a newer bundle that is not deprecated",
	})
}

func checkLegacyDeprecated(p *Pass) {
	heads := map[string]string{}
	for _, c := range p.Package.Channels {
		if head, ok := p.Graph(c).Head(); ok {
			heads[c.Entries[head].Name.Value] = c.Name.Value
		}
	}
	for _, b := range p.Package.Bundles {
		i := b.PropertyIndex(catalogs.TypeDeprecated)
		if i < 0 {
			continue
		}
		f := Finding{
			Subject: Subject{Bundle: b.Name.Value},
			Cause:   []string{b.Name.Value},
			Pos:     firstKnown(b.Properties[i].Type.Pos, b.Properties[i].Pos),
			Message: fmt.Sprintf("OLM v0 never installs %q, neither as a new installation nor as an upgrade: it has the property olm.deprecated", b.Name.Value),
			Fix:     "remove the property and deprecate the bundle in olm.deprecations instead",
		}
		if channel, ok := heads[b.Name.Value]; ok {
			f.Severity, f.Channel = Error, channel
			f.Message = fmt.Sprintf("OLM v0 never installs %q, the head of channel %q: it has the property olm.deprecated",
				b.Name.Value, channel)
		}
		p.Report(f)
	}
}
