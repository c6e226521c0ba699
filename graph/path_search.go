package graph

import (
	"container/heap"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
)

// Step is one upgrade, or a switch of the subscription to another channel.
type Step struct {
	Graph    *Graph // of the channel in which the upgrade happens, or to which the subscription is switched
	From, To string // names of bundles; the same for a channel switch
	// Edge is why OLM upgrades. Its From is -1 if the channel has no entry From, its To is -1 if nothing is upgraded.
	Edge      Edge
	Automatic bool // OLM upgrades automatically; otherwise a user requests the version, or switches the channel
}

// Switch reports whether the step switches the subscription to another channel.
func (s *Step) Switch() bool { return s.Edge.To < 0 }

// Path is steps that follow each other.
type Path []Step

// Hops returns how many of the steps are upgrades.
func (w Path) Hops() int {
	return len(w) - w.Switches()
}

// Switches returns how many of the steps switch the channel.
func (w Path) Switches() int {
	n := 0
	for i := range w {
		if w[i].Switch() {
			n++
		}
	}
	return n
}

const (
	maxTransitions = 2_000_000 // of a state graph: far more than any published package has
	maxPrefixes    = 500_000   // prefixes that are examined for more than one path
)

// state is an installed bundle and the channel of its subscription.
type state struct {
	graph    int
	bundle   string
	switched bool // the last step switched the channel
}

type transition struct {
	to   int
	step Step
}

// stateGraph is the graph of all states that an installed bundle can get to.
type stateGraph struct {
	pkg      *PackageGraph
	question Question
	switches bool

	states          []state
	ids             map[state]int
	transitions     [][]transition
	steps           map[state][]Step // by graph and bundle
	transitionCount int
	truncated       bool // it was too large to explore
}

// stateGraph explores what can happen to the installed bundle of a question; a subscription stays in its channel unless channel
// switches are allowed. Under OLM v1 there are none, and all states are of the graph -1.
func (a *PackageGraph) stateGraph(q Question, moves bool) *stateGraph {
	n := &stateGraph{pkg: a, question: q, switches: moves && q.OLM() == V0, ids: map[state]int{}, steps: map[state][]Step{}}
	n.id(state{graph: slices.Index(a.Graphs, q.Channel), bundle: q.From})
	for at := 0; at < len(n.states); at++ {
		if n.transitionCount > maxTransitions {
			n.truncated = true
			n.transitions = append(n.transitions, nil)
			continue
		}
		n.explore(n.states[at])
	}
	return n
}

func (n *stateGraph) id(s state) int {
	id, met := n.ids[s]
	if !met {
		id = len(n.states)
		n.ids[s] = id
		n.states = append(n.states, s)
	}
	return id
}

func (n *stateGraph) explore(s state) {
	var out []transition
	for _, step := range n.nextSteps(s.graph, s.bundle) {
		out = append(out, transition{n.id(state{graph: s.graph, bundle: step.To}), step})
	}
	if n.switches && !s.switched {
		for h, g := range n.pkg.Graphs {
			if h == s.graph || len(n.nextSteps(h, s.bundle)) == 0 {
				continue // there is no upgrade in that channel
			}
			move := Step{Graph: g, From: s.bundle, To: s.bundle, Edge: noEdge}
			out = append(out, transition{n.id(state{graph: h, bundle: s.bundle, switched: true}), move})
		}
	}
	n.transitionCount += len(out)
	n.transitions = append(n.transitions, out)
}

func (n *stateGraph) nextSteps(g int, bundle string) []Step {
	key := state{graph: g, bundle: bundle}
	steps, met := n.steps[key]
	if !met {
		if n.question.OLM() == V1 {
			steps, _ = n.question.Extension.upgradesByVersion(n.pkg.installedBundle(bundle))
		} else {
			steps = n.pkg.automaticStep(n.pkg.Graphs[g], bundle)
		}
		n.steps[key] = steps
	}
	return steps
}

// cost returns the cost of the step to a state: one, or more than all upgrades together if it switches the channel.
func (n *stateGraph) cost(to int) float64 {
	if n.states[to].switched {
		return float64(len(n.states) + 1)
	}
	return 1
}

// costs returns the cost of reaching a bundle from each state, infinity if there is no path.
func (n *stateGraph) costs(bundle string) []float64 {
	goal := len(n.states)
	d := newDirected(goal + 1)
	for id, out := range n.transitions {
		for i := range out {
			d.add(id, out[i].to)
		}
		if n.states[id].bundle == bundle {
			d.add(id, goal)
		}
	}
	tree := path.DijkstraFrom(simple.Node(goal), weighted{reversed{d}, n})
	costs := make([]float64, len(n.states))
	for id := range costs {
		costs[id] = tree.WeightTo(int64(id))
	}
	return costs
}

// weighted is a reversed state graph with a goal behind its states, which costs nothing.
type weighted struct {
	reversed
	states *stateGraph
}

// Weight implements path.Weighting.
func (w weighted) Weight(to, _ int64) (float64, bool) {
	if int(to) == len(w.states.states) {
		return 0, true
	}
	return w.states.cost(int(to)), true
}

// pathPrefix is the beginning of a path.
type pathPrefix struct {
	at       int // the state it leads to
	last     *Step
	parent   *pathPrefix // all but the last step
	cost     float64
	estimate float64 // the cost of the cheapest path with this prefix
	sequence int
}

// visits reports whether the path visits a bundle.
func (b *pathPrefix) visits(n *stateGraph, bundle string) bool {
	for ; b != nil; b = b.parent {
		if n.states[b.at].bundle == bundle {
			return true
		}
	}
	return false
}

func (b *pathPrefix) path() Path {
	var w Path
	for ; b.last != nil; b = b.parent {
		w = append(w, *b.last)
	}
	slices.Reverse(w)
	return w
}

// prefixQueue is a heap, the lowest estimate first.
type prefixQueue []*pathPrefix

func (h prefixQueue) Len() int      { return len(h) }
func (h prefixQueue) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h prefixQueue) Less(i, j int) bool {
	if h[i].estimate != h[j].estimate {
		return h[i].estimate < h[j].estimate
	}
	return h[i].sequence < h[j].sequence
}
func (h *prefixQueue) Push(x any) { *h = append(*h, x.(*pathPrefix)) }
func (h *prefixQueue) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// paths returns up to limit paths to a bundle that visit none twice, ordered by the number of channel switches, then of upgrades.
// More is true if there may be others.
func (n *stateGraph) paths(bundle string, limit int) (paths []Path, more bool) {
	costs := n.costs(bundle)
	queue, turn := &prefixQueue{}, 0
	push := func(b *pathPrefix) {
		if !math.IsInf(costs[b.at], 1) {
			b.estimate, b.sequence = b.cost+costs[b.at], turn
			turn++
			heap.Push(queue, b)
		}
	}
	push(&pathPrefix{})
	for queue.Len() > 0 {
		if len(paths) == limit || len(paths) > 0 && turn > maxPrefixes {
			return paths, true
		}
		b := heap.Pop(queue).(*pathPrefix)
		if n.states[b.at].bundle == bundle {
			paths = append(paths, b.path())
			continue
		}
		for i := range n.transitions[b.at] {
			next := &n.transitions[b.at][i]
			if next.step.Switch() || !b.visits(n, next.step.To) {
				push(&pathPrefix{at: next.to, last: &next.step, parent: b, cost: b.cost + n.cost(next.to)})
			}
		}
	}
	return paths, n.truncated
}

// automaticPath follows the automatic upgrades of OLM v0.
func (a *PackageGraph) automaticPath(g *Graph, from string) (w Path, loop bool) {
	met := map[string]bool{from: true}
	for at := from; ; {
		steps := a.automaticStep(g, at)
		if len(steps) == 0 {
			return w, false
		}
		w = append(w, steps[0])
		if at = steps[0].To; met[at] {
			return w, true
		}
		met[at] = true
	}
}

// directPath returns a shortest path without channel switches, false if there is none. Its cost is linear in the entries, whatever
// the number of edges.
func (a *PackageGraph) directPath(q Question) (Path, bool) {
	if q.OLM() == V1 {
		return q.Extension.directPath(a.installedBundle(q.From), q.To)
	}
	w, _ := a.automaticPath(q.Channel, q.From)
	end := slices.IndexFunc(w, func(s Step) bool { return s.To == q.To })
	return w[:end+1], end >= 0
}
