package diagram

const (
	longChain = 20 // number of entries from which on a nearly linear channel is drawn in rows
	rowLength = 12
)

// chainRows is the division of a long chain into rows.
type chainRows struct {
	of     map[string]int // the row of each node, from 1 on; empty if the channel is not drawn in rows
	starts []string       // the first node of each row
}

// rowsOf divides a channel into rows if it is long and nearly linear.
func rowsOf(g *Group) chainRows {
	rows := chainRows{of: map[string]int{}}
	if len(g.Nodes) < longChain {
		return rows
	}
	place := map[string]int{}
	for i := range g.Nodes {
		place[g.Nodes[i].ID] = i
	}
	steps, leaps := 0, 0
	for i := range g.Edges {
		if a := g.Edges[i]; place[a.To] == place[a.From]+1 {
			steps++
		} else {
			leaps++
		}
	}
	if steps < len(g.Nodes)*3/4 || leaps > len(g.Nodes)/8 {
		return rows
	}
	for i := range g.Nodes {
		if i%rowLength == 0 {
			rows.starts = append(rows.starts, g.Nodes[i].ID)
		}
		rows.of[g.Nodes[i].ID] = len(rows.starts)
	}
	return rows
}

// changesRow reports whether an edge joins two rows. Such an edge must not affect ranks.
func (r *chainRows) changesRow(a *Edge) bool { return r.of[a.From] != r.of[a.To] }

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
