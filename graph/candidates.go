package graph

import "github.com/blang/semver/v4"

// Candidates returns the edges into every entry that OLM v0 may put in the place of something installed, in the order in
// which it prefers them; of one entry the strongest. From is the entry of that name, or -1; it may be To as well, where a
// skipRange covers the version of its own entry. The version is the one on the cluster, nil if there is none (OLM: resolver
// getSubscriptionVariables).
func (g *Graph) Candidates(name string, version *semver.Version) []Edge {
	from, ok := g.index[name]
	if !ok {
		from = -1
	}
	claims := g.newClaims(newInstalled(map[string]int{name: 0}, []*semver.Version{version}), 1)
	var edges []Edge
	order, _ := g.Order()
	for _, to := range order {
		claims.claim(to, func(e Edge) bool {
			if n := len(edges); n == 0 || edges[n-1].To != to {
				e.From = from
				edges = append(edges, e)
			}
			return false
		})
	}
	return edges
}
