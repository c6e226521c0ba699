package diagram

const (
	longChain = 20 // entries from which on a channel that is little more than a chain is drawn in rows
	rowLength = 12
)

// chainRows says how a long chain is broken into rows.
type chainRows struct {
	of     map[string]int // the row of each node, from 1 on; empty if the channel is not drawn in rows
	starts []string       // the first node of each row
}

// rowsOf breaks a channel into rows if it is long and little more than a chain: one line of eighty boxes is no picture.
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

// turns reports whether an arrow leads from one row to another, and so says nothing about what is to the right of what.
func (r *chainRows) turns(a *Edge) bool { return r.of[a.From] != r.of[a.To] }

// fans returns the nodes that lead straight to the same target, and to which nothing leads, oldest first, where they are
// several: Graphviz would stack them in any order.
func fans(g *Group) [][]string {
	into, out, target := map[string]int{}, map[string]int{}, map[string]string{}
	for i := range g.Edges {
		if a := g.Edges[i]; leads(a) || a.Kind == Cut {
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

// stack puts nodes under each other, the first one at the top.
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
		d.printf("    %s -> %s [style=invis];\n", dotID(ids[i+1]), dotID(ids[i])) // Graphviz goes upwards
	}
}
