package graph

import (
	"iter"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Candidates returns the edges to every entry to which OLM v0 may upgrade something installed, by its order of preference; of
// one entry the edge with the highest precedence. From is the entry of that name, or -1; it may be To as well, where a skipRange
// covers the version of its own entry. The version is the one on the cluster, nil if there is none (OLM: resolver
// getSubscriptionVariables).
func (g *Graph) Candidates(name string, version *semver.Version) []Edge {
	order, _ := g.Order()
	return slices.Collect(g.edgesFromInstalled(order, name, version))
}

// edgesFromInstalled yields the edge with the highest precedence to each of some entries from something installed. From is the entry of that
// name, or -1; a nil version is in no range.
func (g *Graph) edgesFromInstalled(entries []int, name string, version *semver.Version) iter.Seq[Edge] {
	from, ok := g.index[name]
	if !ok {
		from = -1
	}
	return func(yield func(Edge) bool) {
		for _, to := range entries {
			kind, where, ok := g.edgeKind(to, name, version)
			if ok && !yield(Edge{From: from, To: to, Kind: kind, Where: where}) {
				return
			}
		}
	}
}

// edgeKind returns which field of an entry declares the upgrade from something installed; false if none does.
func (g *Graph) edgeKind(to int, name string, version *semver.Version) (EdgeKind, catalogs.Text, bool) {
	e := &g.Channel.Entries[to]
	for kind, where := range declaredNames(e) {
		if where.Value == name {
			return kind, where, true
		}
	}
	return SkipRange, e.SkipRange, version != nil && g.rangeOf(to).Contains(*version)
}
