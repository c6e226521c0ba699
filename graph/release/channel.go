package release

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

// channel is a requested channel as it is before the release.
type channel struct {
	name  string
	graph *graph.Graph // nil if the package does not have it
	// earlier are, for a new channel, those named after lower versions, the lowest first.
	earlier []*graph.Graph
	head    string // "" if it is new
	insert  bool   // the head has a higher version than the release
	users   []graph.InstalledBundle
	v0, v1  *routes
	banned  []string // of its entries
	pruned  []string // of its entries, newest first
	// removals drop the pruned entries.
	removals []Edit
	kept     []*graph.Range // of entries that stay; nil if not known yet
	size     int            // how many entries and names in edges it has
	// ranged is the lowest version of the skipRanges of withdrawn and pruned entries, which the release takes over; nil if there is none.
	ranged *semver.Version
}

func (p *planner) newChannel(name string) *channel {
	c := &channel{name: name, graph: p.base.Graph(name), v0: newRoutes(), v1: newRoutes()}
	if c.graph == nil {
		for _, e := range graph.EarlierChannels(p.base.Package, name) {
			c.earlier = append(c.earlier, p.base.Graph(e.Name.Value))
		}
		return c
	}
	c.users = p.originUsers(p.origins.ForChannel(c.graph))
	if head, ok := c.graph.Head(); ok {
		c.head = c.graph.Name(head)
	}
	for _, i := range c.graph.Entries() {
		c.size += 2 + len(c.graph.Channel.Entries[i].Skips)
	}
	c.insert = p.older(p.request.Name, c.head)
	c.v0 = routesV0(c.graph, c.users)
	c.v1 = routesV1(p.base.Extension(false, c.graph), c.users)
	for _, i := range c.graph.Entries() {
		switch name := c.graph.Name(i); {
		case p.drops[name]:
			c.pruned = append(c.pruned, name)
		case p.bans[name]:
			c.banned = append(c.banned, name)
		}
	}
	slices.SortFunc(c.pruned, func(a, b string) int { return p.compare(b, a) })
	c.removals = p.removals(c)
	for _, name := range slices.Concat(c.banned, c.pruned) {
		p.takeOver(c, name)
	}
	return c
}

// takeOver lets the release take over the skipRange of an entry, unless one that stays covers its versions, or it begins above the release.
func (p *planner) takeOver(c *channel, name string) {
	low := p.lostRangeStart(c, name)
	if low != nil && low.LT(*p.release) && (c.ranged == nil || low.LT(*c.ranged)) {
		c.ranged = low
	}
}

// lostRangeStart returns where the skipRange of a withdrawn or dropped entry begins; nil if it has none, or if it is dropped and an entry that stays
// covers its versions.
func (p *planner) lostRangeStart(c *channel, name string) *semver.Version {
	i, _ := c.graph.Index(name)
	low, ok := c.graph.Range(i).Lowest()
	if !ok || p.drops[name] && p.covers(c, low) && p.version(name) != nil && p.covers(c, *p.version(name)) {
		return nil
	}
	return &low
}

// covers reports whether an entry that stays, and is not skipped, covers a version.
func (p *planner) covers(c *channel, v semver.Version) bool {
	if c.kept == nil {
		c.kept = []*graph.Range{}
		rest, known := p.editedChannel(c.name, c.removals), map[string]bool{}
		for _, i := range rest.Entries() {
			text := rest.Channel.Entries[i].SkipRange.Value
			if r := rest.Range(i); r != nil && !known[text] && !p.bans[rest.Name(i)] && !rest.IsSkipped(rest.Name(i)) {
				known[text] = true
				c.kept = append(c.kept, r)
			}
		}
		slices.Reverse(c.kept) // the newest ones cover the most
	}
	return slices.ContainsFunc(c.kept, func(r *graph.Range) bool { return r.Contains(v) })
}

// plannedHead returns the head that the channel is to have.
func (p *planner) plannedHead(c *channel) string {
	if c.insert {
		return c.head
	}
	return p.request.Name
}

// forbidden returns why there is no plan, whatever the edges; nil if there may be one.
func (p *planner) forbidden() *Refusal {
	for _, c := range p.channels {
		if r := p.forbiddenIn(c); r != nil {
			r.Channel = c.name
			return r
		}
	}
	for _, name := range p.request.Prune {
		if r := p.forbiddenPrune(name); r != nil {
			return r
		}
	}
	for _, name := range p.request.InsteadOf {
		switch {
		case !slices.ContainsFunc(p.channels, func(c *channel) bool { return slices.Contains(c.banned, name) }):
			return &Refusal{Constraint: fmt.Sprintf("none of the channels has %s", name), Change: "name a channel that has it"}
		case !p.older(name, p.request.Name):
			return &Refusal{Constraint: fmt.Sprintf("%s is not older than %s: OLM does not downgrade", name, p.request.Name),
				Change: fmt.Sprintf("release a version higher than %s", p.base.Version(name))}
		}
	}
	return nil
}

// forbiddenPrune returns why an entry cannot be dropped, whatever the edges.
func (p *planner) forbiddenPrune(name string) *Refusal {
	found := false
	for _, c := range p.channels {
		if !slices.Contains(c.pruned, name) {
			continue
		}
		found = true
		if c.insert && name == c.head {
			return &Refusal{Channel: c.name, Constraint: fmt.Sprintf("%s cannot be dropped: it is the head, and newer than the release", name),
				Change: "keep it, or release a higher version"}
		}
		if low := p.lostRangeStart(c, name); low != nil && low.GE(*p.release) {
			return &Refusal{Channel: c.name, Constraint: fmt.Sprintf("%s cannot be dropped: only its skipRange covers versions from %s on, and the release is older", name, low),
				Change: "keep it, or let another entry cover them"}
		}
	}
	if !found {
		return &Refusal{Constraint: fmt.Sprintf("none of the channels has %s", name), Change: "name a channel that has it"}
	}
	return nil
}

func (p *planner) forbiddenIn(c *channel) *Refusal {
	if c.graph == nil {
		return nil
	}
	if r := refuseBroken(c.graph); r != nil {
		return r
	}
	for _, i := range c.graph.Entries() {
		e := &c.graph.Channel.Entries[i]
		switch v := p.version(e.Name.Value); {
		case e.Name.Value == p.request.Name:
			change := "name a channel that does not have it"
			if !slices.ContainsFunc(p.base.Graphs, func(g *graph.Graph) bool { _, has := g.Index(p.request.Name); return !has }) {
				change = "release another version: all channels have it"
			}
			return &Refusal{Constraint: fmt.Sprintf("the channel has %s already", p.request.Name), Change: change}
		case v != nil && v.EQ(*p.release):
			return &Refusal{Constraint: fmt.Sprintf("the channel has %s, of the same version %s", e.Name.Value, v), Change: "release a higher version"}
		case slices.ContainsFunc(entryEdges(e).Skips, func(name string) bool { return name == p.request.Name }):
			return &Refusal{Constraint: fmt.Sprintf("%s skips %s: OLM v0 never offers it", e.Name.Value, p.request.Name),
				Change: fmt.Sprintf("remove %s from the skips of %s", p.request.Name, e.Name.Value)}
		}
	}
	return nil
}

// refuseBroken returns why OLM v0 cannot order a channel as it is. Entries that are only off the path of replaces can be skipped.
func refuseBroken(g *graph.Graph) *Refusal {
	fix := "fix that first: olmgraph lint says how"
	if _, err := g.Order(); err != nil {
		return &Refusal{Constraint: fmt.Sprintf("opm and OLM v0 reject the channel as it is: %v", err), Change: fix}
	}
	if g.Chain().Cycle != nil {
		return &Refusal{Constraint: "opm rejects the channel as it is: replaces forms a cycle", Change: fix}
	}
	return nil
}

// olderHeads returns the heads of other channels that the release may replace in a new one, so that users who switch to it are upgraded: those of
// channels named after lower versions, of all channels if there are no such, and pre-releases only if there is nothing else. There are none if a head is
// newer, which users should get to, or if the release is a pre-release, to which OLM v1 would upgrade users who name no channel.
func (p *planner) olderHeads(c *channel) []string {
	if len(p.release.Pre) > 0 || len(p.newerChannels(p.base, p.request.Name)) > 0 {
		return nil
	}
	var heads []string
	from := c.earlier
	if len(from) == 0 {
		from = p.base.Graphs
	}
	for _, g := range from {
		if head := onlyHead(g); head != "" && head != p.request.Name {
			heads = append(heads, head)
		}
	}
	if released := slices.DeleteFunc(slices.Clone(heads), p.isPreRelease); len(released) > 0 {
		return released
	}
	return heads
}
