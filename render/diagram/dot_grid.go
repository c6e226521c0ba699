package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// place adds a node to a column of a grid of some lanes, in its lane and its rank there.
func (d *Diagram) place(column, row, rank, lanes int, n *Node) {
	n.ID = nodeID(column+1, row, rank)
	g := &d.Groups[column]
	g.Nodes = append(g.Nodes, n)
	if rank == len(g.cells) {
		g.cells = append(g.cells, make([]*Node, lanes))
	}
	g.cells[rank][row] = n
}

// grid writes groups as columns. Each lane is a row with the same height everywhere: where it has no node its lines go through an invisible one.
func (d *dotWriter) grid(drawn *Diagram) {
	d.printf("  subgraph cluster_all {\n    graph [peripheries=0, label=\"\"];\n")
	heights := laneHeights(drawn)
	for i, n := range drawn.Nodes {
		d.cell(n, heights[i])
	}
	d.stack(nodeIDs(drawn.Nodes))
	leaving := map[string]*Edge{} // by node: in a lane there is at most one
	for _, e := range drawn.Edges {
		leaving[e.From] = e
	}
	last, lines := drawn.Nodes, make([]*Edge, len(drawn.Nodes))
	for row, n := range drawn.Nodes {
		lines[row] = leaving[n.ID]
	}
	var links strings.Builder
	for i := range drawn.Groups {
		g := &drawn.Groups[i]
		color := frame
		if g.unordered {
			color = red
		}
		d.printf("  subgraph cluster_%s {\n    graph [id=%q, peripheries=1, style=rounded, color=%q, label=<<B>%s</B>>, margin=10];\n",
			dotID(g.ID), g.ID, color, text.HTML(g.Title))
		for rank, cells := range g.cells {
			cells = slices.Clone(cells)
			for row, n := range cells {
				if n != nil {
					d.cell(n, heights[row])
					continue
				}
				cells[row] = &Node{ID: nodeID(i+1, row, rank)}
				d.printf("    %s [shape=box, style=invis, label=\"\", margin=0, width=0.01, height=%.2f, fixedsize=true];\n", dotID(cells[row].ID), heights[row])
			}
			d.stack(nodeIDs(cells))
			d.writeLinks(&links, lines, last, cells)
			last = cells
			for row, n := range g.cells[rank] {
				if n != nil {
					lines[row] = leaving[n.ID]
				}
			}
		}
		d.printf("  }\n")
	}
	d.WriteString(links.String())
	d.printf("  }\n")
}

// writeLinks writes the lines between two ranks next to each other. lines are those that leave the last node of each lane, nil if there is
// none. A line that ends in a later rank has no tip yet.
func (d *dotWriter) writeLinks(b *strings.Builder, lines []*Edge, from, to []*Node) {
	for row, e := range lines {
		if e == nil {
			fmt.Fprintf(b, "  %s -> %s [style=invis, weight=9];\n", dotID(from[row].ID), dotID(to[row].ID))
			continue
		}
		style, clip := styleEdge(e), ""
		if e.To != to[row].ID {
			style.arrowhead, clip = "none", ", headclip=false"
		}
		if e.From != from[row].ID {
			clip += ", tailclip=false"
		}
		fmt.Fprintf(b, "  %s -> %s [id=%q, %s%s, weight=9];\n", dotID(from[row].ID), dotID(to[row].ID), e.id(), style.attributes(), clip)
	}
}

// laneHeights returns the height of each lane in inches: that of its highest node.
func laneHeights(d *Diagram) []float64 {
	lines := make([]int, len(d.Nodes))
	for i := range d.Groups {
		for _, cells := range d.Groups[i].cells {
			for row, n := range cells {
				if n != nil {
					lines[row] = max(lines[row], len(n.Lines))
				}
			}
		}
	}
	heights := make([]float64, len(lines))
	for row, n := range lines {
		heights[row] = (23 + 11*float64(n)) / 72
	}
	return heights
}

func (d *dotWriter) cell(n *Node, height float64) {
	s := styleNode(n)
	d.printf("    %s [id=%q, class=%q, label=<%s>, style=%q, color=%q, fillcolor=%q, fontcolor=%q, height=%.2f];\n",
		dotID(n.ID), n.ID, s.class, d.label(n), s.border, s.color, s.fill, s.font, height)
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

func nodeIDs(nodes []*Node) []string {
	return words.Map(nodes, func(n *Node) string { return n.ID })
}

// nodeID returns the ID of a node of a grid: the names of the lanes have column 0.
func nodeID(column, row, rank int) string { return fmt.Sprintf("p%d-%d-%d", column, row, rank) }
