package plan

import "testing"

// What tests of graph/plan/mirrored use.

func RandomWorld(t testing.TB, seed uint64) (Cluster, []Catalog, Request, string) {
	w := newRandomWorld(t, seed)
	return w.cluster, w.catalogs, w.request, w.text
}

var (
	RealCatalogs = realCatalogs
	ClusterWith  = clusterWith
	OpenText     = openText
)
