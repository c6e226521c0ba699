package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

func checkChannelAdded(p *lint.Pass) {
	newer := edges.NewerThanDefault(p)
	for _, c := range p.Package.Channels {
		name := c.Name.Value
		if p.Package.Channel(name) != c || p.BasePackage.Channel(name) != nil {
			continue
		}
		f := edges.AtChannel(c)
		near, known := likelyChannel(p, name)
		meant, other := otherPattern(p, name)
		switch {
		case known:
			f.Message = fmt.Sprintf("channel %q is new; it looks like a misspelt %q, whose subscribers do not get it", name, near)
			f.Fix = fmt.Sprintf("write %s, unless a channel of that name is intended", near)
		case other:
			f.Message = fmt.Sprintf("channel %q is new, and not named like the published ones, as %q is: users do not find it under the name that they expect", name, meant)
			f.Fix, f.Names = fmt.Sprintf("write %s, unless the other name is intended", meant), []string{meant}
		case len(name) == 1 && (name < "0" || name > "9"):
			f.Message = fmt.Sprintf("channel %q is new; a name of one letter is probably cut off, and cannot be changed once users subscribe to it", name)
			f.Fix, f.Names = "write the full name", []string{name}
		case c == newer:
			f.Cause = []string{p.Package.DefaultChannel.Value, name}
			f.Message, f.Fix = defaultStays(p, c)
			is := p.Package.DefaultChannel
			f.Related = []lint.Related{{Pos: catalogs.KnownPos(is.Pos, p.Package.Pos), Message: "the default channel"}}
		default:
			continue
		}
		p.Report(f)
	}
}

// likelyChannel returns the published channel that the name of a new one is probably meant to be.
func likelyChannel(p *lint.Pass, channel string) (string, bool) {
	names := p.BasePackage.ChannelNames()
	if slices.Contains(names, channel) {
		return "", false
	}
	return words.NearestVersioned(channel, names)
}

// otherPattern returns the name of a new channel in the pattern of the published ones, if no other channel has the pattern of its own.
func otherPattern(p *lint.Pass, channel string) (string, bool) {
	meant, ok := graph.PatternName(channel, p.BasePackage.ChannelNames())
	others := slices.DeleteFunc(p.Package.ChannelNames(), func(name string) bool { return name == channel })
	_, alone := graph.PatternName(channel, others)
	return meant, ok && alone && p.Package.Channel(meant) == nil
}

// defaultStays returns message and fix of a new channel that is newer than the default channel.
func defaultStays(p *lint.Pass, c *catalogs.Channel) (message, fix string) {
	is := p.Package.DefaultChannel.Value
	from := p.Graph(p.Package.Channel(is))
	message = fmt.Sprintf("channel %q is new, but %q, the newest before it, is still the default channel: installations without a channel do not get %q",
		c.Name.Value, is, p.Graph(c).HeadName())
	fix = fmt.Sprintf("let the default channel be %q, if it is meant for new users", c.Name.Value)
	if lost := from.Names(from.StuckAfterSwitch(p.Graph(c))); len(lost) > 0 {
		fix += fmt.Sprintf("; first let it upgrade %s", words.QuoteSome(lost))
	}
	return message, fix
}
