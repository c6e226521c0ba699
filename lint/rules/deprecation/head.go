package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var head = lint.Rule{
	ID: "deprecation/head", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `new users get something deprecated
An installation without a channel gets the head of the default channel. If that bundle or that channel is deprecated, but the
package is not, new users start on a deprecated version.
Set defaultChannel to a channel that is not deprecated, add a newer bundle, or deprecate the package if it is no longer
maintained.`,
	Reference: "OLM Subscription conditions BundleDeprecated, ChannelDeprecated",
	Check:     checkDeprecatedHead,
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
			f.Fix = "set defaultChannel to " + words.OneOf(active)
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
