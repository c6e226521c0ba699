package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
)

// needs are what the release must also upgrade, by channel, and edits of channels that were not requested.
type needs struct {
	extra   map[string][]string
	forward []Edit
}

// with returns the needs with a further name in a channel.
func (n needs) with(channel, name string) needs {
	extra := map[string][]string{}
	for c, names := range n.extra {
		extra[c] = names
	}
	extra[channel] = append(slices.Clone(extra[channel]), name)
	return needs{extra, n.forward}
}

// maxNeeds bounds how many needs are met one after the other.
const maxNeeds = 40

// solve returns the best edits of all channels with which some needs are met, and what else the package needs.
func (p *planner) solve(n needs, depth int) (*solution, *Refusal) {
	total := &solution{}
	for _, c := range p.channels {
		s, refusal := p.solved1(c, n.extra[c.name])
		if refusal != nil {
			return nil, refusal
		}
		total = &solution{slices.Concat(total.edits, s.edits), total.plus(&s.cost)}
	}
	for i := range n.forward {
		total.edits = append(total.edits, n.forward[i])
		total.cost.edits++
		total.skips++
	}
	lack := p.lack(p.apply(total.edits))
	if lack == nil {
		return total, nil
	}
	if lack.refusal != nil {
		return nil, lack.refusal
	}
	if depth > maxNeeds {
		return nil, &Refusal{Constraint: "the release needs more edits in other channels than olmgraph tries", Change: "plan it for one channel at a time"}
	}
	if lack.forward != nil {
		n.forward = append(slices.Clone(n.forward), *lack.forward)
		return p.solve(n, depth+1)
	}
	return p.solveOneOf(n, lack, depth)
}

// solveOneOf meets a need in the channel where that costs least.
func (p *planner) solveOneOf(n needs, l *lack, depth int) (*solution, *Refusal) {
	var best *solution
	var why *Refusal
	for _, channel := range l.channels {
		if slices.Contains(n.extra[channel], l.name) {
			continue
		}
		s, refusal := p.solve(n.with(channel, l.name), depth+1)
		if refusal != nil && why == nil {
			why = refusal
		}
		if s != nil && (best == nil || s.cost.compare(&best.cost) < 0) {
			best = s
		}
	}
	switch {
	case best != nil:
		return best, nil
	case why == nil:
		why = &Refusal{Constraint: fmt.Sprintf("%s cannot be upgraded from %s", l.name, strings.Join(l.channels, ", ")), Change: "change the other entries first"}
	}
	return nil, why
}

// solved1 is solveChannel, remembered.
func (p *planner) solved1(c *channel, extra []string) (*solution, *Refusal) {
	key := strings.Join(append([]string{c.name}, extra...), "\x00")
	if s := p.solved[key]; s != nil {
		return s, nil
	}
	s, refusal := p.solveChannel(c, extra)
	if s != nil {
		p.solved[key] = s
	}
	return s, refusal
}

// lack is something that a package needs after edits.
type lack struct {
	name     string   // that the release must upgrade
	channels []string // in one of these
	forward  *Edit    // or this edit of a channel that was not requested
	refusal  *Refusal // or there is no help
}

// lack returns the first thing that a package lacks after edits, nil if there is none.
func (p *planner) lack(now *graph.PackageGraph) *lack {
	if l := p.lackAfterSwitch(now); l != nil {
		return l
	}
	return p.lackV1(now)
}

// requested returns the requested channel of that name, or nil.
func (p *planner) requested(name string) *channel {
	if i := slices.IndexFunc(p.channels, func(c *channel) bool { return c.name == name }); i >= 0 {
		return p.channels[i]
	}
	return nil
}

// headOf returns the only head of a channel that OLM v0 can order, or "".
func headOf(g *graph.Graph) string {
	if g == nil {
		return ""
	}
	order, err := g.Order()
	if err != nil {
		return ""
	}
	return g.Name(order[0])
}

// takes reports whether a channel upgrades a bundle to its head after the subscription is switched to it.
func (p *planner) takes(g *graph.Graph, name string) bool {
	head := headOf(g)
	if head == "" || name == head {
		return head != ""
	}
	in := p.installed(name)
	return routesV0(g, []graph.InstalledBundle{in}).end(name) == head
}

// lackAfterSwitch checks switches to channels with a newer head: the head of a channel must be upgraded there if it was before, and in
// one of them unless it was in none before.
func (p *planner) lackAfterSwitch(now *graph.PackageGraph) *lack {
	for _, from := range now.Graphs {
		was, is := p.base.Graph(from.Channel.Name.Value), headOf(from)
		if is == "" {
			continue
		}
		newer := p.newerChannels(now, is)
		if !slices.ContainsFunc(newer, p.isChanged) && headOf(was) == is {
			continue
		}
		for _, to := range newer {
			if p.takes(to, is) || was == nil || headOf(was) == "" || !p.takes(p.base.Graph(to.Channel.Name.Value), headOf(was)) {
				continue
			}
			return p.cover(is, to, headOf(was))
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

func (p *planner) newerChannels(a *graph.PackageGraph, head string) []*graph.Graph {
	return slices.DeleteFunc(slices.Clone(a.Graphs), func(g *graph.Graph) bool { return !p.older(head, headOf(g)) })
}

// lackEverywhere checks that some channel with a newer head upgrades a head, unless there were such channels and none did.
func (p *planner) lackEverywhere(was *graph.Graph, is string, newer []*graph.Graph) *lack {
	if len(newer) == 0 || slices.ContainsFunc(newer, func(g *graph.Graph) bool { return p.takes(g, is) }) {
		return nil
	}
	if head := headOf(was); head != "" {
		before := p.newerChannels(p.base, head)
		if len(before) > 0 && !slices.ContainsFunc(before, func(g *graph.Graph) bool { return p.takes(g, head) }) {
			return nil
		}
	}
	l := &lack{name: is}
	for _, g := range newer {
		if c := p.requested(g.Channel.Name.Value); c != nil && !c.insert && is != p.request.Name {
			l.channels = append(l.channels, c.name)
		}
	}
	if l.channels != nil {
		return l
	}
	nearest := slices.MinFunc(newer, func(g, h *graph.Graph) int { return p.compare(headOf(g), headOf(h)) })
	return p.cover(is, nearest, "")
}

// cover lets a channel upgrade a bundle: the release does if the channel is requested, else the entry that upgrades an older one, or the
// lowest that is newer.
func (p *planner) cover(name string, to *graph.Graph, like string) *lack {
	channel := to.Channel.Name.Value
	if c := p.requested(channel); c != nil {
		return &lack{name: name, channels: []string{channel}}
	}
	by := p.lowestAbove(to, name)
	if next, ok := routesV0(to, []graph.InstalledBundle{p.installed(like)}).next[like]; ok && p.older(name, next) {
		by = next
	}
	if _, has := to.Index(name); by == "" || has || p.takes(to, name) {
		return &lack{refusal: &Refusal{Channel: channel, Constraint: fmt.Sprintf("users who switch from %s to channel %s are never upgraded there", name, channel),
			Change: fmt.Sprintf("let an entry of channel %s replace or skip %s", channel, name)}}
	}
	i, _ := to.Index(by)
	before := edgesOf(&to.Channel.Entries[i])
	after := before
	after.Skips = append(slices.Clone(before.Skips), name)
	return &lack{forward: &Edit{Channel: channel, Entry: by, Before: before, After: after}}
}

// lowestAbove returns the lowest entry above a bundle that OLM v0 offers; "" if there is none.
func (p *planner) lowestAbove(g *graph.Graph, name string) string {
	order, _ := g.Order()
	for _, i := range slices.Backward(order) {
		if p.older(name, g.Name(i)) {
			return g.Name(i)
		}
	}
	return ""
}

// lackV1 checks a ClusterExtension without channels.
func (p *planner) lackV1(now *graph.PackageGraph) *lack {
	if p.refusal != nil {
		return nil
	}
	if p.v1 == nil {
		p.v1 = routesV1(p.base.Extension(false), p.all)
	}
	release := p.installed(p.request.Name)
	all := append(slices.Clone(p.all), release)
	p.work -= len(all)
	is := routesV1(now.Extension(false), all)
	for _, u := range all {
		next := is.next[u.Name]
		down := p.older(next, u.Name) && p.v1.next[u.Name] != next
		switch goal := p.goalV1(u.Name); {
		case p.withdrawn(now, next):
			return p.lackAt(u.Name)
		case down && next == p.request.Name:
			return &lack{refusal: &Refusal{Constraint: fmt.Sprintf("OLM v1 would downgrade %s to %s", u.Name, next), Change: "replace and skip older versions only"}}
		case down:
			return p.lackAt(u.Name)
		case goal != "" && p.older(is.end(u.Name), goal):
			return p.lackFrom(u.Name, is, now)
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
	return p.bans[name] && !slices.ContainsFunc(now.Containing(name), func(g *graph.Graph) bool { return p.requested(g.Channel.Name.Value) == nil })
}

// lackAt lets the release upgrade a bundle in one of its channels.
func (p *planner) lackAt(name string) *lack {
	l := &lack{name: name}
	for _, c := range p.channels {
		l.channels = append(l.channels, c.name)
	}
	return l
}

// lackFrom lets the release upgrade the end of some upgrades, or, if they come to the release, another channel the release.
func (p *planner) lackFrom(name string, is *routes, now *graph.PackageGraph) *lack {
	path := is.path(name)
	if !slices.Contains(path, p.request.Name) {
		return p.lackAt(is.end(name))
	}
	goals := p.v1.path(name)
	for _, c := range p.channels {
		if c.head != "" {
			goals = append(goals, p.v1.path(c.head)...)
		}
	}
	slices.SortStableFunc(goals, func(a, b string) int { return p.compare(b, a) }) // the newest one is the furthest
	for _, goal := range goals {
		for _, g := range p.base.Containing(goal) {
			if p.requested(g.Channel.Name.Value) != nil || !p.older(p.request.Name, goal) {
				continue
			}
			if l := p.coverBy(p.request.Name, now.Graph(g.Channel.Name.Value), goal); l != nil {
				return l
			}
		}
	}
	why := fmt.Sprintf("OLM v1 would upgrade %s to %s, and less far than before", name, p.request.Name)
	if name == p.request.Name {
		why = fmt.Sprintf("OLM v1 would upgrade %s less far than the heads of its channels before", name)
	}
	return &lack{refusal: &Refusal{Constraint: why, Change: "let a newer entry replace or skip the release"}}
}

// coverBy lets an entry skip a bundle; nil if it does.
func (p *planner) coverBy(name string, g *graph.Graph, by string) *lack {
	i, _ := g.Index(by)
	before := edgesOf(&g.Channel.Entries[i])
	if before.Replaces == name || slices.Contains(before.Skips, name) {
		return nil
	}
	after := before
	after.Skips = append(slices.Clone(before.Skips), name)
	return &lack{forward: &Edit{Channel: g.Channel.Name.Value, Entry: by, Before: before, After: after}}
}
