package deprecation

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// channelsNotDeprecated returns the names of the channels that are not deprecated.
func channelsNotDeprecated(pkg *catalogs.Package, d edges.Deprecated) []string {
	var names []string
	for _, c := range pkg.Channels {
		if d.Channels[c.Name.Value] == nil {
			names = append(names, c.Name.Value)
		}
	}
	return names
}

func checkDeprecatedHead(p *lint.Pass) {
	d := edges.DeprecatedIn(p.Package)
	name := p.Package.DefaultChannel
	c := p.Package.Channel(name.Value)
	if !d.Any() || d.Package != nil || c == nil {
		return
	}
	f := lint.Finding{Subject: lint.Subject{Channel: name.Value}, Pos: name.Pos}
	if e := d.Channels[name.Value]; e != nil {
		f.Message = fmt.Sprintf("the default channel %q is deprecated: new users without a channel start in it", name.Value)
		f.Fix = "set defaultChannel to a channel that is not deprecated"
		if active := channelsNotDeprecated(p.Package, d); len(active) > 0 {
			f.Fix = "set defaultChannel to " + words.QuoteOr(active)
		}
		f.Related = []lint.Related{{Pos: e.Pos, Message: "deprecated here"}}
		p.Report(f)
		return
	}
	head, ok := p.Graph(c).Head()
	if !ok {
		return
	}
	if e := d.Bundles[c.Entries[head].Name.Value]; e != nil {
		f.Bundle, f.Pos = e.Name.Value, c.Entries[head].Name.Pos
		f.Message = fmt.Sprintf("%q, the head of the default channel %q, is deprecated: every new user gets it",
			f.Bundle, name.Value)
		f.Fix = "add a newer bundle, or set defaultChannel to a channel whose head is not deprecated"
		f.Related = []lint.Related{{Pos: e.Pos, Message: "deprecated here"}}
		p.Report(f)
	}
}

// checkOnlyDeprecatedUpgrades reports entries that are deprecated together with all entries that they can be upgraded to. Entries
// without upgrades are left to deprecation/head.
func checkOnlyDeprecatedUpgrades(p *lint.Pass) {
	d := edges.DeprecatedIn(p.Package)
	if len(d.Bundles) == 0 || d.Package != nil {
		return
	}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		var trapped []string
		for _, i := range g.Entries() {
			if d.Bundles[g.Name(i)] == nil {
				continue
			}
			if path := g.Reachable(i); len(path) > 0 && allDeprecated(g, path, d) {
				trapped = append(trapped, g.Name(i))
			}
		}
		if len(trapped) == 0 || d.Channels[c.Name.Value] != nil {
			continue
		}
		var details []lint.Related
		for _, name := range trapped {
			details = append(details, lint.Related{Pos: d.Bundles[name].Pos, Message: fmt.Sprintf("%q is deprecated", name)})
		}
		last := d.Bundles[trapped[len(trapped)-1]]
		p.Report(lint.Finding{
			Subject: lint.Subject{Channel: c.Name.Value},
			Faults:  trapped,
			Details: details,
			Pos:     last.Pos,
			Message: fmt.Sprintf("in channel %q %s %s deprecated, and so is every upgrade up to the head",
				c.Name.Value, words.QuoteSome(trapped), words.Plural(len(trapped), "is", "are")),
			Fix: "add a head that is not deprecated, or deprecate the channel with a message that names another one",
		})
	}
}

// allDeprecated reports whether all entries are deprecated.
func allDeprecated(g *graph.Graph, entries []int, d edges.Deprecated) bool {
	return !slices.ContainsFunc(entries, func(i int) bool { return d.Bundles[g.Name(i)] == nil })
}

func checkDeprecatedChannel(p *lint.Pass) {
	d := edges.DeprecatedIn(p.Package)
	active := channelsNotDeprecated(p.Package, d)
	if d.Package != nil || len(active) == 0 || len(p.Package.Channels) > edges.MaxComparedChannels {
		return
	}
	for _, c := range p.Package.Channels {
		e := d.Channels[c.Name.Value]
		head, ok := p.Graph(c).Head()
		if e == nil || !ok || isUpgradedIn(p, c.Entries[head], active) {
			continue
		}
		name := c.Entries[head].Name.Value
		p.Report(lint.Finding{
			Subject: lint.Subject{Channel: c.Name.Value, Bundle: name},
			Cause:   []string{c.Name.Value},
			Pos:     e.Pos,
			Message: fmt.Sprintf("users of the deprecated channel %q cannot leave it: no other channel has or upgrades its head %q",
				c.Name.Value, name),
			Fix:     fmt.Sprintf("let an entry of %s skip %q, or cover its version with a skipRange", words.QuoteOr(active), name),
			Related: []lint.Related{{Pos: c.Entries[head].Name.Pos, Message: "the head"}},
		})
	}
}

// isUpgradedIn reports whether OLM v0 offers an entry in one of the channels, or upgrades it there.
func isUpgradedIn(p *lint.Pass, e catalogs.Entry, channels []string) bool {
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

func checkStuckByDeprecation(p *lint.Pass) {
	d := edges.DeprecatedIn(p.Package)
	if len(d.Bundles) == 0 || d.Package != nil {
		return
	}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		for _, i := range g.Entries() {
			next := g.SuccessorsV1(i)
			active := func(e graph.Edge) bool { return d.Bundles[g.Name(e.To)] == nil }
			if d.Bundles[g.Name(i)] != nil || len(next) == 0 || slices.ContainsFunc(next, active) {
				continue
			}
			p.Report(stuckByDeprecation(g, i, next, d))
		}
	}
}

func stuckByDeprecation(g *graph.Graph, i int, next []graph.Edge, d edges.Deprecated) lint.Finding {
	var names []string
	f := lint.Finding{
		Subject: lint.Subject{Channel: g.Channel.Name.Value, Bundle: g.Name(i)},
		Pos:     g.Channel.Entries[i].Name.Pos,
		Fix:     fmt.Sprintf("let a bundle that is not deprecated skip %q, or deprecate that as well", g.Name(i)),
	}
	for _, e := range next {
		names = append(names, g.Name(e.To))
		f.Details = append(f.Details, lint.Related{Pos: d.Bundles[g.Name(e.To)].Pos, Message: fmt.Sprintf("%q is deprecated",
			g.Name(e.To))})
	}
	f.Names = names
	f.Message = fmt.Sprintf("OLM v1 never upgrades %q, which is not deprecated, to %s, which %s deprecated",
		g.Name(i), words.QuoteSome(names), words.Plural(len(names), "is", "are"))
	return f
}

func checkLegacyDeprecated(p *lint.Pass) {
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
		f := lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Cause:   []string{b.Name.Value},
			Pos:     catalogs.KnownPos(b.Properties[i].Type.Pos, b.Properties[i].Pos),
			Message: fmt.Sprintf("OLM v0 never installs %q, neither as a new installation nor as an upgrade: it has the property olm.deprecated", b.Name.Value),
			Fix:     "remove the property and deprecate the bundle in olm.deprecations instead",
		}
		if channel, ok := heads[b.Name.Value]; ok {
			f.Severity, f.Channel = lint.Error, channel
			f.Message = fmt.Sprintf("OLM v0 never installs %q, the head of channel %q: it has the property olm.deprecated",
				b.Name.Value, channel)
		}
		p.Report(f)
	}
}
