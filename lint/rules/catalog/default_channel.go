package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var defaultChannel = lint.Rule{
	ID: "catalog/default-channel", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `the default channel is not set, or does not exist
A Subscription without a channel gets the default channel. opm rejects a package without one, even if it has only one channel.
Set defaultChannel to a channel of the package.`,
	Reference: "operator-registry alpha/model Package.Validate",
	Check:     checkDefaultChannel,
}

func checkDefaultChannel(p *lint.Pass) {
	pkg := p.Package
	name := pkg.DefaultChannel
	if !pkg.Defined() || len(pkg.Channels) == 0 || pkg.Channel(name.Value) != nil && name.Value != "" || p.Catalog.MayBeUnread(name.Value) {
		return
	}
	channels := make([]string, 0, len(pkg.Channels))
	for _, c := range pkg.Channels {
		channels = append(channels, c.Name.Value)
	}
	f := lint.Finding{Cause: []string{name.Value}, Pos: pkg.Pos, Message: "no default channel is set: opm requires one even if there is only one channel",
		Fix: "set defaultChannel to " + words.OneOf(channels)}
	if name.Value != "" {
		f.Pos = name.Pos
		f.Message = fmt.Sprintf("the default channel %q does not exist: a Subscription without a channel gets nothing", name.Value)
		f.Fix = fmt.Sprintf("set defaultChannel to %s, or add the channel", words.OneOf(channels))
		if near, ok := spelling.NearestWord(name.Value, channels); ok {
			f.Message = fmt.Sprintf("the default channel %q does not exist: did you mean %q?", name.Value, near)
		}
	}
	p.Report(f)
}
