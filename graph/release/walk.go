package release

import (
	"slices"
	"sort"

	"github.com/olmgraph/olmgraph/graph"
)

// variant is a channel in which other entries replace what is below withdrawn and dropped ones, so that the path of replaces does not end there.
type variant struct {
	bridges []Edit       // entries that replace and skip otherwise
	names   int          // what these cost
	head    string       // of the channel before
	rest    *graph.Graph // with the bridges, without the dropped entries, and without the release; nil if the channel is new
}

func (v *variant) bridged(entry string) bool {
	return slices.ContainsFunc(v.bridges, func(e Edit) bool { return e.Entry == entry })
}

// maxBridges bounds the number of stretches of withdrawn and dropped entries of which all combinations are tried.
const maxBridges = 4

// addVariants sets the variants of a channel, the one without bridges first.
func (p *planner) addVariants(c *channel) {
	c.variants = nil
	bridges := p.bridges(c)
	if len(bridges) > maxBridges {
		p.cut = true
		bridges = bridges[:maxBridges]
	}
	for subset := range 1 << len(bridges) {
		v := &variant{head: c.head}
		for i := range bridges {
			if subset>>i&1 == 1 {
				v.bridges = append(v.bridges, bridges[i])
				v.names += p.weights.change + len(bridges[i].After.Skips) - len(bridges[i].Before.Skips)
			}
		}
		v.rest = p.changed(c.name, append(slices.Clone(v.bridges), c.removals...))
		c.variants = append(c.variants, v)
	}
	slices.SortStableFunc(c.variants, func(a, b *variant) int { return a.names - b.names })
}

// bridges returns, for each stretch of withdrawn and dropped entries on the path of replaces, the edit of the entry above it: it replaces what
// the last one of them replaces, and skips them.
func (p *planner) bridges(c *channel) []Edit {
	var all []Edit
	var above string
	var stretch []string
	steps := 0
	i, ok := c.graph.Head()
	for ; ok && steps < len(c.graph.Channel.Entries); i, ok = c.graph.Index(c.graph.Channel.Entries[i].Replaces.Value) {
		steps++
		name := c.graph.Name(i)
		if p.bans[name] || p.drops[name] {
			stretch = append(stretch, name)
			continue
		}
		if above != "" && len(stretch) > 0 {
			if e := p.bridge(c, above, name, stretch); !slices.Contains(e.After.Skips, name) {
				all = append(all, e)
			}
		}
		above, stretch = name, nil
	}
	return all
}

// manySkips are more than an entry should skip instead of others.
const manySkips = 10

// bridge lets an entry replace another one, and skip those between. More than a few that are dropped are left to the release, which may cover
// them with a skipRange.
func (p *planner) bridge(c *channel, above, below string, between []string) Edit {
	i, _ := c.graph.Index(above)
	before := edgesOf(&c.graph.Channel.Entries[i])
	after := Edges{Replaces: below, Skips: slices.Clone(before.Skips), SkipRange: before.SkipRange}
	for _, name := range slices.Backward(between) {
		if !slices.Contains(after.Skips, name) && (len(between) <= manySkips || p.bans[name]) {
			after.Skips = append(after.Skips, name)
		}
	}
	return Edit{Channel: c.name, Entry: above, Before: before, After: after}
}

// walk is the walk along replaces from the head of a channel, after entries are dropped.
type walk struct {
	*variant
	names   []string
	chained int            // so many of these opm reaches, which stops at a skipped name
	place   map[string]int // of each name that was asked: where it is on the walk, or what it replaces is
	offered []int          // how many that OLM v0 offers are above each place, and at last in all
	orphans int            // entries that are neither on the walk nor skipped
	banned  []int          // how many of these are withdrawn
}

func (p *planner) walk(c *variant) *walk {
	w := &walk{variant: c, place: map[string]int{}, offered: []int{0}, banned: []int{0}}
	if c.rest == nil {
		return w
	}
	for i, ok := c.rest.Index(c.head); ok && w.place[c.rest.Name(i)] == 0 && len(w.names) < len(c.rest.Channel.Entries); i, ok = c.replaced(i) {
		name, offers := c.rest.Name(i), boolToInt(!c.rest.Skipped(c.rest.Name(i)))
		w.place[name] = len(w.names)
		w.offered = append(w.offered, w.offered[len(w.names)]+offers)
		w.banned = append(w.banned, w.banned[len(w.names)]+offers*boolToInt(p.bans[name]))
		if w.chained == len(w.names) && (w.chained == 0 || !c.rest.Skipped(name)) {
			w.chained++
		}
		w.names = append(w.names, name)
	}
	for _, i := range c.rest.Entries() {
		if _, on := w.place[c.rest.Name(i)]; !on && !c.rest.Skipped(c.rest.Name(i)) {
			w.orphans++
		}
	}
	return w
}

// replaced returns the entry that an entry replaces.
func (c *variant) replaced(i int) (int, bool) {
	return c.rest.Index(c.rest.Channel.Entries[i].Replaces.Value)
}

// placeOf returns where the walk from an entry comes to the one from the head, or the end of that.
func (w *walk) placeOf(name string) int {
	if at, known := w.place[name]; known || w.rest == nil {
		return at
	}
	at := len(w.names)
	i, ok := w.rest.Index(name)
	if w.rest.Skipped(name) { // opm stops there
		ok = false
	}
	for steps := 0; ok && steps < len(w.rest.Channel.Entries); steps++ {
		if on, met := w.place[w.rest.Name(i)]; met {
			at = on
			break
		}
		i, ok = w.replaced(i)
	}
	w.place[name] = at
	return at
}

// skipped counts the entries that a release must skip at least at a place of the walk, -1 for its begin, where it replaces an entry: opm
// rejects the channel unless it skips those between that OLM v0 offers, and those below one that is skipped because it is withdrawn.
func (w *walk) skipped(from int, name string) int {
	to, end := w.placeOf(name), len(w.names)
	all := w.banned[min(from+1, end)] + w.between(from, name)
	if _, has := w.entry(name); !has || to < end && w.names[to] == name {
		all += w.orphans
	}
	if below := sort.SearchInts(w.banned, w.banned[to]+1); below <= end { // the first one there is at below-1
		all += w.offered[end] - w.offered[below-1]
	}
	return all
}

func (w *walk) entry(name string) (int, bool) {
	if w.rest == nil {
		return 0, false
	}
	return w.rest.Index(name)
}

// between counts those that OLM v0 offers between a place and what an entry comes to.
func (w *walk) between(from int, name string) int {
	return max(0, w.offered[w.placeOf(name)]-w.offered[from+1])
}
