package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

func checkChannelAdded(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		if near, ok := misspelt(p, c.Name.Value); ok && p.Package.Channel(c.Name.Value) == c {
			f := edges.AtChannel(c)
			f.Message = fmt.Sprintf("channel %q is new; it looks like a misspelt %q, whose subscribers do not get it", c.Name.Value, near)
			f.Fix = fmt.Sprintf("write %s, unless a channel of that name is intended", near)
			p.Report(f)
		}
	}
}

// misspelt returns the published channel that the name of a new one is probably meant to be.
func misspelt(p *lint.Pass, channel string) (string, bool) {
	names := p.BasePackage.ChannelNames()
	if slices.Contains(names, channel) {
		return "", false
	}
	return spelling.NearestVersioned(channel, names)
}
