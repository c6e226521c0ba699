package release

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// Improvement is a better choice of the edges of a release that is written already: a safer one, or a smaller one.
type Improvement struct {
	Release string
	Channel string // where the better edges are better
	Written Edges
	Better  Edges
	// Safer: the release skips entries that OLM v0 offered, and does not take over all that they upgraded.
	Hidden   []string // these entries, oldest first
	Lost     []string // what was upgraded to the head before and is not any more, of the names that are no entries; oldest first
	LostFrom string   // the version from which on a skipRange of theirs covered versions, and none does any more; or ""
	// Smaller: what it skips although its skipRange covers it, and others skip it. Without these skips nothing is different for anybody.
	Needless []string
}

// Review compares the newest release of a package with what Of says of the package without it. It returns the first channel where it should
// have other edges, nil if there is none. Of a channel that the plan would edit elsewhere too it says nothing.
func Review(a *graph.PackageGraph) *Improvement {
	for _, g := range newestHeads(a) {
		if found := review(a, g); found != nil {
			return found
		}
	}
	return nil
}

// newestHeads returns the channels with the newest head of all.
func newestHeads(a *graph.PackageGraph) []*graph.Graph {
	version := func(g *graph.Graph) *semver.Version {
		i, _ := g.Head()
		return g.Version(i)
	}
	heads := slices.DeleteFunc(slices.Clone(a.Graphs), func(g *graph.Graph) bool { _, ok := g.Head(); return !ok || version(g) == nil })
	if len(heads) == 0 {
		return nil
	}
	newest := slices.MaxFunc(heads, func(g, h *graph.Graph) int { return version(g).Compare(*version(h)) })
	i, _ := newest.Head()
	return slices.DeleteFunc(heads, func(g *graph.Graph) bool { return !g.IsHead(newest.Name(i)) })
}

// review compares the head of one channel.
func review(a *graph.PackageGraph, g *graph.Graph) *Improvement {
	i, _ := g.Head()
	written := edgesOf(&g.Channel.Entries[i])
	if len(written.Skips) == 0 {
		return nil
	}
	out := &Improvement{Release: g.Name(i), Channel: g.Channel.Name.Value, Written: written}
	if out.safer(a, g) {
		return out
	}
	if out.Needless = needless(a, g, i); len(out.Needless) == 0 {
		return nil
	}
	out.Better = written
	out.Better.Skips = slices.DeleteFunc(slices.Clone(written.Skips), func(name string) bool { return slices.Contains(out.Needless, name) })
	if out.Better.Replaces == "" && len(out.Better.Skips) == 0 { // it must name something: see graph/skip-range-only
		return nil
	}
	return out
}

// safer finds what the release does not take over of the entries that it hides, and how it can.
func (m *Improvement) safer(a *graph.PackageGraph, now *graph.Graph) bool {
	was := without(a, m.Channel, m.Release)
	before := was.Graph(m.Channel)
	if _, err := before.Order(); err != nil || a.Version(m.Release) == "" {
		return false
	}
	for _, name := range m.Written.Skips {
		if i, has := before.Index(name); has && before.Offers(i) {
			m.Hidden = append(m.Hidden, name)
		}
	}
	if len(m.Hidden) == 0 {
		return false
	}
	p, refusal := newPlanner(was, Request{Name: m.Release, Version: a.Version(m.Release), Channels: []string{m.Channel}, InsteadOf: m.Hidden}, usual())
	if refusal != nil {
		return false
	}
	slices.SortFunc(m.Hidden, p.compare)
	m.findLost(p.channels[0], now)
	m.findLostFrom(p, now)
	if len(m.Lost) == 0 && m.LostFrom == "" {
		return false
	}
	plan := Of(was, p.request)
	if plan.Refusal != nil || len(plan.Edits) != 1 {
		return false
	}
	m.Better = plan.Edits[0].After
	return true
}

// findLost finds the names that are no entries and were upgraded to the head.
func (m *Improvement) findLost(c *channel, now *graph.Graph) {
	is := routesV0(now, c.users)
	for _, u := range c.users {
		if _, has := now.Index(u.Name); !has && c.v0.end(u.Name) == c.head && is.end(u.Name) != m.Release {
			m.Lost = append(m.Lost, u.Name)
		}
	}
}

// findLostFrom finds where the skipRanges of hidden entries begin, if no entry that OLM v0 offers covers that.
func (m *Improvement) findLostFrom(p *planner, now *graph.Graph) {
	order, _ := now.Order()
	for _, name := range m.Hidden {
		low := p.rangeLost(p.channels[0], name)
		covered := low == nil || slices.ContainsFunc(order, func(i int) bool {
			r, err := graph.ParseRange(now.Channel.Entries[i].SkipRange.Value)
			return err == nil && r.Contains(*low)
		})
		if !covered {
			m.LostFrom = low.String()
			return
		}
	}
}

// needless returns the skips of an entry that its skipRange covers too, and that others which OLM v0 offers skip as well: so they hide nothing,
// and no upgrade depends on the skipRange alone.
func needless(a *graph.PackageGraph, g *graph.Graph, head int) []string {
	e := &g.Channel.Entries[head]
	r, err := graph.ParseRange(e.SkipRange.Value)
	if err != nil {
		return nil
	}
	others := map[string]bool{}
	order, _ := g.Order()
	for _, i := range order {
		for _, skip := range g.Channel.Entries[i].Skips {
			others[skip.Value] = others[skip.Value] || i != head
		}
	}
	p := &planner{base: a, versions: map[string]*semver.Version{}}
	var names []string
	for _, skip := range e.Skips {
		if v := p.version(skip.Value); v != nil && r.Contains(*v) && others[skip.Value] {
			names = append(names, skip.Value)
		}
	}
	slices.SortFunc(names, p.compare)
	return names
}

// without returns a package without an entry of a channel.
func without(a *graph.PackageGraph, channel, entry string) *graph.PackageGraph {
	var channels []*catalogs.Channel
	for _, g := range a.Graphs {
		c := *g.Channel
		if c.Name.Value == channel {
			c.Entries = slices.DeleteFunc(slices.Clone(c.Entries), func(e catalogs.Entry) bool { return e.Name.Value == entry })
		}
		channels = append(channels, &c)
	}
	return graph.OfPackage(a.Package.With(channels, a.Package.Bundles))
}
