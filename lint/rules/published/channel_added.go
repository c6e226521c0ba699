package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var channelAdded = lint.Rule{
	ID: "published/channel-added", Severity: lint.Info, Gates: lint.GateAdvice, NeedsBase: true,
	Doc: `a channel is new
It has no subscribers yet. Users who switch to it need an upgrade from their installed version. If its name looks like a misspelt one of a
published channel, that is a warning: subscribers of that channel do not get what is in the new one.
Check that it has one from the heads of the older channels: graph/channel-switch reports missing ones.`,
	Reference: "operator-registry alpha/declcfg olm.channel",
	Check:     checkChannelAdded,
}

func checkChannelAdded(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		if p.Package.Channel(c.Name.Value) != c || p.BasePackage.Channel(c.Name.Value) != nil {
			continue
		}
		f := edges.AtChannel(c)
		f.Message = fmt.Sprintf("channel %q is new", c.Name.Value)
		g := p.Graph(c)
		if head, ok := g.Head(); ok {
			f.Message += fmt.Sprintf("; its head is %q", g.Name(head))
		}
		switch fresh, all := len(newEntries(p, g)), len(g.Entries()); {
		case fresh == all:
			f.Message += ", and nothing in it was published before"
		case fresh > 0:
			f.Message += fmt.Sprintf(", and %d of its %d entries %s not published before", fresh, all, words.Plural(fresh, "was", "were"))
		}
		f.Fix = "no change is required"
		if near, ok := misspelt(p, c.Name.Value); ok {
			f.Severity = lint.Warning
			f.Message += fmt.Sprintf("; it looks like a misspelt %q, whose subscribers do not get it", near)
			f.Fix = fmt.Sprintf("write %s, unless a channel of that name is intended", near)
		}
		p.Report(f)
	}
}

// misspelt returns the published channel that the name of a new one is probably meant to be.
func misspelt(p *lint.Pass, channel string) (string, bool) {
	var names []string
	for _, c := range p.BasePackage.Channels {
		names = append(names, c.Name.Value)
	}
	if slices.Contains(names, channel) {
		return "", false
	}
	return spelling.NearestVersioned(channel, names)
}

// newEntries returns the names of entries that no channel of the base has.
func newEntries(p *lint.Pass, g *graph.Graph) []string {
	return slices.DeleteFunc(edges.NamesOf(g, g.Entries()), func(name string) bool {
		return slices.ContainsFunc(p.BasePackage.Channels, func(c *catalogs.Channel) bool {
			_, ok := p.BaseGraph(c).Index(name)
			return ok
		})
	})
}
