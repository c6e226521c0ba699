package diagram

// fans returns the groups of nodes without incoming edges whose only edge has the same target, oldest first: Graphviz would
// stack them in any order.
func fans(g *Group) [][]string {
	into, out, target := map[string]int{}, map[string]int{}, map[string]string{}
	for i := range g.Edges {
		if a := g.Edges[i]; affectsRank(a) || a.Kind == BlockedUpgrade {
			into[a.To]++
			out[a.From]++
			target[a.From] = a.To
		}
	}
	leaves := map[string][]string{}
	for i := range g.Nodes {
		if id := g.Nodes[i].ID; into[id] == 0 && out[id] == 1 {
			leaves[target[id]] = append(leaves[target[id]], id)
		}
	}
	var all [][]string
	for i := range g.Nodes {
		if fan := leaves[g.Nodes[i].ID]; len(fan) > 1 {
			all = append(all, fan)
		}
	}
	return all
}

// stack places nodes below each other, the first one at the top.
func (d *dotWriter) stack(ids []string) {
	if len(ids) < 2 {
		return
	}
	d.printf("    {rank=same")
	for _, id := range ids {
		d.printf("; %s", dotID(id))
	}
	d.printf("}\n")
	for i := range ids[1:] {
		d.printf("    %s -> %s [style=invis];\n", dotID(ids[i+1]), dotID(ids[i])) // Graphviz puts the target above the source
	}
}
