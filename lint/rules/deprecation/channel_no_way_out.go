package deprecation

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var channelNoWayOut = lint.Rule{
	ID: "deprecation/channel-no-way-out", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a deprecated channel has no upgrade to other channels
Users of a deprecated channel should switch. In each channel that is not deprecated the head of the deprecated channel is not an
entry, and is not replaced, skipped or in a skipRange: after the switch OLM v0 never upgrades it.
Let an entry of another channel skip the head of the deprecated channel, or cover it with a skipRange.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     checkDeprecatedChannel,
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
			Fix:     fmt.Sprintf("let an entry of %s skip %q, or cover its version with a skipRange", words.OneOf(active), name),
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
