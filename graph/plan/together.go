package plan

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
)

// mergeParts plans each part of a namespace on its own, and does everything together then: what is switched is the same, and an
// approval is for all parts that have something to approve. The path that comes from it is not known to be the cheapest. It returns nil if
// it leads nowhere.
func (w *world) mergeParts(g goal) *search {
	var paths [][]*node
	for i := range w.initial {
		alone := w.isolate(i)
		alone.bound, alone.spent = maxNodes, new(int)
		r := alone.run(g, g.fields(), w.from, alone.initial)
		if r.found == nil {
			return nil
		}
		paths = append(paths, pathTo(r.found))
	}
	var best *search
	for _, eager := range []bool{false, true} {
		s := &search{w: w, goal: g, mask: g.fields(), best: map[string]cost{}, limited: true, blind: true}
		if end := s.follow(paths, eager); end != nil && (best == nil || end.g.compare(best.found.g) < 0) {
			s.found, best = end, s
		}
	}
	return best
}

// pathTo returns the nodes from the first one to an end.
func pathTo(end *node) []*node {
	var all []*node
	for n := end; n != nil; n = n.parent {
		all = append(all, n)
	}
	slices.Reverse(all)
	return all
}

// follow does together what the paths of the parts do. eager approves all that can be approved.
func (s *search) follow(paths [][]*node, eager bool) *node {
	at := s.singleNode(func() { s.start(s.w.from, s.w.initial) })
	for at != nil {
		at = s.round(at, paths, eager)
		switch {
		case at == nil:
			return nil
		case s.atGoal(at):
			return s.endNode(at)
		}
		from := at
		at = s.singleNode(func() { s.advance(from) })
	}
	return nil
}

// singleNode returns the node that something adds, nil if it adds none.
func (s *search) singleNode(add func()) *node {
	s.queue, s.best = nil, map[string]cost{}
	add()
	if len(s.queue) == 0 {
		return nil
	}
	return s.queue[0]
}

// round does what the paths do at one minor version: all switches up to the next approval, then that, and so on.
func (s *search) round(at *node, paths [][]*node, eager bool) *node {
	left := pathMoves(paths, at.minor)
	for range maxSteps {
		approve := eager || at.minor == s.goal.minor
		for i := range left {
			for len(left[i]) > 0 && left[i][0].move.kind == switchesTo {
				if at = s.switchLike(at, i, left[i][0]); at == nil {
					return nil
				}
				left[i] = left[i][1:]
			}
			if len(left[i]) > 0 {
				left[i], approve = left[i][1:], true
			}
		}
		if at = s.unfreeze(at, paths); at == nil {
			return nil
		}
		next := (*node)(nil)
		if from := at; approve {
			next = s.singleNode(func() { s.approve(from) })
		}
		if next != nil {
			at = next
		} else if !slices.ContainsFunc(left, func(l []*node) bool { return len(l) > 0 }) {
			return at
		}
	}
	return nil
}

// pathMoves returns the switches and approvals of each path at a minor version.
func pathMoves(paths [][]*node, m Minor) [][]*node {
	left := make([][]*node, len(paths))
	for i, path := range paths {
		for _, n := range path {
			if n.minor == m && (n.move.kind == switchesTo || n.move.kind == approves) {
				left[i] = append(left[i], n)
			}
		}
	}
	return left
}

// unfreeze switches the parts that keep OLM from the whole namespace: to what they are switched to later on their paths, if that helps, or
// to anything else that does.
func (s *search) unfreeze(at *node, paths [][]*node) *node {
	if !s.w.hasCatalogs(at.minor, at.parts) {
		return at
	}
	for i := range at.parts {
		if s.w.resolvable(at.parts[i], at.minor) {
			continue
		}
		if next := s.resolvableSwitch(at, i, paths[i]); next != nil {
			at = next
		}
	}
	return at
}

func (s *search) resolvableSwitch(at *node, part int, path []*node) *node {
	p := at.parts[part]
	for j := range p.Subscriptions {
		sub := &p.Subscriptions[j]
		targets := s.w.targets(sub, at.minor)
		later := func(t target) bool {
			return slices.ContainsFunc(path, func(n *node) bool {
				return n.minor >= at.minor && n.move.kind == switchesTo && n.move.before.Name == sub.Name && n.move.channel == t.channel && n.move.source == t.source
			})
		}
		slices.SortStableFunc(targets, func(a, b target) int { return find.CompareFirst(later(a), later(b)) })
		for _, t := range targets {
			next := s.singleNode(func() {
				s.trySwitch(&node{minor: at.minor, parent: at, g: at.g, move: move{kind: switchesTo, part: part, sub: j, channel: t.channel, source: t.source}})
			})
			if next != nil && s.w.resolvable(next.parts[part], at.minor) {
				return next
			}
		}
	}
	return nil
}

// switchLike switches a subscription of a part as on the path of the part alone.
func (s *search) switchLike(at *node, part int, like *node) *node {
	p := at.parts[part]
	for j := range p.Subscriptions {
		sub := &p.Subscriptions[j]
		if sub.Name != like.move.before.Name {
			continue
		}
		if sub.Channel == like.move.channel && sub.Source == like.move.source {
			return at
		}
		return s.singleNode(func() {
			s.trySwitch(&node{minor: at.minor, parent: at, g: at.g, move: move{kind: switchesTo, part: part, sub: j, channel: like.move.channel, source: like.move.source}})
		})
	}
	return nil
}
