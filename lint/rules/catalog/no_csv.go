package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var noCSV = lint.Rule{
	ID: "catalog/no-csv", Severity: lint.Warning, Gates: lint.GateServe,
	Doc: `a channel's head has no CSV metadata
A bundle with neither an olm.csv.metadata nor an olm.bundle.object property has no name, description or install modes to show. OLM
v0's package server omits each channel whose head is such a bundle, and the package if no channel is left: users do not find it in
the console.
Render the bundle again.`,
	Reference: "OLM pkg/package-server",
	Check:     checkNoCSV,
}

func checkNoCSV(p *lint.Pass) {
	seen := map[string]bool{}
	for _, c := range p.Package.Channels {
		heads := p.Graph(c).Heads()
		if len(heads) != 1 {
			continue
		}
		b := c.Entries[heads[0]].Bundle
		if b == nil || b.Guessed || seen[b.Name.Value] || b.PropertyCount(catalogs.TypeCSVMetadata) > 0 || b.PropertyCount(catalogs.TypeBundleObject) > 0 {
			continue
		}
		seen[b.Name.Value] = true
		p.Report(lint.Finding{
			Subject: lint.Subject{Channel: c.Name.Value, Bundle: b.Name.Value},
			Cause:   []string{c.Name.Value},
			Pos:     b.Name.Pos,
			Message: fmt.Sprintf("%q is the head of channel %q and has no CSV metadata: the console does not show the channel",
				b.Name.Value, c.Name.Value),
			Fix: "render the bundle again, so that it has an olm.csv.metadata property",
		})
	}
}
