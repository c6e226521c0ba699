package graph

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// versionIndex is an index of bundles that may be installed, by name and by version, to find the edges of entries from them.
type versionIndex struct {
	names     map[string]int
	versions  []semver.Version // sorted, distinct
	sorted    []int            // the bundles that have a version, by version
	starts    []int            // where in sorted each version starts, and the end
	versionOf []int            // of each bundle, its version in versions, or -1
}

// newVersionIndex takes names and, index by index, versions; those of the same index are one bundle. A nil version is in no range.
func newVersionIndex(names map[string]int, versions []*semver.Version) *versionIndex {
	in := &versionIndex{names: names, versionOf: make([]int, len(versions))}
	for i, v := range versions {
		in.versionOf[i] = -1
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
		in.versionOf[i] = len(in.versions) - 1
	}
	in.starts = append(in.starts, len(in.sorted))
	return in
}

// coverage is which versions of the entries of a channel their skipRanges cover.
type coverage struct {
	*versionIndex
	ranges []*Range // of each entry; nil if it has none, or it cannot be parsed
	spans  [][]span // of each entry, in the versions of the channel
}

func (g *Graph) coverage() *coverage {
	return g.covers.value(func() *coverage {
		n := len(g.Channel.Entries)
		c := &coverage{newVersionIndex(g.index, g.versions.value(g.parseVersions)), make([]*Range, n), make([][]span, n)}
		first := map[string]int{} // the first entry with each skipRange
		for i, e := range g.eachEntry() {
			at, met := first[e.SkipRange.Value]
			if !met {
				first[e.SkipRange.Value] = i
				c.ranges[i] = g.Range(i)
				c.spans[i] = c.ranges[i].spans(c.versions)
				continue
			}
			c.ranges[i], c.spans[i] = c.ranges[at], c.spans[at]
		}
		return c
	})
}

// spansIn returns which versions of an index the skipRange of an entry covers.
func (c *coverage) spansIn(in *versionIndex, i int) []span {
	if in == c.versionIndex {
		return c.spans[i]
	}
	return c.ranges[i].spans(in.versions)
}

// isCovered reports whether the skipRange of an entry covers the version of another one.
func (c *coverage) isCovered(i, by int) bool {
	at := c.versionOf[i]
	return slices.ContainsFunc(c.spans[by], func(s span) bool { return s.low <= at && at < s.high })
}

// edgeAssignment assigns installed bundles to entries that replace, skip or cover them, each bundle at most once. Thus to assign all of
// them is linear in the bundles, however far the skipRanges reach.
type edgeAssignment struct {
	bundles        *versionIndex
	entries        entriesOf
	sameVersion    func(to int, each func(Edge)) // calls each with the edges that no field declares; nil: there are none
	assigned       []bool
	nextUnassigned []int // of each place in in.sorted: itself, or a later place up to which all are assigned
}

// entriesOf calls a function with each entry of a target, and with the versions that its skipRange covers.
type entriesOf func(to int, each func(e *catalogs.Entry, covers []span))

func newEdgeAssignment(in *versionIndex, bundles int, entries entriesOf) *edgeAssignment {
	a := &edgeAssignment{bundles: in, entries: entries, assigned: make([]bool, bundles), nextUnassigned: make([]int, len(in.sorted)+1)}
	for i := range a.nextUnassigned {
		a.nextUnassigned[i] = i
	}
	return a
}

// newEdgeAssignment assigns bundles to the entries of a channel.
func (g *Graph) newEdgeAssignment(in *versionIndex, bundles int) *edgeAssignment {
	c := g.coverage()
	return newEdgeAssignment(in, bundles, func(to int, each func(*catalogs.Entry, []span)) {
		each(&g.Channel.Entries[to], c.spansIn(in, to))
	})
}

// offerEdges offers take each edge to a target from a bundle that is not assigned yet. If take returns true the bundle is assigned.
func (a *edgeAssignment) offerEdges(to int, take func(Edge) bool) {
	a.entries(to, func(e *catalogs.Entry, covers []span) { a.offerDeclared(to, e, covers, take) })
	if a.sameVersion != nil {
		a.sameVersion(to, func(e Edge) { a.offerEdge(e, take) })
	}
}

// offerEdge offers take one edge, if its bundle is not assigned yet.
func (a *edgeAssignment) offerEdge(e Edge, take func(Edge) bool) {
	if !a.assigned[e.From] {
		a.assigned[e.From] = take(e)
	}
}

// offerDeclared offers take the edges that an entry declares, by the criterion of edgeKind: names in replaces and skips, then skipRange.
func (a *edgeAssignment) offerDeclared(to int, e *catalogs.Entry, covers []span, take func(Edge) bool) {
	for kind, where := range declaredNames(e) {
		if from, ok := a.bundles.names[where.Value]; ok {
			a.offerEdge(Edge{From: from, To: to, Kind: kind, Where: where}, take)
		}
	}
	for _, s := range covers {
		end := a.bundles.starts[s.high]
		for at := a.unassignedFrom(a.bundles.starts[s.low]); at < end; at = a.unassignedFrom(at + 1) {
			from := a.bundles.sorted[at]
			a.offerEdge(Edge{From: from, To: to, Kind: SkipRange, Where: e.SkipRange}, take)
			if a.assigned[from] {
				a.nextUnassigned[at] = at + 1
			}
		}
	}
}

// unassignedFrom returns the first place from at on that may be unassigned.
func (a *edgeAssignment) unassignedFrom(at int) int {
	for a.nextUnassigned[at] != at {
		a.nextUnassigned[at] = a.nextUnassigned[a.nextUnassigned[at]]
		at = a.nextUnassigned[at]
	}
	return at
}

// CoveredUpward returns the entries that an entry's skipRange covers though their version is not lower than its own, itself left
// out, in file order.
func (g *Graph) CoveredUpward(i int) []int {
	c := g.coverage()
	own := c.versionOf[i]
	if own < 0 {
		return nil
	}
	var covered []int
	for _, s := range c.spans[i] {
		if s.high > own {
			covered = append(covered, c.sorted[c.starts[max(s.low, own)]:c.starts[s.high]]...)
		}
	}
	slices.Sort(covered)
	return slices.DeleteFunc(covered, func(j int) bool { return j == i })
}
