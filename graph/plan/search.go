package plan

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve"
)

// cost is what a search minimizes, field by field. Where there is a plan those of Cost count, then how many heads are newer at the end, and how late
// things are done, so that operators are upgraded as far, and as soon, as that costs nothing. Where there is none, the state at the end counts
// before them.
type cost [10]int

// The fields of a cost.
const (
	frozen  = iota // packages of a namespace in which OLM resolves nothing at the end
	lowered        // operators with a lower version at the end than at the beginning
	short          // operators that are at no head of their channel
	switches
	missed // versions of their packages, in any channel, that are newer than the operators at the end
	approvals
	upgradesMade
	unsupported
	behind
	lateness
)

// The fields that count in a search for a plan, and in one for the best state.
var (
	planFields = cost{lowered: 1, switches: 1, approvals: 1, upgradesMade: 1, unsupported: 1, behind: 1, lateness: 1}
	bestFields = cost{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
)

func (c cost) plus(d cost) cost {
	for i := range c {
		c[i] += d[i]
	}
	return c
}

func (c cost) compare(d cost) int { return slices.Compare(c[:], d[:]) }

// withoutTiming returns the fields of what there is to do: not when.
func (c cost) withoutTiming() cost {
	c[behind], c[lateness] = 0, 0
	return c
}

func (c cost) export() Cost {
	return Cost{Switches: c[switches], Approvals: c[approvals], Upgrades: c[upgradesMade], Unsupported: c[unsupported]}
}

// goal is where a search ends.
type goal struct {
	minor Minor
	reach bool            // the minor version is enough, whatever the operators do
	best  bool            // of all states at the minor version the best one
	free  map[string]bool // packages that need not be at the head of their channel
	any   bool            // all packages
}

// fields returns what counts of the costs.
func (g *goal) fields() cost {
	if g.best {
		return bestFields
	}
	return planFields
}

// moveKind says what is done to get from one node to the next.
type moveKind int

const (
	begins moveKind = iota
	advances
	approves
	switchesTo
	ends
)

// move is one edge of the search.
type move struct {
	kind      moveKind
	part, sub int // of switchesTo
	channel   string
	source    resolve.SourceKey
	events    []event
	approved  *event
	before    *resolve.Subscription
}

// node is a state of the namespace, or, as long as parts is nil, one that is computed when its turn comes.
type node struct {
	minor  Minor
	parts  []*part
	g, f   cost
	parent *node
	move   move
	seq    int
}

// queue has the cheapest node first, and of equal ones the last.
type queue []*node

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	if c := q[i].f.compare(q[j].f); c != 0 {
		return c < 0
	}
	return q[i].seq > q[j].seq
}
func (q *queue) Push(n any) { *q = append(*q, n.(*node)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// maxNodes bounds the nodes of a search, and maxLower those of a search for a lower bound of its cost.
const (
	maxNodes = 20_000
	maxLower = 3_000
	// maxSpent bounds the nodes of all searches for a namespace of several parts. One counts more the more parts the namespace has.
	maxSpent = 60_000
)

// search is a search for the cheapest path of one world, or of one part of it (A*, with bounds from its parts).
type search struct {
	w         *world
	goal      goal
	mask      cost // fields that count: 1
	queue     queue
	best      map[string]cost
	found     *node // the cheapest end
	nearest   *node // the cheapest of the ends that were seen, of a search for the best one
	seq       int
	nodes     int
	limited   bool
	farthest  Minor // of all nodes that were visited
	floor     cost  // nothing is cheaper, where limited
	obstacles []Blocker
	blind     bool // bounds are not needed
}

// run returns the end of the cheapest path; nil if there is none, or limited was set before any was found.
func (w *world) run(g goal, mask cost, minor Minor, parts []*part) *search {
	s := &search{w: w, goal: g, mask: mask, best: map[string]cost{}}
	s.start(minor, parts)
	for s.queue.Len() > 0 && w.content.err == nil && w.ctx.Err() == nil {
		n := heap.Pop(&s.queue).(*node)
		*w.spent += 1 + len(w.initial)/4
		if s.nodes++; s.nodes > w.bound || *w.spent > maxSpent && len(w.initial) > 1 {
			s.limited, s.floor, s.found = true, n.f, s.nearest
			return s
		}
		if n.move.kind == ends {
			s.found = n
			return s
		}
		s.visit(n)
	}
	return s
}

// start adds the first nodes.
func (s *search) start(minor Minor, parts []*part) {
	root := &node{minor: minor, parts: parts}
	if s.w.relaxed { // if others keep OLM from settling it that can change
		s.settle(root, minor, parts, move{kind: begins}, cost{})
		return
	}
	after, events, blocked := s.w.settle(minor, parts, true)
	if s.block(blocked) {
		return
	}
	root.parts, root.move = after, move{kind: begins, events: events}
	root.g = s.installCost(events, minor)
	s.push(root, cost{})
}

// block notes why a path is blocked.
func (s *search) block(blocked []Blocker) bool {
	for _, b := range blocked {
		s.obstacle(b)
	}
	return len(blocked) > 0
}

// obstacle notes what blocks a path. Of an olm.maxOpenShiftVersion, and of what a catalog does not have, only the one that blocks farthest is kept.
func (s *search) obstacle(b Blocker) {
	known := slices.IndexFunc(s.obstacles, func(o Blocker) bool { return o.Kind == b.Kind && o.Package == b.Package })
	switch {
	case known < 0:
		s.obstacles = append(s.obstacles, b)
	case (b.Kind == MaxOpenShift || b.Kind == MissingInCatalog) && b.Minor > s.obstacles[known].Minor:
		s.obstacles = slices.Clone(s.obstacles)
		s.obstacles[known] = b
	}
}

// installCost returns the cost of what OLM installs at a minor version.
func (s *search) installCost(events []event, m Minor) cost {
	var c cost
	for i := range events {
		c[upgradesMade] += events[i].upgrades()
	}
	c[lateness] = c[upgradesMade] * int(m-s.w.from)
	return c
}

// push adds a node that has parts, unless it is known to be as cheap; bound is a lower bound of its whole cost.
func (s *search) push(n *node, bound cost) {
	for i, on := range s.mask {
		n.g[i] *= on
	}
	id := n.key()
	if old, ok := s.best[id]; ok && old.compare(n.g) <= 0 {
		return
	}
	h, ok := s.heuristic(n)
	if !ok {
		return
	}
	s.best[id] = n.g
	n.f = n.g.plus(h)
	if n.f.compare(bound) < 0 {
		n.f = bound
	}
	s.add(n)
}

func (s *search) add(n *node) {
	s.seq++
	n.seq = s.seq
	heap.Push(&s.queue, n)
}

func (n *node) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", n.minor)
	for _, p := range n.parts {
		fmt.Fprintf(&b, " %d", p.id)
	}
	return b.String()
}

// visit computes a node if that is still to be done, or else adds what follows it.
func (s *search) visit(n *node) {
	if n.parts == nil {
		s.trySwitch(n)
		return
	}
	if s.best[n.key()].compare(n.g) < 0 {
		return
	}
	s.farthest = max(s.farthest, n.minor)
	if s.atGoal(n) {
		end := s.endNode(n)
		end.f = end.g
		if end.f.compare(n.f) < 0 {
			end.f = n.f
		}
		s.add(end)
		if s.goal.best && (s.nearest == nil || end.g.compare(s.nearest.g) < 0) {
			s.nearest = end
		}
	}
	s.switchesFrom(n)
	s.advance(n)
	s.approve(n)
}

// endNode returns the end at a node.
func (s *search) endNode(n *node) *node {
	end := &node{minor: n.minor, parts: n.parts, parent: n, move: move{kind: ends}, g: n.g}
	last := s.w.rate(n, &s.goal).plus(cost{unsupported: s.w.countUnsupported(n), behind: s.w.countBehind(n)})
	for i, on := range s.mask {
		end.g[i] += last[i] * on
	}
	return end
}

// advance updates OpenShift by one minor version.
func (s *search) advance(n *node) {
	if n.minor >= s.goal.minor {
		return
	}
	free := true
	for _, p := range n.parts {
		for i := range p.limit {
			if m := &p.limit[i]; !m.allows(n.minor + 1) {
				b := s.w.maxBlocker(m, n.minor+1)
				if !s.w.lifted.covers(b.Kind, b.Package) {
					s.obstacle(b)
					free = false
				}
			}
		}
	}
	if !free {
		return
	}
	late := s.w.countUnsupported(n)
	s.settle(n, n.minor+1, n.parts, move{kind: advances}, cost{unsupported: late})
}

func (w *world) maxBlocker(m *maxOf, to Minor) Blocker {
	b := Blocker{Kind: MaxOpenShift, Minor: to, Namespace: w.base.Name, Package: m.pkg, Operator: m.operator, Limit: m.text}
	if m.err != nil {
		b.Kind, b.Message = InvalidMax, m.err.Error()
	}
	return b
}

// settle adds the node, or the nodes, after a move: what OLM does then automatically is part of it.
func (s *search) settle(n *node, m Minor, parts []*part, mv move, c cost) {
	if s.w.relaxed && (s.w.approvals || !s.w.calm) {
		s.push(&node{minor: m, parts: parts, g: n.g.plus(c), parent: n, move: mv}, n.f) // other parts of the namespace keep OLM from it
	}
	after, events, blocked := s.w.settle(m, parts, !s.w.relaxed)
	if s.block(blocked) {
		return
	}
	mv.events = append(slices.Clip(mv.events), events...)
	s.push(&node{minor: m, parts: after, g: n.g.plus(c).plus(s.installCost(events, m)), parent: n, move: mv}, n.f)
}

// approve approves the InstallPlan.
func (s *search) approve(n *node) {
	parts, e, blocked, ok := s.w.approve(n.minor, n.parts)
	if !ok || s.block(blocked) {
		return
	}
	c := s.installCost([]event{e}, n.minor)
	c[approvals] = 1
	s.settle(n, n.minor, parts, move{kind: approves, approved: &e}, c)
}

// switchesFrom adds the nodes after switches, which are computed when their turn comes.
func (s *search) switchesFrom(n *node) {
	for i, p := range n.parts {
		if s.commutes(n, i) {
			continue
		}
		for j := range p.Subscriptions {
			sub := &p.Subscriptions[j]
			for _, t := range s.w.targets(sub, n.minor) {
				bound := n.f
				if s.mask[switches] == 1 && s.partBound(n, i)[switches] == 0 {
					bound = n.g
					copy(bound[:switches], n.f[:switches])
					bound[switches] = n.f[switches] + 1
				}
				s.add(&node{minor: n.minor, parent: n, f: bound, g: n.g,
					move: move{kind: switchesTo, part: i, sub: j, channel: t.channel, source: t.source}})
			}
		}
	}
}

// commutes reports whether a switch of a part at a node leads to nothing new. Parts that are not resolvable keep OLM from all of them, so
// the order in which such parts are switched means nothing: it is that of the parts.
func (s *search) commutes(n *node, part int) bool {
	mv := &n.move
	if mv.kind != switchesTo || mv.part <= part || len(mv.events) > 0 || !s.w.hasCatalogs(n.minor, n.parent.parts) {
		return false
	}
	before := n.parent.parts
	return before[part].id == n.parts[part].id && !s.w.resolvable(before[part], n.minor) && !s.w.resolvable(before[mv.part], n.minor)
}

// target is what a subscription can be switched to.
type target struct {
	channel string
	source  resolve.SourceKey
}

func subscriptionTarget(sub *resolve.Subscription) target { return target{sub.Channel, sub.Source} }

// targets returns the channels, of all sources, that a subscription can be switched to.
func (w *world) targets(sub *resolve.Subscription, m Minor) []target {
	var all []target
	for i := range w.base.Sources {
		key := w.base.Sources[i].SourceKey
		p := w.content.pkg(key, m, sub.Package)
		if p == nil || !w.base.Sees(key.Namespace) || w.base.Sources[i].Unreachable != "" {
			continue
		}
		for _, name := range p.channels() {
			if key != sub.Source || name != sub.Channel {
				all = append(all, target{name, key})
			}
		}
	}
	return all
}

// trySwitch computes a node after a switch. A switch must not make a part unresolvable that was resolvable.
func (s *search) trySwitch(n *node) {
	from, t := n.parent, &n.move
	p := from.parts[t.part]
	changed := s.w.namespace(p, n.minor)
	changed.Subscriptions = slices.Clone(p.Subscriptions)
	sub := &changed.Subscriptions[t.sub]
	t.before = &p.Subscriptions[t.sub]
	c := cost{switches: 1, lateness: int(n.minor - s.w.from)}
	if t.source != sub.Source && t.channel != sub.Channel {
		c[switches] = 2
	}
	sub.Channel, sub.Source = t.channel, t.source
	parts := slices.Clone(from.parts)
	parts[t.part] = s.w.states.newPart(changed, p.stored)
	wasKnown := s.w.hasCatalogs(n.minor, []*part{p})
	if wasKnown && s.w.resolvable(p, n.minor) && !s.w.resolvable(parts[t.part], n.minor) {
		return
	}
	s.settle(from, n.minor, parts, *t, c)
}

// resolvable reports whether OLM finds a solution for a part, were it to look for one.
func (w *world) resolvable(p *part, m Minor) bool { return w.next(p, m).ok }
