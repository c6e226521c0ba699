package graph

import (
	"slices"

	"github.com/blang/semver/v4"
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/traverse"

	"github.com/olmgraph/olmgraph/catalogs"
)

// installed is an index of bundles that may be installed, by name and by version, to find the edges of entries from them.
type installed struct {
	names    map[string]int
	versions []semver.Version // sorted, distinct
	sorted   []int            // the bundles that have a version, by version
	starts   []int            // where in sorted each version starts, and the end
	at       []int            // of each bundle, its version in versions, or -1
}

// newInstalled takes names and, index by index, versions; those of the same index are one bundle. A nil version is in no range.
func newInstalled(names map[string]int, versions []*semver.Version) *installed {
	in := &installed{names: names, at: make([]int, len(versions))}
	for i, v := range versions {
		in.at[i] = -1
		if v != nil {
			in.sorted = append(in.sorted, i)
		}
	}
	slices.SortStableFunc(in.sorted, func(a, b int) int { return versions[a].Compare(*versions[b]) })
	for at, i := range in.sorted {
		if n := len(in.versions); n == 0 || in.versions[n-1].LT(*versions[i]) {
			in.versions = append(in.versions, *versions[i])
			in.starts = append(in.starts, at)
		}
		in.at[i] = len(in.versions) - 1
	}
	in.starts = append(in.starts, len(in.sorted))
	return in
}

// own returns the index of the entries of the channel.
func (g *Graph) own() *installed {
	return g.asInstalled.get(g.findOwn)
}

func (g *Graph) findOwn() *installed {
	return newInstalled(g.index, g.versions.get(g.parseVersions))
}

// rangeOf returns the skipRange of an entry, nil if there is none or it cannot be parsed.
func (g *Graph) rangeOf(i int) *Range {
	return g.ranges.get(g.parseRanges)[i]
}

func (g *Graph) parseRanges() []*Range {
	ranges := make([]*Range, len(g.Channel.Entries))
	known := map[string]*Range{}
	for i, e := range g.entries() {
		text := e.SkipRange.Value
		if text == "" {
			continue
		}
		r, met := known[text]
		if !met {
			r, _ = ParseRange(text)
			known[text] = r
		}
		ranges[i] = r
	}
	return ranges
}

// spansOf returns which versions of an index the skipRange of an entry covers.
func (g *Graph) spansOf(to int, in *installed) []span {
	if in == g.own() {
		return g.covers.get(g.findCovers)[to]
	}
	if r := g.rangeOf(to); r != nil {
		return r.spans(in.versions)
	}
	return nil
}

func (g *Graph) findCovers() [][]span {
	covers := make([][]span, len(g.Channel.Entries))
	known := map[*Range][]span{}
	for _, i := range g.members {
		r := g.rangeOf(i)
		if r == nil {
			continue
		}
		spans, met := known[r]
		if !met {
			spans = r.spans(g.own().versions)
			known[r] = spans
		}
		covers[i] = spans
	}
	return covers
}

// covered reports whether the skipRange of an entry covers the version of another one.
func (g *Graph) covered(from, by int) bool {
	at := g.own().at[from]
	return slices.ContainsFunc(g.spansOf(by, g.own()), func(s span) bool { return s.low <= at && at < s.high })
}

// claims assigns installed bundles to entries that replace, skip or cover them, each bundle at most once. Thus to assign all of
// them is linear in the bundles, however far the skipRanges reach.
type claims struct {
	in      *installed
	entries entriesOf
	equal   func(to int, each func(Edge)) // calls each with the edges that no field declares; nil: there are none
	claimed []bool
	free    []int // of each place in in.sorted: itself, or a later place up to which all are assigned
}

// entriesOf calls a function with each entry of a target, and with the versions that its skipRange covers.
type entriesOf func(to int, each func(e *catalogs.Entry, covers []span))

func newClaims(in *installed, bundles int, entries entriesOf) *claims {
	c := &claims{in: in, entries: entries, claimed: make([]bool, bundles), free: make([]int, len(in.sorted)+1)}
	for i := range c.free {
		c.free[i] = i
	}
	return c
}

// newClaims assigns bundles to the entries of a channel.
func (g *Graph) newClaims(in *installed, bundles int) *claims {
	return newClaims(in, bundles, func(to int, each func(*catalogs.Entry, []span)) {
		each(&g.Channel.Entries[to], g.spansOf(to, in))
	})
}

// claim offers take each edge to a target from a bundle that is not assigned yet. If take returns true the bundle is assigned.
func (c *claims) claim(to int, take func(Edge) bool) {
	c.entries(to, func(e *catalogs.Entry, covers []span) { c.claimFor(to, e, covers, take) })
	if c.equal != nil {
		c.equal(to, func(e Edge) { c.claimOne(e, take) })
	}
}

// claimOne offers take one edge, if its bundle is not assigned yet.
func (c *claims) claimOne(e Edge, take func(Edge) bool) {
	if !c.claimed[e.From] {
		c.claimed[e.From] = take(e)
	}
}

func (c *claims) claimFor(to int, e *catalogs.Entry, covers []span, take func(Edge) bool) {
	for kind, where := range named(e) {
		if from, ok := c.in.names[where.Value]; ok {
			c.claimOne(Edge{From: from, To: to, Kind: kind, Where: where}, take)
		}
	}
	for _, s := range covers {
		end := c.in.starts[s.high]
		for at := c.next(c.in.starts[s.low]); at < end; at = c.next(at + 1) {
			from := c.in.sorted[at]
			c.claimOne(Edge{From: from, To: to, Kind: SkipRange, Where: e.SkipRange}, take)
			if c.claimed[from] {
				c.free[at] = at + 1
			}
		}
	}
}

// next returns the first place from at on that may be unassigned.
func (c *claims) next(at int) int {
	for c.free[at] != at {
		c.free[at] = c.free[c.free[at]]
		at = c.free[at]
	}
	return at
}

// ways is the graph of all reversed edges, generated as a reverse breadth-first search visits it: an entry is adjacent only to
// the first entry that the search could reach it from. It can be searched once.
type ways struct {
	*claims
	rules
	step []Edge // from each entry that was visited, towards the start of the search
}

// rules say which edges count: those that follows accepts, into entries that offers accepts.
type rules struct {
	offers  func(to int) bool
	follows func(e Edge) bool
}

// anyEdge lets every edge count.
func anyEdge() rules {
	return rules{offers: func(int) bool { return true }, follows: func(Edge) bool { return true }}
}

// waysTo searches all entries from which edges lead to some entries.
func (g *Graph) waysTo(ends []int, r rules) *ways {
	return waysTo(g.newClaims(g.own(), len(g.Channel.Entries)), ends, r)
}

func waysTo(c *claims, ends []int, r rules) *ways {
	w := &ways{claims: c, rules: r, step: make([]Edge, len(c.claimed))}
	for i := range w.step {
		w.step[i] = none
	}
	for _, end := range ends {
		w.claimed[end] = true
	}
	for _, end := range ends {
		var walk traverse.BreadthFirst
		walk.Walk(w, simple.Node(end), nil)
	}
	return w
}

// From implements traverse.Graph.
func (w *ways) From(id int64) graph.Nodes {
	if !w.offers(int(id)) {
		return graph.Empty
	}
	var nodes []graph.Node
	w.claim(int(id), func(e Edge) bool {
		if !w.follows(e) {
			return false
		}
		w.step[e.From] = e
		nodes = append(nodes, simple.Node(e.From))
		return true
	})
	return iterator.NewOrderedNodes(nodes)
}

// Edge implements traverse.Graph.
func (w *ways) Edge(from, to int64) graph.Edge {
	return simple.Edge{F: simple.Node(from), T: simple.Node(to)}
}

// InRangeFrom returns the entries that an entry's skipRange covers though their version is not lower than its own, itself left
// out, in file order.
func (g *Graph) InRangeFrom(i int) []int {
	r, own := g.rangeOf(i), g.Version(i)
	if r == nil || own == nil {
		return nil
	}
	in := g.own()
	at, _ := slices.BinarySearchFunc(in.versions, *own, semver.Version.Compare)
	var covered []int
	for _, s := range r.spans(in.versions) {
		if s.high > at {
			covered = append(covered, in.sorted[in.starts[max(s.low, at)]:in.starts[s.high]]...)
		}
	}
	slices.Sort(covered)
	return slices.DeleteFunc(covered, func(j int) bool { return j == i })
}
