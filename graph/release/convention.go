package release

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// convention is how the entries of a channel are written: where each of its edges comes from, as indices of replacing, skipping and beginning.
type convention struct{ replaces, skips, low int }

// written is an entry of a channel as a convention sees it.
type written struct {
	name    string
	version *semver.Version
	edges   Edges
	low     *semver.Version // nil without a skipRange
}

// before are the entries before one of a version, oldest first.
type before struct {
	version  *semver.Version
	all      []written
	replaced int // the one that it replaces, -1 if that is none of them
}

func (b *before) last() *written { return &b.all[len(b.all)-1] }

// isEarlier reports whether an entry is of an earlier minor version.
func (b *before) isEarlier(o written) bool {
	v := b.version
	return o.version.Major < v.Major || o.version.Major == v.Major && o.version.Minor < v.Minor
}

// namesFrom returns the names of the entries from one on.
func (b *before) namesFrom(first int) []string {
	return words.Map(b.all[first:], func(o written) string { return o.name })
}

// replacing returns what an entry replaces: nothing, the entry before it, what that replaces, or the newest entry of an earlier minor version.
var replacing = []func(b *before) string{
	func(*before) string { return "" },
	func(b *before) string { return b.last().name },
	func(b *before) string { return b.last().edges.Replaces },
	func(b *before) string {
		for _, o := range slices.Backward(b.all) {
			if b.isEarlier(o) {
				return o.name
			}
		}
		return ""
	},
}

// skipping returns what an entry skips: nothing, the entry before it, the same as that, both, what is of its own minor version, of which there may
// be none, or all after what it replaces.
var skipping = []func(b *before) []string{
	func(*before) []string { return nil },
	func(b *before) []string { return []string{b.last().name} },
	func(b *before) []string { return b.last().edges.Skips },
	func(b *before) []string { return append(slices.Clone(b.last().edges.Skips), b.last().name) },
	func(b *before) []string {
		own := slices.DeleteFunc(slices.Clone(b.all), b.isEarlier)
		return (&before{all: own}).namesFrom(0)
	},
	func(b *before) []string { return b.namesFrom(b.replaced + 1) },
}

// skipsMinor is the index of what is of its own minor version.
const skipsMinor = 4

// beginning returns where the skipRange of an entry begins: there is none, where that of the entry before it does, at the version of that, at the
// minor version of the entry, at as many minor versions before that as that of the entry before it does, or at the version that it replaces.
var beginning = []func(b *before) *semver.Version{
	func(*before) *semver.Version { return nil },
	func(b *before) *semver.Version { return b.last().low },
	func(b *before) *semver.Version { return b.last().version },
	func(b *before) *semver.Version {
		return &semver.Version{Major: b.version.Major, Minor: b.version.Minor}
	},
	func(b *before) *semver.Version {
		v, last, low := b.version, b.last().version, b.last().low
		if low == nil || low.Major != last.Major || v.Major != last.Major || last.Minor-low.Minor > v.Minor {
			return nil
		}
		return &semver.Version{Major: v.Major, Minor: v.Minor - (last.Minor - low.Minor)}
	},
	func(b *before) *semver.Version {
		if b.replaced < 0 {
			return nil
		}
		return b.all[b.replaced].version
	},
}

// predict returns the edges of an entry by a convention, given the entries before it, oldest first; false if the convention says nothing there.
func (k convention) predict(name string, v *semver.Version, all []written) (w written, ok bool) {
	b := &before{version: v, all: all}
	w = written{name: name, version: v}
	w.edges.Replaces = replacing[k.replaces](b)
	b.replaced = slices.IndexFunc(all, func(o written) bool { return o.name == w.edges.Replaces })
	w.edges.Skips = slices.DeleteFunc(slices.Clone(skipping[k.skips](b)), func(s string) bool { return s == w.edges.Replaces })
	w.low = beginning[k.low](b)
	return w, (k.replaces == 0 || w.edges.Replaces != "") && (k.skips == 0 || k.skips == skipsMinor || len(w.edges.Skips) > 0) &&
		(k.low == 0 || w.low != nil && w.low.LT(*v))
}

// equal reports whether an entry is written like another one.
func (w *written) equal(o *written) bool {
	a, b := slices.Sorted(slices.Values(w.edges.Skips)), slices.Sorted(slices.Values(o.edges.Skips))
	return w.edges.Replaces == o.edges.Replaces && slices.Equal(a, b) && (w.low == nil) == (o.low == nil) && (w.low == nil || w.low.EQ(*o.low))
}

// maxHistory is how many entries of a channel a convention is learned from, the newest ones: the newest counts as much as the others together.
const maxHistory = 6

// learnConvention returns the convention that most of the newest entries of channels follow; false if none does for half of them.
func learnConvention(channels ...[]written) (best convention, ok bool) {
	most, total := 0, 0
	for i := range len(replacing) * len(skipping) * len(beginning) {
		k := convention{i / len(beginning) / len(skipping), i / len(beginning) % len(skipping), i % len(beginning)}
		points := 0
		total = 0
		for _, all := range channels {
			points, total = points+k.points(all), total+2*min(maxHistory, max(0, len(all)-1))
		}
		if points > most {
			best, most = k, points
		}
	}
	return best, most > 0 && 2*most >= total
}

// points counts the newest entries that follow a convention.
func (k convention) points(all []written) int {
	points := 0
	for back := 1; back < len(all) && back <= maxHistory; back++ {
		at, weight := len(all)-back, 1
		if back == 1 {
			weight = 1 + min(maxHistory, len(all)-1)
		}
		if w, ok := k.predict(all[at].name, all[at].version, all[:at]); ok && w.equal(&all[at]) {
			points += weight
		}
	}
	return points
}

// history returns the entries of channels with a version, oldest first. One that several have is written as in the last.
func (p *planner) history(channels ...*graph.Graph) []written {
	var all []written
	known := map[string]bool{}
	for _, g := range slices.Backward(channels) {
		for _, i := range g.Entries() {
			e := &g.Channel.Entries[i]
			v := p.version(e.Name.Value)
			if v == nil || known[e.Name.Value] {
				continue
			}
			known[e.Name.Value] = true
			w := written{name: e.Name.Value, version: v, edges: entryEdges(e)}
			if low, ok := g.Range(i).Lowest(); ok {
				w.low = &low
			}
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(a, b written) int { return a.version.Compare(*b.version) })
	return all
}

// customary returns the answer that is written as the entries of a channel are, or of a new one those of the channels named after lower versions; nil if
// they have no convention, or it says nothing of the release.
func (p *planner) customary(c *channel) *answer {
	of, head := c.earlier, c.head
	switch {
	case c.insert || len(c.banned)+len(c.pruned) > 0 || c.graph == nil && len(p.olderHeads(c)) == 0:
		return nil
	case c.graph != nil:
		of = []*graph.Graph{c.graph}
	case len(of) > 0:
		head = onlyHead(of[len(of)-1])
	}
	all := p.history(of...)
	if len(all) == 0 || all[len(all)-1].name != head {
		return nil
	}
	k, ok := learnConvention(all)
	if !ok { // then that of all channels
		var histories [][]written
		for _, g := range p.base.Graphs {
			histories = append(histories, p.history(g))
		}
		if k, ok = learnConvention(histories...); !ok {
			return nil
		}
	}
	w, ok := k.predict(p.request.Name, p.release, all)
	if !ok || c.graph == nil && w.edges.Replaces == "" { // the first of a channel says nothing of the others
		return nil
	}
	return &answer{replaces: w.edges.Replaces, skips: w.edges.Skips, low: w.low}
}

// Customary says how a plan follows the convention of a channel.
type Customary struct {
	Channel string
	Against string // why it does not; "" if it does
}

// customs returns what the plan makes of the conventions of the channels.
func (p *planner) customs(edits []Edit) []Customary {
	var all []Customary
	for _, c := range p.channels {
		a := p.customary(c)
		if a == nil || c.graph == nil {
			continue
		}
		one := Customary{Channel: c.name}
		i := addedTo(c.name, edits)
		if follows := i >= 0 && edits[i].After.Replaces == a.replaces && (edits[i].After.SkipRange == "") == (a.low == nil); !follows {
			one.Against = "it strands users, or does not fit other channels"
			if _, refusal := p.complete(c, *a, byConvention, nil); refusal != nil {
				one.Against = refusal.Constraint
			}
		}
		all = append(all, one)
	}
	return all
}

// addedTo returns the index of the edit that adds the release to a channel, -1 if there is none.
func addedTo(channel string, edits []Edit) int {
	return slices.IndexFunc(edits, func(e Edit) bool { return e.Channel == channel && e.Added })
}

// Freed is an installed bundle that gets to the head of a channel if the release skips it, and does not today.
type Freed struct{ Channel, Name string }

// freedPublished returns the published bundles, in no channel any more and stuck, that the release skips.
func (p *planner) freedPublished(edits []Edit) []Freed {
	var all []Freed
	for _, c := range p.channels {
		at := addedTo(c.name, edits)
		if at < 0 || c.graph == nil {
			continue
		}
		stuck := p.origins.Stuck(c.graph)
		for _, name := range edits[at].After.Skips {
			if slices.ContainsFunc(stuck, func(o graph.Origin) bool { return o.Name == name }) {
				all = append(all, Freed{c.name, name})
			}
		}
	}
	return all
}

// freedBySkips returns what further skips of the release would free.
func (p *planner) freedBySkips(edits []Edit) []Freed {
	var all []Freed
	for _, c := range p.channels {
		at := addedTo(c.name, edits)
		if at < 0 || c.graph == nil {
			continue
		}
		tried := slices.Clone(edits)
		now := routesV0(p.editedChannel(c.name, tried), c.users)
		for _, u := range c.users {
			if p.work <= 0 || now.end(u.Name) == p.plannedHead(c) || !p.older(u.Name, p.request.Name) {
				continue
			}
			more := slices.Clone(tried)
			more[at].After.Skips = append(slices.Clone(more[at].After.Skips), u.Name)
			g := p.editedChannel(c.name, more)
			v, then := p.check(c, g), routesV0(g, c.users)
			if !v.isCorrect() || then.end(u.Name) != p.plannedHead(c) {
				continue
			}
			if p.findLack(more) == nil {
				tried, now, all = more, then, append(all, Freed{c.name, u.Name})
			}
		}
	}
	return all
}
