package page

import (
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/diagram"
)

// needs says what a package requires, and who requires what of it. What only itself meets is between no two, but is said: its
// bundles have the requirement.
func (g *dataBuilder) needs(data *packageData, pkg string) {
	needs, needed := map[int]int{}, map[int]int{}
	for i := range g.dependencies {
		d := &g.dependencies[i]
		if d.From == pkg {
			data.Needs = g.need(data.Needs, needs, d, d.To)
		}
		if d.To == pkg && d.From != pkg && !d.Missing() {
			data.Needed = g.need(data.Needed, needed, d, d.From)
		}
	}
}

// need adds a dependency with another package to those of the same requirement, whose places are known.
func (g *dataBuilder) need(all []needData, places map[int]int, d *resolve.PackageDependency, other string) []needData {
	what := g.text(d.String())
	at, met := places[what]
	if !met {
		at = len(all)
		places[what] = at
		all = append(all, needData{What: what, Others: []int{}, Older: true})
	}
	n := &all[at]
	n.Older = n.Older && d.OnlyOlder()
	if !d.Missing() {
		n.Others = append(n.Others, g.text(other))
	}
	return all
}

// web says which packages the nodes of the picture are.
func (g *dataBuilder) web(w *diagram.Diagram) {
	for _, n := range w.Nodes {
		at := -1
		if n.Marks&diagram.Missing == 0 {
			at = g.text(n.Package)
		}
		g.DependencyNodes = append(g.DependencyNodes, at)
	}
}
