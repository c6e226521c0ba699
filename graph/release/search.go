package release

import (
	"cmp"
	"math"
	"slices"

	"github.com/blang/semver/v4"
)

// cost orders plans: the less, the better. The fields count in their order. A skipRange is not among them: one that takes over that of a
// withdrawn entry is needed, since it may cover versions that no entry names, and any other one counts more than skips, of which there are
// always enough.
type cost struct {
	edits      int // entries that are added or changed
	skips      int
	past       int // installed bundles that are led past a version by which they came before
	noReplaces int // releases that replace nothing
	replaces   []*semver.Version
}

func (a *cost) compare(b *cost) int {
	return cmp.Or(a.edits-b.edits, a.skips-b.skips, a.past-b.past, a.noReplaces-b.noReplaces,
		slices.CompareFunc(a.replaces, b.replaces, func(v, w *semver.Version) int { // the newer one is better
			if v == nil || w == nil {
				return 0
			}
			return w.Compare(*v)
		}))
}

func (a *cost) plus(b *cost) cost {
	return cost{a.edits + b.edits, a.skips + b.skips, a.past + b.past, a.noReplaces + b.noReplaces,
		slices.Concat(a.replaces, b.replaces)}
}

// solution is edits that are right for a channel, or for all.
type solution struct {
	edits []Edit
	cost
}

// nearSkips is the number of skips up to which places are tried first: in a long channel there are too many to list all.
const nearSkips = 8

// maxChoices bounds how many free choices of skips are tried one inside another.
const maxChoices = 6

// channelSearch is the search for the best edits of a channel, among them what upgrades some further names.
type channelSearch struct {
	*planner
	channel *channel
	extra   []string
	best    *solution // nil if there is none yet
	why     *Refusal  // why there is none at the first place
}

// solveChannel returns the best edits of a channel, or why there are none.
func (p *planner) solveChannel(c *channel, extra []string) (*solution, *Refusal) {
	s := &channelSearch{planner: p, channel: c, extra: extra}
	for _, most := range []int{nearSkips, math.MaxInt} {
		for _, at := range p.places(c, extra, most) {
			if p.work > 0 && !s.hopeless(at) {
				s.try(at)
			}
		}
		if s.best != nil && s.best.skips <= nearSkips {
			break
		}
	}
	switch {
	case s.best != nil:
		return s.best, nil
	case p.work <= 0:
		s.why = &Refusal{Constraint: "there are more places and skips than olmgraph tries, and none of those that it tried is right", Change: "simplify the channel first"}
	case s.why == nil:
		s.why = &Refusal{Constraint: "no edges of the release upgrade all installed bundles", Change: "change the other entries first"}
	}
	s.why.Channel = c.name
	return nil, s.why
}

// hopeless reports whether no answer at a place is better than the best one.
func (s *channelSearch) hopeless(at place) bool {
	edits := 1 + boolToInt(at.above != "")
	return s.best != nil && (edits > s.best.cost.edits || edits == s.best.cost.edits && at.least > s.best.skips)
}

// try looks for the best answer at a place.
func (s *channelSearch) try(at place) {
	skips, refusal := s.fewestSkips(s.channel, at, nil, s.extra, s.best, 0)
	if refusal != nil && s.why == nil {
		s.why = refusal
	}
	if skips == nil {
		return
	}
	if found := s.solutionOf(s.channel, at, skips); s.best == nil || found.cost.compare(&s.best.cost) < 0 {
		s.best = found
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fewestSkips returns the fewest names, not nil, that the release must skip at a place in addition to some; nil if there are none, or
// more than of the best solution. What a check forces is skipped by every right answer: skips only hide entries from OLM v0, so what
// has no upgrade with few skips has none with more. Thus the answer is the fewest unless there was a choice of many names.
func (p *planner) fewestSkips(c *channel, at place, skips, extra []string, best *solution, depth int) ([]string, *Refusal) {
	skips = append([]string{}, skips...)
	for {
		edits := p.editsFor(c, at, skips)
		if best != nil && (p.work <= 0 || len(edits)-len(c.removals) == best.cost.edits && len(skips) > best.skips) {
			return nil, nil
		}
		v := p.check(c, p.changed(c.name, edits), extra)
		switch {
		case v.never != nil:
			return nil, v.never
		case v.right():
			slices.SortFunc(skips, p.compare)
			return skips, nil
		case len(v.choose) > 0:
			return p.chooseSkip(c, at, skips, extra, v.choose, best, depth)
		}
		for _, name := range v.force {
			if name == at.replaces || slices.Contains(skips, name) {
				return nil, &Refusal{Constraint: name + " would have to be both replaced and skipped", Change: "change the other entries first"}
			}
		}
		skips = append(skips, v.force...)
	}
}

// chooseSkip tries each of some names as a further skip.
func (p *planner) chooseSkip(c *channel, at place, skips, extra, names []string, best *solution, depth int) ([]string, *Refusal) {
	var fewest []string
	var why *Refusal
	for _, name := range names {
		if name == at.replaces || slices.Contains(skips, name) {
			continue
		}
		if depth >= maxChoices {
			p.work = min(p.work, 0)
			return nil, nil
		}
		found, refusal := p.fewestSkips(c, at, append(slices.Clone(skips), name), extra, best, depth+1)
		if refusal != nil {
			why = refusal
		}
		if found != nil && (fewest == nil || len(found) < len(fewest)) {
			fewest = found
		}
	}
	if fewest != nil {
		why = nil
	}
	return fewest, why
}

// solutionOf returns the solution of a place and skips.
func (p *planner) solutionOf(c *channel, at place, skips []string) *solution {
	edits := p.editsFor(c, at, skips)
	s := &solution{edits: edits}
	s.cost.edits, s.skips, s.past = len(edits)-len(c.removals), len(skips), p.ledPast(c, edits)
	s.noReplaces, s.replaces = boolToInt(at.replaces == ""), []*semver.Version{p.version(at.replaces)}
	return s
}

// ledPast counts the installed bundles that are led past a version by which they came before.
func (p *planner) ledPast(c *channel, edits []Edit) int {
	if c.graph == nil {
		return 0
	}
	now := routesV0(p.changed(c.name, edits), c.users)
	past, n := map[string]bool{}, 0
	for _, u := range c.users {
		if c.ledPast(u.Name, now, past) {
			n++
		}
	}
	return n
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
