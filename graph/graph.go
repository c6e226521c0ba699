// Package graph determines the upgrades in channels and packages: for opm, for OLM v0 and for OLM v1.
//
// A Graph is built from a channel once and never changes. It computes each result when it is first needed, and is safe for
// concurrent use. Entries are identified by their index in the channel's entries. Callers must not change the slices that it
// returns.
//
// New builds the graph of a channel; NewPackageGraph builds the graphs of all channels of a package and answers questions about paths (Ask),
// Change compares a channel with what it was, and Diff a package.
package graph

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// EdgeKind is why an entry is an upgrade of another one: in most cases a field.
type EdgeKind uint8

// The fields that declare an edge, by precedence; SameVersion is an edge of OLM v1 between bundles of one version.
const (
	Replaces EdgeKind = iota
	Skips
	SkipRange
	SameVersion
)

// String returns the name of the field, or "same version".
func (k EdgeKind) String() string {
	return [...]string{"replaces", "skips", "skipRange", "same version"}[k]
}

// Edge says that From can be upgraded to To because of a field of To. Where is that field's value, and its position.
type Edge struct {
	From, To int
	Kind     EdgeKind
	Where    catalogs.Text
}

// noEdge marks an absent edge.
var noEdge = Edge{From: -1, To: -1}

// Graph is the upgrade graph of one channel.
type Graph struct {
	Package *catalogs.Package
	Channel *catalogs.Channel

	index   map[string]int
	members []int // the entries that take part, ascending
	ranges  *memo.Shared[string, *Range]

	declared lazy[[][]Edge]
	skipped  lazy[map[string]bool]
	heads    lazy[[]int]
	chain    lazy[Chain]
	cycles   lazy[[][]Edge]
	order    lazy[*ordering]
	versions lazy[[]*semver.Version]
	covers   lazy[*coverage]
	v0       lazy[*automaticEdges]
	v1       lazy[*Extension]
	stuck    lazy[[]Stuck]
	unskips  lazy[[][]Edge]
}

// lazy is a value that is computed when it is first needed. If that panics, so does each later call: there is no value.
type lazy[T any] struct {
	once     sync.Once
	computed *T
}

// value returns what work computes, which it does once; each time if l is nil.
func (l *lazy[T]) value(work func() T) T {
	if l == nil {
		return work()
	}
	l.once.Do(func() { v := work(); l.computed = &v })
	return *l.computed
}

// New builds the graph of a channel of a package. Where a name has several entries the first one counts; the others take
// no part.
func New(p *catalogs.Package, c *catalogs.Channel) *Graph {
	g := &Graph{
		Package: p,
		Channel: c,
		index:   make(map[string]int, len(c.Entries)),
		members: make([]int, 0, len(c.Entries)),
		ranges:  &memo.Shared[string, *Range]{},
	}
	for i := range c.Entries {
		name := c.Entries[i].Name.Value
		if _, again := g.index[name]; !again {
			g.index[name] = i
			g.members = append(g.members, i)
		}
	}
	return g
}

// WithChannel returns the graph of a changed channel, which shares the ranges that were read.
func (g *Graph) WithChannel(c *catalogs.Channel) *Graph {
	changed := New(g.Package, c)
	changed.ranges = g.ranges
	return changed
}

// Range returns the skipRange of an entry, or nil if it has none or cannot be parsed.
func (g *Graph) Range(i int) *Range {
	text := g.Channel.Entries[i].SkipRange.Value
	return g.ranges.Get(text, func() *Range { return ReadRange(text) })
}

// Index returns the entry of that name.
func (g *Graph) Index(name string) (int, bool) {
	i, ok := g.index[name]
	return i, ok
}

// Name returns the name of an entry.
func (g *Graph) Name(i int) string { return g.Channel.Entries[i].Name.Value }

// Names returns the names of entries.
func (g *Graph) Names(entries []int) []string {
	return words.Map(entries, g.Name)
}

// Version returns the version of an entry's bundle, or nil if it has none: see ParseVersion.
func (g *Graph) Version(i int) *semver.Version {
	return g.versions.value(g.parseVersions)[i]
}

func (g *Graph) parseVersions() []*semver.Version {
	versions := make([]*semver.Version, len(g.Channel.Entries))
	for i, e := range g.eachEntry() {
		switch {
		case e.Bundle != nil:
			versions[i] = ParseVersion(e.Bundle.Version.Value)
		case len(g.Package.Bundles) == 0: // a part of a catalog, to which the bundles are added
			if v, ok := VersionIn(e.Name.Value); ok {
				versions[i] = &v
			}
		}
	}
	return versions
}

// Entries returns the entries that take part, in file order.
func (g *Graph) Entries() []int { return g.members }

func (g *Graph) eachEntry() iter.Seq2[int, *catalogs.Entry] {
	return func(yield func(int, *catalogs.Entry) bool) {
		for _, i := range g.members {
			if !yield(i, &g.Channel.Entries[i]) {
				return
			}
		}
	}
}

// Edges returns the replaces and skips edges out of an entry that lead to entries of the channel, itself included, by
// target, and of one target replaces first.
func (g *Graph) Edges(from int) []Edge {
	return g.declared.value(func() [][]Edge {
		out := make([][]Edge, len(g.Channel.Entries))
		for to, e := range g.eachEntry() {
			for kind, where := range declaredNames(e) {
				from, ok := g.index[where.Value]
				if !ok {
					continue
				}
				if n := len(out[from]); n > 0 && out[from][n-1].To == to && out[from][n-1].Kind == kind {
					continue // the same name skipped again
				}
				out[from] = append(out[from], Edge{From: from, To: to, Kind: kind, Where: where})
			}
		}
		return out
	})[from]
}

// declaredNames yields the names in replaces and skips of an entry, replaces first. An absent replaces is no name; an empty string among
// the skips is one.
func declaredNames(e *catalogs.Entry) iter.Seq2[EdgeKind, catalogs.Text] {
	return func(yield func(EdgeKind, catalogs.Text) bool) {
		if e.Replaces.Value != "" && !yield(Replaces, e.Replaces) {
			return
		}
		for _, skip := range e.Skips {
			if !yield(Skips, skip) {
				return
			}
		}
	}
}

// byName sorts entries by name.
func (g *Graph) byName(entries []int) []int {
	slices.SortFunc(entries, func(a, b int) int { return strings.Compare(g.Name(a), g.Name(b)) })
	return entries
}

// MissingTarget is a name in replaces or skips that is no entry of the channel.
type MissingTarget struct {
	Entry int
	Kind  EdgeKind
	Where catalogs.Text
}

// MissingTargets returns the names in replaces and skips that are no entries of the channel, in file order. Empty ones are left out.
func (g *Graph) MissingTargets() []MissingTarget {
	var missing []MissingTarget
	for i, e := range g.eachEntry() {
		for kind, where := range declaredNames(e) {
			if _, ok := g.index[where.Value]; !ok && where.Value != "" {
				missing = append(missing, MissingTarget{Entry: i, Kind: kind, Where: where})
			}
		}
	}
	return missing
}
