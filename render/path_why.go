package render

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/wording"
)

// whyNoPath explains in sentences why there is no path.
func (p *Path) whyNoPath() []string {
	o, q := p.Obstacle, p.Question
	from, to := p.version(q.From), p.version(q.To)
	var sentences []string
	say := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	if o.Order != nil {
		say("%s", wording.Unordered(q.Channel, o.Order))
	}
	if o.NotInChannel {
		say("There is no entry %s in %s.", q.To, p.source())
	}
	if o.Refused != nil && (p.LastChoice.Refusal == nil || p.LastChoice.Refusal.Bundle != q.To) {
		say("OLM v1 does not install %s, because it has the property %s (%s).", to, o.Refused.Property, o.Refused.Pos)
	}
	if o.Older {
		say("%s is older than %s, and there is no downgrade.", to, from)
	}
	if o.ReverseHops > 0 && p.ExplicitTarget {
		say("There is a path in the opposite direction, of %s: are --from and --to swapped?", words.Count(o.ReverseHops, "upgrade"))
	}
	if o.Skipped.To >= 0 || o.NotInOrder {
		sentences = append(sentences, wording.NeverOffered(p.PackageGraph, q.Channel, q.To, o.Skipped))
	}
	sentences = append(sentences, p.whyStopped()...)
	if o.Refused != nil {
		return sentences
	}
	if !o.NotInChannel && o.Order == nil {
		sentences = append(sentences, p.reachableFrom(to))
	}
	return append(sentences, p.whyOtherChannels()...)
}

// whyOtherChannels says whether there is a path in or across other channels.
func (p *Path) whyOtherChannels() []string {
	o, q := p.Obstacle, p.Question
	switch {
	case q.OLM() == graph.V1 && len(o.OtherChannelPath) > 0:
		return []string{fmt.Sprintf("Without channels in the ClusterExtension there is an upgrade path, of %s: leave out --channel.", countSteps(o.OtherChannelPath))}
	case o.Older && len(o.ChannelsWithPath) == 0, q.OLM() == graph.V1 && !q.Extension.NamesChannels:
	case len(o.ChannelsWithPath) > 0:
		return []string{fmt.Sprintf("There is an upgrade path in channel %s: switch the subscription to it (see --switch-channels).", quoteChannels(o.ChannelsWithPath))}
	case len(o.OtherChannelPath) > 0:
		return []string{fmt.Sprintf("There is an upgrade path across channels, of %s: see --switch-channels.", countSteps(o.OtherChannelPath))}
	case len(o.ChannelsWithTarget) > 0:
		return []string{fmt.Sprintf("%s is in channel %s, but no version that can be reached from %s upgrades to it.",
			p.version(q.To), quoteChannels(o.ChannelsWithTarget), p.version(q.From))}
	}
	return nil
}

// whyStopped says where upgrades stop, why, and what would allow more.
func (p *Path) whyStopped() []string {
	sentences := p.whereStopped()
	if closest := p.closestVersion(); closest != "" {
		sentences = append(sentences, closest)
	}
	return append(sentences, p.whyRejected()...)
}

// whereStopped says where the automatic upgrades stop, and why.
func (p *Path) whereStopped() []string {
	o, q := p.Obstacle, p.Question
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch {
	case o.Order != nil:
		return nil
	case p.Loop:
		return one("OLM upgrades endlessly: it returns to %s.", p.version(p.Automatic[len(p.Automatic)-1].To))
	case q.OLM() == graph.V1 && p.LastChoice.Bundle == "" && p.PackageGraph.Has(q.From):
		return one("At %s OLM v1 finds neither it nor a successor in %s, and reports an error.", p.version(p.endName()), p.source())
	case o.Older:
		return nil
	case o.Overshoot != nil:
		return one("OLM upgrades from %s directly to %s, because %s (%s); users can only stop before an upgrade.",
			p.version(o.Overshoot.From), p.version(o.Overshoot.To), wording.EdgeClause(o.Overshoot.Edge, p.version(o.Overshoot.From)), o.Overshoot.Edge.Where.Pos)
	case o.Stuck != nil:
		return wording.Stuck(p.PackageGraph, p.Channel, o.Stuck)
	case p.LastChoice.Refusal != nil && p.LastChoice.Step != nil:
		return one("At %s %s. It tries no other bundle.", p.version(p.endName()), wording.Refusal(p.PackageGraph, p.LastChoice.Refusal, p.endName()))
	}
	return p.lastUpgrade()
}

// lastUpgrade says how far the automatic upgrades go.
func (p *Path) lastUpgrade() []string {
	q := p.Question
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch v0, none := q.OLM() == graph.V0, len(p.Automatic) == 0; {
	case v0 && none && q.IsHead(q.From):
		return one("%s is the head of channel %q.", p.version(q.From), q.Channel.Channel.Name.Value)
	case v0 && none:
		return p.notNamed()
	case none && !p.PackageGraph.Has(q.From):
		return one("No entry of %s replaces it, skips it or has %s in its skipRange, so it is never upgraded.", p.source(), p.version(q.From))
	case v0 && p.Obstacle.Nearest != p.Automatic[len(p.Automatic)-1].To:
		return one("The last version to which OLM v0 upgrades it is %s.", p.version(p.Automatic[len(p.Automatic)-1].To))
	}
	return nil
}

// notNamed says that OLM v0 offers no entry that upgrades the installed bundle, and what to write.
func (p *Path) notNamed() []string {
	order, _ := p.Channel.Order()
	from, head := p.version(p.From), p.Channel.Name(order[0])
	sentences := []string{fmt.Sprintf("%s in %s: %s.", graph.NeverUpgrades, p.source(), graph.NothingUpgrades)}
	if graph.Older(graph.ParseVersion(p.PackageGraph.Version(p.From)), p.Channel.HeadVersion()) {
		skip := "skip " + p.From + ", or "
		if p.From == from { // its name is not known
			skip = ""
		}
		sentences = append(sentences, fmt.Sprintf("To fix it, let %s or a newer entry %scover %s with its skipRange.", head, skip, from))
	}
	return sentences
}

// closestVersion names the reachable version nearest to the target.
func (p *Path) closestVersion() string {
	o, q := p.Obstacle, p.Question
	switch {
	case o.Nearest == "" || o.Nearest == q.From && len(p.Automatic) == 0:
		return ""
	case o.Nearest == q.From:
		return fmt.Sprintf("The nearest version to %s at which it can stop is the installed %s.", p.version(q.To), p.version(o.Nearest))
	}
	return fmt.Sprintf("The nearest version to %s that can be reached is %s.", p.version(q.To), p.version(o.Nearest))
}

// whyRejected says which successors OLM v1 does not install, and what would allow the upgrade to the target.
func (p *Path) whyRejected() []string {
	o, q := p.Obstacle, p.Question
	var sentences []string
	for i := range o.RefusedVersions[:min(len(o.RefusedVersions), 3)] {
		if r := &o.RefusedVersions[i]; r.Bundle != q.To && (p.LastChoice.Refusal == nil || r.Bundle != p.LastChoice.Refusal.Bundle) {
			sentences = append(sentences, fmt.Sprintf("At %s OLM v1 does not install %s, because it has the property %s (%s).", p.version(o.Nearest), p.version(r.Bundle), r.Property, r.Pos))
		}
	}
	if q.OLM() == graph.V1 && !o.NotInChannel && o.Refused == nil && o.Nearest != "" {
		sentences = append(sentences, fmt.Sprintf("An upgrade from %[2]s needs an entry %[1]s that replaces or skips it, or covers it with its skipRange.", p.version(q.To), p.version(o.Nearest)))
	}
	return sentences
}

// source names what upgrades come from: 'channel "stable"', 'channels "fast", "stable"' or "the package".
func (p *Path) source() string {
	switch {
	case p.OLM() == graph.V0:
		return "channel " + quoteChannels([]*graph.Graph{p.Channel})
	case !p.Extension.NamesChannels:
		return "the package"
	case len(p.Extension.Channels) == 1:
		return "channel " + quoteChannels(p.Extension.Channels)
	}
	return "channels " + quoteChannels(p.Extension.Channels)
}

// reachableFrom says from which bundles the target can be reached.
func (p *Path) reachableFrom(to string) string {
	from := p.Obstacle.ReachableFrom
	if len(from) == 0 {
		return fmt.Sprintf("No entry of %s is upgraded to %s.", p.source(), to)
	}
	return fmt.Sprintf("%s can be reached from %s.", to, words.JoinSome(words.Map(from, p.version), 8))
}

// quoteChannels lists the quoted names of channels.
func quoteChannels(graphs []*graph.Graph) string {
	return strings.Join(words.Quote(channelNames(graphs)), ", ")
}
