package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var duplicateEntry = lint.Rule{
	ID: "catalog/duplicate-entry", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a channel lists a bundle twice
opm rejects two entries of one name in a channel, even if they are equal.
Move replaces, skips and skipRange of both into one entry.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkDuplicateEntry,
}

func checkDuplicateEntry(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		first := map[string]*catalogs.Entry{}
		for i := range c.Entries {
			e := &c.Entries[i]
			if other := first[e.Name.Value]; other != nil {
				p.Report(lint.Finding{
					Subject: lint.Subject{Channel: c.Name.Value, Bundle: e.Name.Value},
					Pos:     e.Pos,
					Message: fmt.Sprintf("channel %q lists %q a second time", c.Name.Value, e.Name.Value),
					Fix:     "move replaces, skips and skipRange of both into one entry",
					Related: []lint.Related{{Pos: other.Pos, Message: "first listed here"}},
				})
				continue
			}
			first[e.Name.Value] = e
		}
	}
}
