package release

import (
	"math"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

// convention is how the entries of a channel are written: where each of its edges comes from, given the entries before it.
type convention struct{ replaces, skips, low int }

// What an entry replaces: nothing, the entry before it, what that replaces, or the newest entry of an earlier minor version.
const (
	replacesNothing = iota
	replacesBefore
	replacesAsBefore
	replacesEarlierMinor
	replacesKinds
)

// What an entry skips: nothing, the entry before it, the same as that, both, what is of its own minor version, or all after what it replaces.
const (
	skipsNothing = iota
	skipsBefore
	skipsAsBefore
	skipsBeforeToo
	skipsMinor
	skipsBetween
	skipsKinds
)

// Where the skipRange of an entry begins: there is none, where that of the entry before it does, at the version of that, at the minor version of
// the entry, at as many minor versions before that as that of the entry before it does, or at the version that it replaces.
const (
	lowNone = iota
	lowAsBefore
	lowBefore
	lowMinor
	lowMinorsBack
	lowReplaced
	lowKinds
)

// written is an entry of a channel as a convention sees it.
type written struct {
	name    string
	version *semver.Version
	edges   Edges
	low     *semver.Version // nil without a skipRange
}

// predict returns the edges of an entry by a convention, given the entries before it, oldest first; false if the convention says nothing there.
func (k convention) predict(name string, v *semver.Version, before []written) (w written, ok bool) {
	last := &before[len(before)-1]
	earlier := func(o written) bool {
		return o.version.Major < v.Major || o.version.Major == v.Major && o.version.Minor < v.Minor
	}
	w = written{name: name, version: v}
	replaced := -1
	switch k.replaces {
	case replacesBefore:
		w.edges.Replaces = last.name
	case replacesAsBefore:
		w.edges.Replaces = last.edges.Replaces
	case replacesEarlierMinor:
		for i, o := range before {
			if earlier(o) {
				w.edges.Replaces = o.name
				replaced = i
			}
		}
	}
	replaced = max(replaced, slices.IndexFunc(before, func(o written) bool { return o.name == w.edges.Replaces }))
	if k.replaces != replacesNothing && w.edges.Replaces == "" {
		return w, false
	}
	switch k.skips {
	case skipsBefore:
		w.edges.Skips = []string{last.name}
	case skipsAsBefore:
		w.edges.Skips = last.edges.Skips
	case skipsBeforeToo:
		w.edges.Skips = append(slices.Clone(last.edges.Skips), last.name)
	case skipsMinor, skipsBetween:
		for i, o := range before {
			if k.skips == skipsBetween && i > replaced || k.skips == skipsMinor && !earlier(o) {
				w.edges.Skips = append(w.edges.Skips, o.name)
			}
		}
	}
	if w.edges.Skips = slices.DeleteFunc(slices.Clone(w.edges.Skips), func(s string) bool { return s == w.edges.Replaces }); k.skips != skipsNothing && len(w.edges.Skips) == 0 && k.skips != skipsMinor {
		return w, false
	}
	switch k.low {
	case lowAsBefore:
		w.low = last.low
	case lowBefore:
		w.low = last.version
	case lowMinor:
		w.low = &semver.Version{Major: v.Major, Minor: v.Minor}
	case lowMinorsBack:
		if last.low != nil && last.low.Major == last.version.Major && v.Major == last.version.Major && last.version.Minor-last.low.Minor <= v.Minor {
			w.low = &semver.Version{Major: v.Major, Minor: v.Minor - (last.version.Minor - last.low.Minor)}
		}
	case lowReplaced:
		if replaced >= 0 {
			w.low = before[replaced].version
		}
	}
	return w, k.low == lowNone || w.low != nil && w.low.LT(*v)
}

// same reports whether an entry is written like another one.
func (w *written) same(o *written) bool {
	a, b := slices.Sorted(slices.Values(w.edges.Skips)), slices.Sorted(slices.Values(o.edges.Skips))
	return w.edges.Replaces == o.edges.Replaces && slices.Equal(a, b) && (w.low == nil) == (o.low == nil) && (w.low == nil || w.low.EQ(*o.low))
}

// maxHistory is how many entries of a channel a convention is learned from, the newest ones: the newest counts as much as the others together.
const maxHistory = 6

// learn returns the convention that most of the newest entries of channels follow; false if none does for half of them.
func learn(channels ...[]written) (best convention, ok bool) {
	most, total := 0, 0
	for i := range replacesKinds * skipsKinds * lowKinds {
		k := convention{i / (skipsKinds * lowKinds), i / lowKinds % skipsKinds, i % lowKinds}
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
		if w, ok := k.predict(all[at].name, all[at].version, all[:at]); ok && w.same(&all[at]) {
			points += weight
		}
	}
	return points
}

// history returns the entries of a channel with a version, oldest first.
func (p *planner) history(g *graph.Graph) []written {
	var all []written
	for _, i := range g.Entries() {
		e := &g.Channel.Entries[i]
		v := p.version(e.Name.Value)
		if v == nil {
			continue
		}
		w := written{name: e.Name.Value, version: v, edges: edgesOf(e)}
		if r, err := graph.ParseRange(e.SkipRange.Value); err == nil && e.SkipRange.Value != "" {
			if low, ok := r.Lowest(); ok {
				w.low = &low
			}
		}
		all = append(all, w)
	}
	slices.SortStableFunc(all, func(a, b written) int { return a.version.Compare(*b.version) })
	return all
}

// customary returns the answer that is written as the entries of a channel are; nil if they have no convention, or it says nothing of the release.
func (p *planner) customary(c *channel) *answer {
	if !p.request.AsBefore || c.graph == nil || c.insert || len(c.banned)+len(c.pruned) > 0 {
		return nil
	}
	all := p.history(c.graph)
	if len(all) < 1 || all[len(all)-1].name != c.head {
		return nil
	}
	k, ok := learn(all)
	if !ok { // then that of all channels
		var histories [][]written
		for _, g := range p.base.Graphs {
			histories = append(histories, p.history(g))
		}
		if k, ok = learn(histories...); !ok {
			return nil
		}
	}
	w, ok := k.predict(p.request.Name, p.release, all)
	if !ok {
		return nil
	}
	return &answer{place: place{replaces: w.edges.Replaces}, variant: c.variants[0], skips: w.edges.Skips, low: w.low, widened: w.low != nil}
}

// asBefore returns the customary edits of a channel, with the skips that they need besides, or why there are none.
func (p *planner) asBefore(c *channel, n need, a *answer) (*solution, *Refusal) {
	s := &channelSearch{planner: p, channel: c, need: n, limit: math.MaxInt}
	found, refusal := s.complete(*a, false, 0)
	if found == nil {
		return nil, refusal
	}
	return s.solutionOf(found), nil
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
		if a == nil {
			continue
		}
		one := Customary{Channel: c.name}
		i := slices.IndexFunc(edits, func(e Edit) bool { return e.Channel == c.name && e.Added })
		if follows := i >= 0 && edits[i].After.Replaces == a.replaces && (edits[i].After.SkipRange == "") == (a.low == nil); !follows {
			one.Against = "it strands somebody, or is not right for other channels"
			if _, refusal := p.asBefore(c, need{}, a); refusal != nil {
				one.Against = refusal.Constraint
			}
		}
		all = append(all, one)
	}
	return all
}

// Price is what a smaller answer costs users under OLM v0, who get to the head with more upgrades.
type Price struct {
	Edits      []Edit
	Users      int // who need more
	From, Most int // how many the one needs that needs the most with the smaller answer, with the plan and with that
}

// priceOf returns the smaller answer than the customary one; nil if there is none.
func (p *planner) priceOf(edits []Edit) *Price {
	r := p.request
	r.AsBefore = false
	smaller := planOf(p.base, r, p.weights)
	if smaller.Refusal != nil || slices.EqualFunc(smaller.Edits, edits, sameEdit) {
		return nil
	}
	price := &Price{Edits: smaller.Edits}
	for _, c := range p.channels {
		if c.graph == nil {
			continue
		}
		now, then := routesV0(p.changed(c.name, edits), c.users), routesV0(p.changed(c.name, smaller.Edits), c.users)
		for _, u := range c.users {
			if few, many := len(now.path(u.Name))-1, len(then.path(u.Name))-1; many > few {
				price.Users++
				if many > price.Most {
					price.From, price.Most = few, many
				}
			}
		}
	}
	return price
}

func sameEdit(a, b Edit) bool {
	return a.Channel == b.Channel && a.Entry == b.Entry && a.After.Replaces == b.After.Replaces && a.After.SkipRange == b.After.SkipRange && slices.Equal(a.After.Skips, b.After.Skips)
}

// Freed is an installed bundle that gets to the head of a channel if the release skips it, and does not today.
type Freed struct{ Channel, Name string }

// frees returns what further skips of the release would free.
func (p *planner) frees(edits []Edit) []Freed {
	var all []Freed
	for _, c := range p.channels {
		at := slices.IndexFunc(edits, func(e Edit) bool { return e.Channel == c.name && e.Added })
		if at < 0 || c.graph == nil {
			continue
		}
		tried := slices.Clone(edits)
		for _, u := range c.users {
			now := routesV0(p.changed(c.name, tried), c.users)
			if p.work <= 0 || now.end(u.Name) == p.plannedHead(c) || !p.older(u.Name, p.request.Name) {
				continue
			}
			more := slices.Clone(tried)
			more[at].After.Skips = append(slices.Clone(more[at].After.Skips), u.Name)
			g := p.changed(c.name, more)
			v := p.check(c, g, nil)
			if !v.right() || routesV0(g, c.users).end(u.Name) != p.plannedHead(c) {
				continue
			}
			j := &joint{planner: p}
			if j.lack(&node{best: &solution{edits: more}}) == nil {
				tried, all = more, append(all, Freed{c.name, u.Name})
			}
		}
	}
	return all
}
