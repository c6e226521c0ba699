package graph

import (
	"container/heap"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
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

// Way is steps that follow each other.
type Way []Step

// Hops returns how many of the steps are upgrades.
func (w Way) Hops() int {
	return len(w) - w.Switches()
}

// Switches returns how many of the steps switch the channel.
func (w Way) Switches() int {
	n := 0
	for i := range w {
		if w[i].Switch() {
			n++
		}
	}
	return n
}

const (
	maxArcs   = 2_000_000 // of a state graph: far more than any published package has
	maxLooked = 500_000   // prefixes that are examined for more than one path
)

// state is an installed bundle and the channel of its subscription.
type state struct {
	graph  int
	bundle string
	moved  bool // the last step switched the channel
}

type arc struct {
	to   int
	step Step
}

// network is the graph of all states that an installed bundle can get to.
type network struct {
	atlas    *Atlas
	question Question
	moves    bool

	states []state
	ids    map[state]int
	out    [][]arc
	hops   map[state][]Step // by graph and bundle
	arcs   int
	cut    bool // it was too large to explore
}

// network explores what can happen to the installed bundle of a question; a subscription stays in its channel unless channel
// switches are allowed. Under OLM v1 there are none, and all states are of the graph -1.
func (a *Atlas) network(q Question, moves bool) *network {
	n := &network{atlas: a, question: q, moves: moves && q.OLM() == V0, ids: map[state]int{}, hops: map[state][]Step{}}
	n.id(state{graph: slices.Index(a.Graphs, q.Channel), bundle: q.From})
	for at := 0; at < len(n.states); at++ {
		if n.arcs > maxArcs {
			n.cut = true
			n.out = append(n.out, nil)
			continue
		}
		n.explore(n.states[at])
	}
	return n
}

func (n *network) id(s state) int {
	id, met := n.ids[s]
	if !met {
		id = len(n.states)
		n.ids[s] = id
		n.states = append(n.states, s)
	}
	return id
}

func (n *network) explore(s state) {
	var out []arc
	for _, step := range n.hopsOf(s.graph, s.bundle) {
		out = append(out, arc{n.id(state{graph: s.graph, bundle: step.To}), step})
	}
	if n.moves && !s.moved {
		for h, g := range n.atlas.Graphs {
			if h == s.graph || len(n.hopsOf(h, s.bundle)) == 0 {
				continue // there is no upgrade in that channel
			}
			move := Step{Graph: g, From: s.bundle, To: s.bundle, Edge: none}
			out = append(out, arc{n.id(state{graph: h, bundle: s.bundle, moved: true}), move})
		}
	}
	n.arcs += len(out)
	n.out = append(n.out, out)
}

func (n *network) hopsOf(g int, bundle string) []Step {
	key := state{graph: g, bundle: bundle}
	steps, met := n.hops[key]
	if !met {
		if n.question.OLM() == V1 {
			steps, _ = n.question.Extension.Pins(n.atlas.installed(bundle))
		} else {
			steps = n.atlas.hops(n.atlas.Graphs[g], bundle)
		}
		n.hops[key] = steps
	}
	return steps
}

// cost returns the cost of a step: one, or more than all upgrades together if it switches the channel.
func (n *network) cost(s *Step) float64 {
	if s.Switch() {
		return float64(len(n.states) + 1)
	}
	return 1
}

// costs returns the cost of reaching a bundle from each state, infinity if there is no path.
func (n *network) costs(bundle string) []float64 {
	back := backwards{in: make([]map[int64]float64, len(n.states)+1), from: make([][]graph.Node, len(n.states)+1)}
	goal := int64(len(n.states))
	for id, out := range n.out {
		if n.states[id].bundle == bundle {
			back.add(goal, int64(id), 0)
		}
		for i := range out {
			back.add(int64(out[i].to), int64(id), n.cost(&out[i].step))
		}
	}
	tree := path.DijkstraFrom(simple.Node(goal), back)
	costs := make([]float64, len(n.states))
	for id := range costs {
		costs[id] = tree.WeightTo(int64(id))
	}
	return costs
}

// backwards is a state graph with its transitions reversed, for gonum.
type backwards struct {
	in   []map[int64]float64
	from [][]graph.Node
}

func (b backwards) add(u, v int64, cost float64) {
	if b.in[u] == nil {
		b.in[u] = map[int64]float64{}
	}
	if _, again := b.in[u][v]; !again {
		b.in[u][v] = cost
		b.from[u] = append(b.from[u], simple.Node(v))
	}
}

// From implements traverse.Graph.
func (b backwards) From(id int64) graph.Nodes {
	if len(b.from[id]) == 0 {
		return graph.Empty
	}
	return iterator.NewOrderedNodes(b.from[id])
}

// Edge implements traverse.Graph.
func (b backwards) Edge(u, v int64) graph.Edge {
	if _, ok := b.in[u][v]; !ok {
		return nil
	}
	return simple.Edge{F: simple.Node(u), T: simple.Node(v)}
}

// Weight implements path.Weighting.
func (b backwards) Weight(u, v int64) (float64, bool) {
	w, ok := b.in[u][v]
	return w, ok
}

// beginning is the beginning of a path.
type beginning struct {
	at    int // the state it leads to
	last  *Step
	rest  *beginning // all but the last step
	spent float64
	total float64 // the cost of the cheapest path with this prefix
	turn  int
}

// passes reports whether the path visits a bundle.
func (b *beginning) passes(n *network, bundle string) bool {
	for ; b != nil; b = b.rest {
		if n.states[b.at].bundle == bundle {
			return true
		}
	}
	return false
}

func (b *beginning) way() Way {
	var w Way
	for ; b.last != nil; b = b.rest {
		w = append(w, *b.last)
	}
	slices.Reverse(w)
	return w
}

// beginnings is a heap, the lowest estimate first.
type beginnings []*beginning

func (h beginnings) Len() int      { return len(h) }
func (h beginnings) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h beginnings) Less(i, j int) bool {
	if h[i].total != h[j].total {
		return h[i].total < h[j].total
	}
	return h[i].turn < h[j].turn
}
func (h *beginnings) Push(x any) { *h = append(*h, x.(*beginning)) }
func (h *beginnings) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// ways returns up to limit paths to a bundle that visit none twice, ordered by the number of channel switches, then of upgrades.
// More is true if there may be others.
func (n *network) ways(bundle string, limit int) (paths []Way, more bool) {
	costs := n.costs(bundle)
	queue, turn := &beginnings{}, 0
	push := func(b *beginning) {
		if !math.IsInf(costs[b.at], 1) {
			b.total, b.turn = b.spent+costs[b.at], turn
			turn++
			heap.Push(queue, b)
		}
	}
	push(&beginning{})
	for queue.Len() > 0 {
		if len(paths) == limit || len(paths) > 0 && turn > maxLooked {
			return paths, true
		}
		b := heap.Pop(queue).(*beginning)
		if n.states[b.at].bundle == bundle {
			paths = append(paths, b.way())
			continue
		}
		for i := range n.out[b.at] {
			next := &n.out[b.at][i]
			if next.step.Switch() || !b.passes(n, next.step.To) {
				push(&beginning{at: next.to, last: &next.step, rest: b, spent: b.spent + n.cost(&next.step)})
			}
		}
	}
	return paths, n.cut
}
