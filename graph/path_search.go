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
func (p Path) Hops() int {
	return len(p) - p.Switches()
}

// Switches returns how many of the steps switch the channel.
func (p Path) Switches() int {
	n := 0
	for i := range p {
		if p[i].Switch() {
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
	pkg            *PackageGraph
	question       Question
	switchChannels bool

	states          []state
	ids             map[state]int
	transitions     [][]transition
	steps           map[state][]Step // by graph and bundle
	transitionCount int
	truncated       bool // it was too large to explore
}

// stateGraph explores what can happen to the installed bundle of a question; a subscription stays in its channel unless channel
// switches are allowed. Under OLM v1 there are none, and all states are of the graph -1.
func (pg *PackageGraph) stateGraph(q Question, switchChannels bool) *stateGraph {
	sg := &stateGraph{pkg: pg, question: q, switchChannels: switchChannels && q.OLM() == V0, ids: map[state]int{}, steps: map[state][]Step{}}
	sg.id(state{graph: slices.Index(pg.Graphs, q.Channel), bundle: q.From})
	for at := 0; at < len(sg.states); at++ {
		if sg.transitionCount > maxTransitions {
			sg.truncated = true
			sg.transitions = append(sg.transitions, nil)
			continue
		}
		sg.explore(sg.states[at])
	}
	return sg
}

func (sg *stateGraph) id(s state) int {
	id, met := sg.ids[s]
	if !met {
		id = len(sg.states)
		sg.ids[s] = id
		sg.states = append(sg.states, s)
	}
	return id
}

func (sg *stateGraph) explore(s state) {
	var out []transition
	for _, step := range sg.nextSteps(s.graph, s.bundle) {
		out = append(out, transition{sg.id(state{graph: s.graph, bundle: step.To}), step})
	}
	if sg.switchChannels && !s.switched {
		for h, g := range sg.pkg.Graphs {
			if h == s.graph || len(sg.nextSteps(h, s.bundle)) == 0 {
				continue // there is no upgrade in that channel
			}
			channelSwitch := Step{Graph: g, From: s.bundle, To: s.bundle, Edge: noEdge}
			out = append(out, transition{sg.id(state{graph: h, bundle: s.bundle, switched: true}), channelSwitch})
		}
	}
	sg.transitionCount += len(out)
	sg.transitions = append(sg.transitions, out)
}

func (sg *stateGraph) nextSteps(g int, bundle string) []Step {
	key := state{graph: g, bundle: bundle}
	steps, met := sg.steps[key]
	if !met {
		if sg.question.OLM() == V1 {
			steps, _ = sg.question.Extension.upgradesByVersion(sg.pkg.installedBundle(bundle))
		} else {
			steps = sg.pkg.automaticStep(sg.pkg.Graphs[g], bundle)
		}
		sg.steps[key] = steps
	}
	return steps
}

// cost returns the cost of the step to a state: one, or more than all upgrades together if it switches the channel.
func (sg *stateGraph) cost(to int) float64 {
	if sg.states[to].switched {
		return float64(len(sg.states) + 1)
	}
	return 1
}

// costs returns the cost of reaching a bundle from each state, infinity if there is no path.
func (sg *stateGraph) costs(bundle string) []float64 {
	goal := len(sg.states)
	d := newDirected(goal + 1)
	for id, out := range sg.transitions {
		for i := range out {
			d.add(id, out[i].to)
		}
		if sg.states[id].bundle == bundle {
			d.add(id, goal)
		}
	}
	tree := path.DijkstraFrom(simple.Node(goal), weighted{reversed{d}, sg})
	costs := make([]float64, len(sg.states))
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
func (p *pathPrefix) visits(sg *stateGraph, bundle string) bool {
	for ; p != nil; p = p.parent {
		if sg.states[p.at].bundle == bundle {
			return true
		}
	}
	return false
}

func (p *pathPrefix) path() (steps Path) {
	for ; p.last != nil; p = p.parent {
		steps = append(steps, *p.last)
	}
	slices.Reverse(steps)
	return steps
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
func (sg *stateGraph) paths(bundle string, limit int) (paths []Path, more bool) {
	costs := sg.costs(bundle)
	queue, turn := &prefixQueue{}, 0
	push := func(p *pathPrefix) {
		if !math.IsInf(costs[p.at], 1) {
			p.estimate, p.sequence = p.cost+costs[p.at], turn
			turn++
			heap.Push(queue, p)
		}
	}
	push(&pathPrefix{})
	for queue.Len() > 0 {
		if len(paths) == limit || len(paths) > 0 && turn > maxPrefixes {
			return paths, true
		}
		p := heap.Pop(queue).(*pathPrefix)
		if sg.states[p.at].bundle == bundle {
			paths = append(paths, p.path())
			continue
		}
		for i := range sg.transitions[p.at] {
			next := &sg.transitions[p.at][i]
			if next.step.Switch() || !p.visits(sg, next.step.To) {
				push(&pathPrefix{at: next.to, last: &next.step, parent: p, cost: p.cost + sg.cost(next.to)})
			}
		}
	}
	return paths, sg.truncated
}

// automaticPath follows the automatic upgrades of OLM v0.
func (pg *PackageGraph) automaticPath(g *Graph, from string) (p Path, loop bool) {
	met := map[string]bool{from: true}
	for at := from; ; {
		steps := pg.automaticStep(g, at)
		if len(steps) == 0 {
			return p, false
		}
		p = append(p, steps[0])
		if at = steps[0].To; met[at] {
			return p, true
		}
		met[at] = true
	}
}

// directPath returns a shortest path without channel switches, false if there is none. Its cost is linear in the entries, whatever
// the number of edges.
func (pg *PackageGraph) directPath(q Question) (Path, bool) {
	if q.OLM() == V1 {
		return q.Extension.directPath(pg.installedBundle(q.From), q.To)
	}
	p, _ := pg.automaticPath(q.Channel, q.From)
	end := slices.IndexFunc(p, func(s Step) bool { return s.To == q.To })
	return p[:end+1], end >= 0
}
