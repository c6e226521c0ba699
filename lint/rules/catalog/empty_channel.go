package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

var emptyChannel = lint.Rule{
	ID: "catalog/empty-channel", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a channel has no entries
opm rejects it; a Subscription to it would get nothing.
Add the entries, or remove the channel.`,
	Reference: "operator-registry alpha/model Channel.Validate",
	Check:     checkEmptyChannel,
}

func checkEmptyChannel(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		if len(c.Entries) == 0 {
			p.Report(lint.Finding{
				Subject: lint.Subject{Channel: c.Name.Value},
				Pos:     c.Pos,
				Message: fmt.Sprintf("channel %q has no entries: a Subscription to it gets nothing", c.Name.Value),
				Fix:     "add its entries, or remove the channel",
			})
		}
	}
}
