package release

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

// channel is a requested channel as it is before the release.
type channel struct {
	name   string
	graph  *graph.Graph // nil if the package does not have it
	head   string       // "" if it is new
	insert bool         // the head has a higher version than the release
	users  []graph.InstalledBundle
	v0, v1 *routes
	banned []string // of its entries
	// ranged is the lowest version of the skipRanges of withdrawn entries, which the release takes over; nil if there is none.
	ranged *semver.Version
}

func (p *planner) newChannel(name string) *channel {
	c := &channel{name: name, graph: p.base.Graph(name), v0: newRoutes(), v1: newRoutes()}
	if c.graph == nil {
		return c
	}
	c.users = p.usersOf(c.graph)
	if head, ok := c.graph.Head(); ok {
		c.head = c.graph.Name(head)
	}
	c.insert = p.older(p.request.Name, c.head)
	c.v0 = routesV0(c.graph, c.users)
	c.v1 = routesV1(p.base.Extension(false, c.graph), c.users)
	for _, i := range c.graph.Entries() {
		if !p.bans[c.graph.Name(i)] {
			continue
		}
		c.banned = append(c.banned, c.graph.Name(i))
		if r, err := graph.ParseRange(c.graph.Channel.Entries[i].SkipRange.Value); err == nil {
			if low, ok := r.Lowest(); ok && (c.ranged == nil || low.LT(*c.ranged)) {
				c.ranged = &low
			}
		}
	}
	return c
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
			return &Refusal{Constraint: fmt.Sprintf("the channel has %s already", p.request.Name), Change: "name a channel that does not have it"}
		case v != nil && v.EQ(*p.release):
			return &Refusal{Constraint: fmt.Sprintf("the channel has %s, of the same version %s", e.Name.Value, v), Change: "release a higher version"}
		case slices.ContainsFunc(edgesOf(e).Skips, func(name string) bool { return name == p.request.Name }):
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
		return &Refusal{Constraint: "opm rejects the channel as it is: replaces runs in a loop", Change: fix}
	}
	return nil
}

// place is where the release may be put: what replaces it, if another entry is to, and what it replaces.
type place struct {
	above    string // "" if no other entry is to be changed
	replaces string // "" for none
	least    int    // how many names it must skip at least
}

// places returns all places, those with the fewest skips first, and of these the highest. extra are further names that it may replace.
func (p *planner) places(c *channel, extra []string) []place {
	names := []string{""}
	for _, u := range c.users {
		names = append(names, u.Name)
	}
	for _, name := range extra {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return p.older(p.request.Name, name) })
	slices.SortStableFunc(names, func(a, b string) int { return p.compare(b, a) })
	if !c.insert {
		return placesAt(p, c, "", -1, names)
	}
	var all []place
	if slices.ContainsFunc(c.users, func(u graph.InstalledBundle) bool { return u.Name == p.request.Name }) {
		all = placesAt(p, c, "", -1, names) // an entry replaces it already
	}
	at := 0
	for i, ok := c.graph.Head(); ok && at < len(c.graph.Channel.Entries); at++ {
		if name := c.graph.Name(i); p.older(p.request.Name, name) || p.version(name) == nil {
			all = append(all, placesAt(p, c, name, at, names)...)
		}
		i, ok = c.graph.Index(c.graph.Channel.Entries[i].Replaces.Value)
	}
	slices.SortStableFunc(all, func(a, b place) int { return a.least - b.least })
	return all
}

// placesAt returns the places below one entry, which is at a place of the walk from the head.
func placesAt(p *planner, c *channel, above string, at int, names []string) []place {
	var all []place
	between := c.offeredBetween(at)
	for _, name := range names {
		all = append(all, place{above, name, between(name)})
	}
	slices.SortStableFunc(all, func(a, b place) int { return a.least - b.least })
	return all
}

// offeredBetween returns a function that counts the entries that OLM v0 offers between a place of the walk from the head and what the walk
// from an entry meets of it: opm rejects the channel if the release, at that place, replaces that entry and does not skip these.
func (c *channel) offeredBetween(from int) func(name string) int {
	if c.graph == nil {
		return func(string) int { return 0 }
	}
	at, count := map[string]int{}, []int{0} // count of the offered ones above each place
	next := func(i int) (int, bool) { return c.graph.Index(c.graph.Channel.Entries[i].Replaces.Value) }
	for i, ok := c.graph.Head(); ok && len(at) < len(c.graph.Channel.Entries); i, ok = next(i) {
		at[c.graph.Name(i)] = len(count) - 1
		offered := 0
		if c.graph.Offers(i) {
			offered = 1
		}
		count = append(count, count[len(count)-1]+offered)
	}
	return func(name string) int {
		i, ok := c.graph.Index(name)
		for steps := 0; ok && steps < len(c.graph.Channel.Entries); steps++ {
			if place, on := at[c.graph.Name(i)]; on {
				return max(0, count[place]-count[from+1])
			}
			i, ok = next(i)
		}
		return count[len(count)-1] - count[from+1]
	}
}
