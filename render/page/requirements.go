package page

import "github.com/olmgraph/olmgraph/graph/resolve"

// requirements adds the requirements of a package and its dependents. A requirement that only the package itself provides is in
// Requires, but makes no dependent.
func (g *dataBuilder) requirements(data *packageData, pkg string) {
	needs, needed := map[int]int{}, map[int]int{}
	for i := range g.dependencies {
		d := &g.dependencies[i]
		if d.From == pkg {
			data.Requires = g.addRequirement(data.Requires, needs, d, d.To)
		}
		if d.To == pkg && d.From != pkg && !d.IsMissing() {
			data.RequiredBy = g.addRequirement(data.RequiredBy, needed, d, d.From)
		}
	}
}

// addRequirement adds a dependency on or of another package to those with the same requirement. places has their indexes.
func (g *dataBuilder) addRequirement(all []requirementData, places map[int]int, d *resolve.PackageDependency, other string) []requirementData {
	what := g.text(d.String())
	at, met := places[what]
	if !met {
		at = len(all)
		places[what] = at
		all = append(all, requirementData{What: what, Others: []int{}, Older: true})
	}
	n := &all[at]
	n.Older = n.Older && d.OnlyOlder()
	if !d.IsMissing() {
		n.Others = append(n.Others, g.text(other))
	}
	return all
}
