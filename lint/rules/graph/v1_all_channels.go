package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var v1AllChannels = lint.Rule{
	ID: "graph/v1-all-channels", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `OLM v1 without a channel installs a version newer than the default channel
OLM v1 has no default channel: without channels in the ClusterExtension it installs the highest version of all channels. Users of
OLM v1 can then get, for example, a prerelease of a candidate channel.
Document which channel users of OLM v1 should set.`,
	Reference: "operator-controller resolve.CatalogResolver",
	Check:     checkAllChannels,
}

// checkAllChannels reports once per package that OLM v1 installs a newer bundle than that of the default channel.
func checkAllChannels(p *lint.Pass) {
	c := p.Package.Channel(p.Package.DefaultChannel.Value)
	if c == nil {
		return
	}
	g := p.Graph(c)
	if len(g.Entries()) == 0 {
		return
	}
	best := c.Entries[edges.Newest(g, g.Entries())].Bundle
	d := edges.DeprecatedIn(p.Package)
	var highest *catalogs.Bundle
	for _, b := range versions.BundlesInChannels(p.Package) {
		if d.Bundles[b.Name.Value] == nil && versions.NewerThan(b, best) && (highest == nil || versions.NewerThan(b, highest)) {
			highest = b
		}
	}
	if highest == nil {
		return
	}
	var where []string
	for _, other := range p.Package.Channels {
		if _, ok := p.Graph(other).Index(highest.Name.Value); ok {
			where = append(where, other.Name.Value)
		}
	}
	fix := "ask users of OLM v1 to set spec.source.catalog.channels, or make the newer channel the default"
	if isGenerated(p) {
		fix = defaultChannelFix(p, highest)
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Channel: c.Name.Value, Bundle: highest.Name.Value},
		Cause:   []string{c.Name.Value},
		Pos:     words.FirstKnown(p.Package.DefaultChannel.Pos, p.Package.Pos),
		Message: fmt.Sprintf("OLM v1 without a channel installs %q of channel %s, but the newest of the default channel %q is %s",
			highest.Name.Value, words.AllOf(where), c.Name.Value, versions.Text(best)),
		Fix:     fix,
		Related: []lint.Related{{Pos: highest.Name.Pos, Message: "the newest bundle"}},
	})
}
