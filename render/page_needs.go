package render

// needs says what a package requires, and who requires what of it. What only itself meets is between no two, but is said: its
// bundles have the requirement.
func (g *gatherer) needs(data *packageData, pkg string) {
	needs, needed := map[int]int{}, map[int]int{}
	for i := range g.dependencies {
		b := &g.dependencies[i]
		if b.from == pkg {
			data.Needs = g.need(data.Needs, needs, b, b.to)
		}
		if b.to == pkg && b.from != pkg && !b.nobody() {
			data.Needed = g.need(data.Needed, needed, b, b.from)
		}
	}
}

// need adds a dependency with another package to those of the same requirement, whose places are known.
func (g *gatherer) need(all []needData, places map[int]int, b *dependency, other string) []needData {
	what := g.text(b.need.String())
	at, met := places[what]
	if !met {
		at = len(all)
		places[what] = at
		all = append(all, needData{What: what, Others: []int{}, Older: true})
	}
	n := &all[at]
	n.Older = n.Older && b.older()
	if !b.nobody() {
		n.Others = append(n.Others, g.text(other))
	}
	return all
}

// web says which packages the nodes of the picture are.
func (g *gatherer) web(w *Diagram) {
	for _, n := range w.Nodes {
		at := -1
		if n.Marks&Missing == 0 {
			at = g.text(n.Package)
		}
		g.Web = append(g.Web, at)
	}
}
