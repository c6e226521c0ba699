package release

import (
	"cmp"
	"math"
	"slices"

	"github.com/blang/semver/v4"
)

// weights are how many skips other edits count as.
type weights struct{ skipRange, change int }

// usual are the weights of Of. A skipRange is one line where there are many to skip, but it also leads everybody in it straight to the release,
// past all versions between, and makes a promise for versions that no entry names. An entry that exists is published, and others know it. A
// list of ten skips can still be checked by reading it.
func usual() weights { return weights{skipRange: 10, change: 10} }

// cost orders plans: the less, the better. The fields count in their order.
type cost struct {
	unlike int // channels that have a convention, which is not followed
	// names are the skips that are added, and what a skipRange and changes count; one that only takes over that of a withdrawn or dropped entry
	// is needed and counts nothing.
	names      int
	hidden     int // entries that OLM v0 no longer offers though they are not withdrawn
	past       int // installed bundles that are led past a version by which they came before
	noReplaces int // releases that replace nothing
	replaces   []*semver.Version
	lows       []*semver.Version // where the skipRanges begin
}

func (a *cost) compare(b *cost) int {
	return cmp.Or(a.unlike-b.unlike, a.names-b.names, a.hidden-b.hidden, a.past-b.past, a.noReplaces-b.noReplaces,
		slices.CompareFunc(a.replaces, b.replaces, newerFirst), slices.CompareFunc(a.lows, b.lows, newerFirst))
}

func newerFirst(v, w *semver.Version) int {
	if v == nil || w == nil {
		return 0
	}
	return w.Compare(*v)
}

func (a *cost) plus(b *cost) cost {
	return cost{a.unlike + b.unlike, a.names + b.names, a.hidden + b.hidden, a.past + b.past, a.noReplaces + b.noReplaces,
		slices.Concat(a.replaces, b.replaces), slices.Concat(a.lows, b.lows)}
}

// solution is edits that are right for a channel, or for all.
type solution struct {
	edits []Edit
	cost
}

// answer is a release at a place with its other edges.
type answer struct {
	place
	*variant
	skips   []string
	low     *semver.Version // where its skipRange begins; nil if it has none
	widened bool            // the skipRange does more than take over others
}

// namesOf is what the cost counts of an answer.
func (p *planner) namesOf(a *answer) int {
	return p.fixed(a) + len(a.skips) + p.weights.skipRange*boolToInt(a.widened)
}

// fixed is that without its skips and skipRange.
func (p *planner) fixed(a *answer) int {
	return a.variant.names + p.weights.change*boolToInt(a.above != "")
}

// channelSearch is the search for the best edits of a channel.
type channelSearch struct {
	*planner
	channel *channel
	need    need
	limit   int       // of the names of answers that are tried
	best    *solution // nil if there is none yet
	why     *Refusal  // why there is none at the first place
}

// solveChannel returns the best edits of a channel, or why there are none.
func (p *planner) solveChannel(c *channel, n need) (*solution, *Refusal) {
	unlike := 0
	if a := p.customary(c); a != nil {
		if found, _ := p.asBefore(c, n, a); found != nil {
			return found, nil
		}
		unlike = 1
	}
	found, refusal := p.searchChannel(c, n)
	if found != nil {
		found.unlike = unlike
	}
	return found, refusal
}

func (p *planner) searchChannel(c *channel, n need) (*solution, *Refusal) {
	s := &channelSearch{planner: p, channel: c, need: n}
	for _, s.limit = range []int{2, 12, 50, 200, math.MaxInt} { // in a long channel there are too many places to try all of them at once
		for _, v := range c.variants {
			s.tryAll(v)
		}
		if s.best != nil || p.work <= 0 {
			break
		}
	}
	if s.best == nil && p.work <= 0 && !p.cut { // then any
		p.cut, p.work, s.limit = true, maxWork/4, math.MaxInt
		for _, v := range c.variants {
			s.tryAll(v)
		}
	}
	if p.crowded && (s.best == nil || s.best.hidden+s.best.past > 0 || s.best.cost.names > p.weights.change) {
		p.cut = true
	}
	p.crowded = false
	return s.result()
}

// result returns the best edits, or why there are none.
func (s *channelSearch) result() (*solution, *Refusal) {
	switch {
	case s.best != nil:
		return s.best, nil
	case s.work <= 0:
		s.why = &Refusal{Constraint: "olmgraph does not try all places and skips, and none of those that it tried works", Change: "simplify the channel first"}
	case s.why == nil:
		s.why = &Refusal{Constraint: "no edges of the release upgrade all installed bundles", Change: "change the other entries first"}
	}
	s.why.Channel = s.channel.name
	return nil, s.why
}

// tryAll looks for the best answer at the places of a variant.
func (s *channelSearch) tryAll(v *variant) {
	if slices.ContainsFunc(v.bridges, func(e Edit) bool { return slices.Contains(s.need[keeps], e.Entry) }) {
		return
	}
	for _, at := range s.places(s.channel, v, s.need, s.limit) {
		start := answer{place: at, variant: v, low: s.channel.ranged}
		if s.work > 0 && !s.hopeless(&start) {
			s.try(start)
		}
	}
}

// hopeless reports whether no answer that begins like this is better than the best one.
func (s *channelSearch) hopeless(a *answer) bool {
	least := cost{names: s.fixed(a) + a.least, noReplaces: boolToInt(a.replaces == ""), replaces: []*semver.Version{s.version(a.replaces)}}
	return least.names > s.limit || s.best != nil && least.compare(&s.best.cost) >= 0
}

// try looks for the best answer at a place: with a skipRange where that saves skips, and with skips alone.
func (s *channelSearch) try(start answer) {
	found, refusal := s.complete(start, true)
	if refusal != nil && s.why == nil {
		s.why = refusal
	}
	s.consider(found)
	if found == nil || found.widened {
		found, _ = s.complete(start, false)
		s.consider(found)
	}
}

// consider takes an answer if it is the best one.
func (s *channelSearch) consider(a *answer) {
	if a == nil {
		return
	}
	if found := s.solutionOf(a); s.best == nil || found.cost.compare(&s.best.cost) < 0 {
		s.best = found
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hopelessAnswer reports whether an answer, with whatever more, is no better than the best one.
func (s *channelSearch) hopelessAnswer(a *answer) bool {
	return s.work <= 0 || s.namesOf(a) > s.limit || s.best != nil && s.namesOf(a) > s.best.cost.names
}

// complete adds to an answer the fewest names that make it right, nil if there are none, or more than of the best solution. What a check
// forces is skipped by every right answer: skips only hide entries from OLM v0, so what has no upgrade with few skips has none with more.
// With ranged it covers with a skipRange what need not be hidden, whatever that covers besides, and skips only what it must. Thus the answer
// is the fewest.
func (s *channelSearch) complete(a answer, ranged bool) (*answer, *Refusal) {
	a.skips = slices.Clone(a.skips)
	for !s.hopelessAnswer(&a) {
		v := s.verdict(&a)
		if v.never != nil {
			return nil, v.never
		}
		if v.right() {
			slices.SortFunc(a.skips, s.compare)
			return &a, nil
		}
		before := a
		for _, name := range v.cover {
			if !ranged || s.inRange(&before, name) || !s.inRange(&a, name) && !s.widen(&a, name) {
				v.force = append(v.force, name)
			}
		}
		for _, name := range v.force {
			if refusal := s.skip(&a, name); refusal != nil {
				return nil, refusal
			}
		}
	}
	return nil, nil
}

// verdict checks an answer.
func (s *channelSearch) verdict(a *answer) verdict {
	for _, name := range s.need[avoids] {
		if s.covered(a, name) {
			return verdict{never: &Refusal{Constraint: "OLM v1 would upgrade " + name + " to the release, and end at a lower version than before", Change: "let a newer entry replace or skip it"}}
		}
	}
	v := verdict{}
	for _, name := range s.need[covers] {
		if !s.covered(a, name) {
			v.cover = append(v.cover, name)
		}
	}
	if v.cover != nil {
		return v
	}
	return s.check(s.channel, s.changed(s.channel.name, s.editsFor(s.channel, a)), s.need[leads])
}

// covered reports whether the release replaces, skips or covers a name.
func (s *channelSearch) covered(a *answer, name string) bool {
	return name == a.replaces || slices.Contains(a.skips, name) || s.inRange(a, name)
}

func (s *channelSearch) inRange(a *answer, name string) bool {
	v := s.version(name)
	return a.low != nil && v != nil && v.GE(*a.low) && v.LT(*s.release)
}

// skip adds a name to the skips; it says why it cannot.
func (s *channelSearch) skip(a *answer, name string) *Refusal {
	if name == a.replaces {
		return &Refusal{Constraint: name + " would have to be both replaced and skipped", Change: "change the other entries first"}
	}
	if slices.Contains(a.skips, name) {
		if s.need[leads] == nil && s.need[covers] == nil {
			return &Refusal{Constraint: name + " is not upgraded to the head even if the release skips it", Change: "change the other entries first"}
		}
		return &Refusal{Constraint: name + " cannot be upgraded from " + s.channel.name, Change: "change the other entries first"}
	}
	a.skips = append(a.skips, name)
	return nil
}

// widen lets the skipRange begin so low that it covers a name; false if it must not, or does already.
func (s *channelSearch) widen(a *answer, name string) bool {
	v := s.version(name)
	if v == nil || v.GE(*s.release) || s.inRange(a, name) {
		return false
	}
	for _, other := range s.need[avoids] {
		if w := s.version(other); w != nil && w.GE(*v) && w.LT(*s.release) {
			return false
		}
	}
	a.low, a.widened = v, true
	return true
}

// solutionOf returns the solution of an answer.
func (s *channelSearch) solutionOf(a *answer) *solution {
	edits := s.editsFor(s.channel, a)
	hidden, past := s.effects(s.channel, edits)
	c := cost{names: s.namesOf(a), hidden: hidden, past: past,
		noReplaces: boolToInt(a.replaces == ""), replaces: []*semver.Version{s.version(a.replaces)}, lows: []*semver.Version{a.low}}
	return &solution{edits, c}
}

// effects counts the entries that edits hide from OLM v0, and the installed bundles that they lead past a version by which these came before.
func (p *planner) effects(c *channel, edits []Edit) (hidden, past int) {
	if c.graph == nil {
		return 0, 0
	}
	p.work -= c.size + 1
	g := p.changed(c.name, edits)
	for _, i := range c.graph.Entries() {
		name := c.graph.Name(i)
		if now, has := g.Index(name); c.graph.Offers(i) && has && !g.Offers(now) && !p.bans[name] {
			hidden++
		}
	}
	now, known := routesV0(g, c.users), map[string]bool{}
	for _, u := range c.users {
		if c.ledPast(u.Name, now, known) {
			past++
		}
	}
	return hidden, past
}

// ledPast reports whether a bundle is, and notes it of all those on its way.
func (c *channel) ledPast(name string, now *routes, past map[string]bool) bool {
	var same []string // they go on as before, to the next one
	met := false
	for at := name; ; at = now.next[at] {
		known, done := past[at]
		if !done && (now.next[at] == "" || now.next[at] != c.v0.next[at] || slices.Contains(same, at)) {
			after := map[string]bool{}
			for _, passed := range now.path(at) {
				after[passed] = true
			}
			known, done = slices.ContainsFunc(c.v0.path(at), func(passed string) bool { return !after[passed] }), true
			same = append(same, at)
		}
		if done {
			met = known
			break
		}
		same = append(same, at)
	}
	for _, on := range same {
		past[on] = met
	}
	return met
}
