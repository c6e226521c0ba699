package graph

import (
	"iter"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Candidates returns the edges into every entry that OLM v0 may put in the place of something installed, in the order in
// which it prefers them; of one entry the strongest. From is the entry of that name, or -1; it may be To as well, where a
// skipRange covers the version of its own entry. The version is the one on the cluster, nil if there is none (OLM: resolver
// getSubscriptionVariables).
func (g *Graph) Candidates(name string, version *semver.Version) []Edge {
	order, _ := g.Order()
	return slices.Collect(g.into(order, name, version))
}

// into yields the strongest edge into each of some entries from something installed. From is the entry of that name, or -1;
// a nil version is in no range.
func (g *Graph) into(entries []int, name string, version *semver.Version) iter.Seq[Edge] {
	from, ok := g.index[name]
	if !ok {
		from = -1
	}
	return func(yield func(Edge) bool) {
		for _, to := range entries {
			kind, where, ok := g.takesOver(to, name, version)
			if ok && !yield(Edge{From: from, To: to, Kind: kind, Where: where}) {
				return
			}
		}
	}
}

// takesOver says by which of its fields an entry takes over something installed, if it does.
func (g *Graph) takesOver(to int, name string, version *semver.Version) (EdgeKind, catalogs.Text, bool) {
	e := &g.Channel.Entries[to]
	for kind, where := range named(e) {
		if where.Value == name {
			return kind, where, true
		}
	}
	return SkipRange, e.SkipRange, version != nil && g.rangeOf(to).Contains(*version)
}
