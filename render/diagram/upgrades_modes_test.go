package diagram

import (
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
)

// TestModesGrow checks that declared draws all that auto draws, and all what declared draws.
func TestModesGrow(t *testing.T) {
	for _, ref := range append(catalogtest.Match(t, "fbc/community-v4.??"), "../../testdata/catalogs/stuck", "../../testdata/catalogs/harbour") {
		cats := opentest.Open(t, ref)
		for _, p := range cats[0].Packages {
			for _, olm := range []graph.Generation{graph.V0, graph.V1} {
				drawn := map[string]EdgeKind{}
				for _, mode := range []EdgeMode{Auto, modeDeclared, All} {
					now := map[string]EdgeKind{}
					lines := 0
					for _, g := range Upgrades(graph.NewPackageGraph(p), UpgradeOptions{Mode: mode, OLM: olm}).Groups {
						for _, e := range g.Edges {
							now[e.id()] = e.Kind
						}
						for _, n := range g.Nodes {
							lines += len(n.Lines)
						}
					}
					for id, kind := range drawn {
						if is, ok := now[id]; !ok || kind.isAutomatic() != is.isAutomatic() {
							t.Errorf("%s, %s, edges %s: no %s of kind %d", p.Name.Value, olm, mode, id, kind)
						}
					}
					drawn = now
				}
			}
		}
	}
}
