package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

var duplicateChannel = lint.Rule{
	ID: "catalog/duplicate-channel", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a channel is defined twice
opm does not merge olm.channel objects of one name, it rejects them.
Move the entries of both into one.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkDuplicateChannel,
}

func checkDuplicateChannel(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		if first := p.Package.Channel(c.Name.Value); first != c {
			p.Report(lint.Finding{
				Subject: lint.Subject{Channel: c.Name.Value},
				Pos:     c.Name.Pos,
				Message: fmt.Sprintf("channel %q is defined a second time: opm does not merge them", c.Name.Value),
				Fix:     "move the entries of both into one olm.channel object",
				Related: []lint.Related{{Pos: first.Name.Pos, Message: "first defined here"}},
			})
		}
	}
}
