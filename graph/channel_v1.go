package graph

import "slices"

// SuccessorsV1 returns every edge out of an entry, itself left out, in the order of the channel's entries; of one target,
// replaces before skips before skipRange and only the first (OLM v1: catalogmetadata/filter legacySuccessor).
func (g *Graph) SuccessorsV1(from int) []Edge {
	declared, c := g.Edges(from), g.coverage()
	var edges []Edge
	for _, to := range g.members {
		at := 0
		for at < len(declared) && declared[at].To == to {
			at++
		}
		switch {
		case to == from:
		case at > 0:
			edges = append(edges, declared[0])
		case c.isCovered(from, to):
			edges = append(edges, Edge{From: from, To: to, Kind: SkipRange, Where: g.Channel.Entries[to].SkipRange})
		}
		declared = declared[at:]
	}
	return edges
}

// extension is the ClusterExtension that names this channel, with the feature gates as they are by default.
func (g *Graph) extension() *Extension {
	return g.v1.value(func() *Extension { return newExtension(g.Package, []*Graph{g}, true, ReleaseOrder{}) })
}

// entryBundle returns the bundle of an entry in the extension; false if there is none or OLM v1 cannot read its version.
func (x *Extension) entryBundle(g *Graph, entry int) (int, bool) {
	i, ok := x.index[g.Name(entry)]
	return i, ok && x.versions[i] != nil
}

// HopsV1 is Hops for OLM v1, which never upgrades in a loop.
func (g *Graph) HopsV1(from int) (hops, end int) {
	next, ok := g.NextV1(from)
	if !ok {
		return 0, from
	}
	x := g.extension()
	t := x.automatic().endpoint(x.index[g.Name(next.To)])
	end, _ = g.Index(x.name(t.end))
	return t.hops + 1, end
}

// DeadEndsV1 returns the entries that no bundle replaces, skips or covers under OLM v1 and that are not the newest of the channel,
// in file order. Entries whose version OLM v1 cannot read are left out.
func (g *Graph) DeadEndsV1() []int {
	x := g.extension()
	succeeded, assignment := make([]bool, len(x.bundles)), x.newEdgeAssignment(x.ownCandidates())
	for to := range x.bundles {
		assignment.offerEdges(to, func(e Edge) bool {
			succeeded[e.From] = succeeded[e.From] || e.From != to && e.Kind != SameVersion
			return succeeded[e.From]
		})
	}
	newest := x.byVersion()
	return slices.DeleteFunc(slices.Clone(g.members), func(entry int) bool {
		i, ok := x.entryBundle(g, entry)
		return !ok || succeeded[i] || x.versions[i].compare(x.versions[newest[0]]) == 0
	})
}
