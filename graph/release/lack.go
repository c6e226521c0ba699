package release

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
)

// lack is something that a package lacks after edits.
type lack struct {
	options []option // what may help
	refusal *Refusal // why there is no answer, if none does
}

// option is something that helps a package that lacks something: the release replaces, skips or covers a name, or an entry of a channel that
// was not requested skips the release or a head.
type option struct {
	channel string
	name    string
	forward *Edit
}

// equal reports whether two options change the same.
func (o option) equal(other option) bool {
	if o.forward == nil || other.forward == nil {
		return o.forward == other.forward && o.channel == other.channel && o.name == other.name
	}
	return o.forward.Channel == other.forward.Channel && o.forward.Entry == other.forward.Entry
}

// forwardEdits returns the edits of options, by channel.
func forwardEdits(all []option) []Edit {
	var edits []Edit
	for _, o := range all {
		if o.forward != nil {
			edits = append(edits, *o.forward)
		}
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Entry, b.Entry)) })
	return edits
}

// findLack returns the first thing that a package lacks after edits, nil if there is none.
func (p *planner) findLack(edits []Edit) *lack {
	now := p.apply(edits)
	for i := range edits {
		if p.requestedChannel(edits[i].Channel) != nil {
			continue
		}
		if l := p.brokenBy(&edits[i], now); l != nil {
			return l
		}
	}
	if l := p.lackAfterSwitch(now); l != nil {
		return l
	}
	return p.lackV1(now)
}

// brokenBy checks a channel that was not requested: its head is the same, and all upgrades to it still are.
func (p *planner) brokenBy(e *Edit, now *graph.PackageGraph) *lack {
	was, is := p.base.Graph(e.Channel), now.Graph(e.Channel)
	users := p.originUsers(p.origins.ForChannel(was))
	before, after := routesV0(was, users), routesV0(is, users)
	head := onlyHead(was)
	broken := onlyHead(is) != head || len(is.StrandedEntries()) > len(was.StrandedEntries())
	for _, u := range users {
		next := after.next[u.Name]
		broken = broken || head != "" && before.end(u.Name) == head && after.end(u.Name) != head || p.older(next, u.Name) && next != before.next[u.Name]
	}
	if !broken {
		return nil
	}
	return &lack{refusal: &Refusal{Channel: e.Channel, Constraint: fmt.Sprintf("%s cannot skip %s without harm to others", e.Entry, p.request.Name), Change: "change the other entries first"}}
}

// requestedChannel returns the requested channel of that name, or nil.
func (p *planner) requestedChannel(name string) *channel {
	return find.Value(p.channels, func(c *channel) bool { return c.name == name })
}

// onlyHead returns the only head of a channel that OLM v0 can order, or "".
func onlyHead(g *graph.Graph) string {
	if g == nil {
		return ""
	}
	order, err := g.Order()
	if err != nil {
		return ""
	}
	return g.Name(order[0])
}

// upgradesToHead reports whether a channel upgrades a bundle to its head after the subscription is switched to it.
func (p *planner) upgradesToHead(g *graph.Graph, name string) bool {
	head := onlyHead(g)
	if head == "" || name == head {
		return head != ""
	}
	in := p.installedBundle(name)
	return routesV0(g, []graph.InstalledBundle{in}).end(name) == head
}

// lackAfterSwitch checks switches to channels with a newer head: the head of a channel must be upgraded there if it was before, and in
// one of them unless it was in none before.
func (p *planner) lackAfterSwitch(now *graph.PackageGraph) *lack {
	for _, from := range now.Graphs {
		was, is := p.base.Graph(from.Channel.Name.Value), onlyHead(from)
		if is == "" {
			continue
		}
		newer := p.newerChannels(now, is)
		if !slices.ContainsFunc(newer, p.isChanged) && onlyHead(was) == is {
			continue
		}
		for _, to := range newer {
			if p.upgradesToHead(to, is) || was == nil || onlyHead(was) == "" || !p.upgradesToHead(p.base.Graph(to.Channel.Name.Value), onlyHead(was)) {
				continue
			}
			return p.coverIn(is, onlyHead(was), to)
		}
		if l := p.lackEverywhere(was, is, newer); l != nil {
			return l
		}
	}
	return nil
}

// isChanged reports whether a channel after the edits is not that of the base.
func (p *planner) isChanged(g *graph.Graph) bool {
	was := p.base.Graph(g.Channel.Name.Value)
	return was == nil || was.Channel != g.Channel
}

// newerChannels returns the channels with a newer head than one.
func (p *planner) newerChannels(pg *graph.PackageGraph, head string) []*graph.Graph {
	return slices.DeleteFunc(slices.Clone(pg.Graphs), func(g *graph.Graph) bool { return !p.older(head, onlyHead(g)) })
}

func (p *planner) isPreRelease(name string) bool {
	v := p.version(name)
	return v != nil && len(v.Pre) > 0
}

// lackEverywhere checks that some channel with a newer head upgrades a head, unless there were such channels and none did.
func (p *planner) lackEverywhere(was *graph.Graph, is string, newer []*graph.Graph) *lack {
	wanted := func(g *graph.Graph) bool { return !p.isPreRelease(onlyHead(g)) || p.isPreRelease(is) } // users of a release want no pre-release
	if !slices.ContainsFunc(newer, wanted) || slices.ContainsFunc(newer, func(g *graph.Graph) bool { return p.upgradesToHead(g, is) }) {
		return nil
	}
	if head := onlyHead(was); head != "" {
		before := p.newerChannels(p.base, head)
		if len(before) > 0 && !slices.ContainsFunc(before, func(g *graph.Graph) bool { return p.upgradesToHead(g, head) }) {
			return nil
		}
	}
	slices.SortStableFunc(newer, func(g, h *graph.Graph) int { // first the requested, then the nearest
		return cmp.Or(find.CompareFirst(p.requestedChannel(g.Channel.Name.Value) != nil, p.requestedChannel(h.Channel.Name.Value) != nil), p.compare(onlyHead(g), onlyHead(h)))
	})
	return p.coverIn(is, "", newer...)
}

// coverIn lets one of some channels upgrade a bundle: the release does if the channel is requested, else an entry, first the one that upgrades
// another one, then the nearest.
func (p *planner) coverIn(name, like string, to ...*graph.Graph) *lack {
	l := &lack{}
	for _, g := range to {
		channel := g.Channel.Name.Value
		if p.requestedChannel(channel) != nil {
			if name != p.request.Name && !p.older(p.request.Name, name) {
				l.options = append(l.options, option{channel: channel, name: name})
			}
			continue
		}
		l.options = append(l.options, p.forwardsIn(g, name, like)...)
	}
	channel := to[0].Channel.Name.Value
	l.refusal = &Refusal{Channel: channel, Constraint: fmt.Sprintf("users who switch from %s to channel %s are never upgraded there", name, channel),
		Change: fmt.Sprintf("let an entry of channel %s replace or skip %s", channel, name)}
	return l
}

// forwardsIn lets each entry of a channel that is upgraded to its head skip a bundle.
func (p *planner) forwardsIn(g *graph.Graph, name, like string) []option {
	if _, has := g.Index(name); has || p.upgradesToHead(g, name) {
		return nil
	}
	by := p.entriesAbove(g, name)
	by = slices.DeleteFunc(by, func(entry string) bool { return !p.upgradesToHead(g, entry) })
	if next, ok := routesV0(g, []graph.InstalledBundle{p.installedBundle(like)}).next[like]; ok && slices.Contains(by, next) {
		by = append([]string{next}, slices.DeleteFunc(by, func(entry string) bool { return entry == next })...)
	}
	var options []option
	for _, entry := range by {
		options = append(options, option{forward: p.skipBy(name, g, entry)})
	}
	return options
}

// entriesAbove returns the entries above a bundle that OLM v0 offers, the lowest first.
func (p *planner) entriesAbove(g *graph.Graph, name string) []string {
	order, _ := g.Order()
	names := slices.DeleteFunc(g.Names(order), func(entry string) bool { return !p.older(name, entry) })
	slices.Reverse(names)
	return names
}

// skipBy lets an entry skip a bundle.
func (p *planner) skipBy(name string, g *graph.Graph, by string) *Edit {
	i, _ := g.Index(by)
	before := entryEdges(&g.Channel.Entries[i])
	after := before
	after.Skips = append(slices.Clone(before.Skips), name)
	return &Edit{Channel: g.Channel.Name.Value, Entry: by, Before: before, After: after}
}

// lackV1 checks a ClusterExtension without channels.
func (p *planner) lackV1(now *graph.PackageGraph) *lack {
	if p.refusal != nil {
		return nil
	}
	if p.v1 == nil {
		p.v1 = routesV1(p.base.Extension(false), p.all)
	}
	release := p.installedBundle(p.request.Name)
	all := append(slices.Clone(p.all), release)
	p.work -= len(all)
	v := &lackingV1{p, now, routesV1(now.Extension(false), all)}
	for _, u := range all {
		next := v.is.next[u.Name]
		switch down := p.older(next, u.Name) && p.v1.next[u.Name] != next; {
		case p.withdrawn(now, next):
			return v.lackFor([]string{u.Name}, "OLM v1 would still upgrade %s to %s", u.Name, next)
		case down:
			return v.lackFor([]string{u.Name}, "OLM v1 would downgrade %s to %s", u.Name, next)
		case p.older(v.is.end(u.Name), p.goalV1(u.Name)):
			return v.lackFrom(u.Name)
		}
	}
	return nil
}

// goalV1 returns the version that a bundle must at least get to.
func (p *planner) goalV1(name string) string {
	goal := p.v1.end(name)
	if name == p.request.Name {
		goal = name
	}
	for _, c := range p.channels {
		switch {
		case c.graph == nil || c.insert: // the entries above an inserted release may end there already
		case name == p.request.Name && p.older(goal, p.v1.end(c.head)):
			goal = p.v1.end(c.head)
		case goal == c.head:
			goal = p.request.Name
		}
	}
	return goal
}

// withdrawn reports whether a bundle is withdrawn from all channels that have it.
func (p *planner) withdrawn(now *graph.PackageGraph, name string) bool {
	return p.bans[name] && !slices.ContainsFunc(now.GraphsContaining(name), func(g *graph.Graph) bool { return p.requestedChannel(g.Channel.Name.Value) == nil })
}

// lackingV1 is a package after edits, with its upgrades under OLM v1.
type lackingV1 struct {
	*planner
	now *graph.PackageGraph
	is  *routes
}

// lackFor lets other upgrades begin at one of some bundles: the release covers it in one of the channels.
func (v *lackingV1) lackFor(names []string, format string, args ...any) *lack {
	l := &lack{refusal: &Refusal{Constraint: fmt.Sprintf(format, args...), Change: "replace and skip older versions only, or change the other entries first"}}
	for _, name := range names {
		if name == v.request.Name || v.is.next[name] == v.request.Name || v.older(v.request.Name, name) {
			continue
		}
		for _, c := range v.channels {
			l.options = append(l.options, option{channel: c.name, name: name})
		}
	}
	return l
}

// lackFrom lets the upgrades of a bundle get further: from one of those that they come to, or from the release in another channel.
func (v *lackingV1) lackFrom(name string) *lack {
	path := v.is.path(name)
	at := slices.Index(path, v.request.Name)
	if at < 0 {
		slices.Reverse(path)
		return v.lackFor(path, "OLM v1 would upgrade %s to a lower version than before", name)
	}
	why := fmt.Sprintf("OLM v1 would upgrade %s to %s, and end at a lower version than before", name, v.request.Name)
	if at == 0 {
		why = fmt.Sprintf("OLM v1 would upgrade %s to a lower version than the earlier heads of its channels", name)
	}
	passed := slices.Clone(path[:at])
	slices.Reverse(passed)
	l := v.lackFor(passed, "%s", why)
	l.refusal.Change = "let a newer entry replace or skip the release"
	l.options = append(v.forwardsV1(name), l.options...)
	return l
}

// forwardsV1 lets another channel upgrade the release at least as far as a bundle must be: first by what that was upgraded to.
func (v *lackingV1) forwardsV1(name string) []option {
	goals, goal := v.v1.path(name), v.goalV1(name)
	for _, c := range v.channels {
		if c.head != "" {
			goals = append(goals, v.v1.path(c.head)...)
		}
	}
	var first, others []option
	for _, g := range v.now.Graphs {
		if v.requestedChannel(g.Channel.Name.Value) != nil {
			continue
		}
		for _, i := range g.Entries() {
			entry := g.Name(i)
			e := entryEdges(&g.Channel.Entries[i])
			if !v.older(v.request.Name, entry) || e.Replaces == v.request.Name || slices.Contains(e.Skips, v.request.Name) || v.older(v.is.end(entry), goal) {
				continue
			}
			o := option{forward: v.skipBy(v.request.Name, g, entry)}
			if slices.Contains(goals, entry) {
				first = append(first, o)
			} else {
				others = append(others, o)
			}
		}
	}
	newestFirst := func(a, b option) int { return v.compare(b.forward.Entry, a.forward.Entry) }
	slices.SortStableFunc(first, newestFirst)
	slices.SortStableFunc(others, newestFirst)
	return append(first, others...)
}
