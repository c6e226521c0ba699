package graph

import (
	"iter"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Next returns the edge along which OLM v0 upgrades an installed entry, dependencies left out; false if there is none. It leads
// to the first entry of the order that replaces it, skips it, or has its version in the skipRange (OLM: resolver
// getSubscriptionVariables). If that is the installed entry itself, because its skipRange covers its own version, there is none.
func (g *Graph) Next(from int) (Edge, bool) { return g.automaticV0().edge(from) }

func (g *Graph) automaticV0() *automaticEdges {
	return g.v0.value(func() *automaticEdges { return g.automaticFrom(g) })
}

// automaticFrom returns the upgrades in this channel from the entries of another one, under OLM v0. From of the edges is in that
// channel.
func (g *Graph) automaticFrom(from *Graph) *automaticEdges {
	a := newAutomaticEdges(len(from.Channel.Entries))
	assignment := g.newEdgeAssignment(from.coverage().versionIndex, len(a.next))
	for _, to := range g.ordering().offered {
		assignment.offerEdges(to, func(e Edge) bool {
			if from.Name(e.From) != g.Name(to) {
				a.next[e.From] = e
			}
			return true
		})
	}
	return a
}

// NextOfInstalled is Next for something installed that may not be in the channel. Version may be empty. From of the edge is the
// entry of that name, or -1.
func (g *Graph) NextOfInstalled(name, version string) (Edge, bool) {
	for e := range g.Candidates(name, ParseVersion(version)) {
		return e, e.From != e.To
	}
	return noEdge, false
}

// NextOfAllInstalled is NextOfInstalled for many that are not in the channel, at once; To is -1 where there is no upgrade.
func (g *Graph) NextOfAllInstalled(all []InstalledBundle) []Edge {
	a, names, versions := newAutomaticEdges(len(all)), map[string]int{}, make([]*semver.Version, len(all))
	for i, in := range all {
		names[in.Name] = i
		versions[i] = ParseVersion(in.Version)
	}
	assignment := g.newEdgeAssignment(newVersionIndex(names, versions), len(all))
	for _, to := range g.ordering().offered {
		assignment.offerEdges(to, func(e Edge) bool {
			a.next[e.From] = Edge{From: -1, To: to, Kind: e.Kind, Where: e.Where}
			return true
		})
	}
	return a.next
}

// Candidates yields the edges to every entry to which OLM v0 may upgrade something installed, by its order of preference; of
// one entry the edge with the highest precedence. From is the entry of that name, or -1; it may be To as well, where a skipRange
// covers the version of its own entry. The version is the one on the cluster, nil if there is none (OLM: resolver
// getSubscriptionVariables).
func (g *Graph) Candidates(name string, version *semver.Version) iter.Seq[Edge] {
	from, ok := g.index[name]
	if !ok {
		from = -1
	}
	return func(yield func(Edge) bool) {
		for _, to := range g.ordering().offered {
			kind, where, ok := g.edgeKind(to, name, version)
			if ok && !yield(Edge{From: from, To: to, Kind: kind, Where: where}) {
				return
			}
		}
	}
}

// edgeKind returns which field of an entry declares the upgrade from something installed; false if none does. offerDeclared has the same
// criterion, for many bundles at once.
func (g *Graph) edgeKind(to int, name string, version *semver.Version) (EdgeKind, catalogs.Text, bool) {
	e := &g.Channel.Entries[to]
	for kind, where := range declaredNames(e) {
		if where.Value == name {
			return kind, where, true
		}
	}
	return SkipRange, e.SkipRange, version != nil && g.coverage().ranges[to].Contains(*version)
}

// NextFor is Next for the name of an entry, and else NextOfInstalled.
func (g *Graph) NextFor(in InstalledBundle) (Edge, bool) {
	if i, ok := g.Index(in.Name); ok {
		return g.Next(i)
	}
	return g.NextOfInstalled(in.Name, in.Version)
}
