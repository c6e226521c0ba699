package diagram

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// DOT writes a diagram in the DOT language of Graphviz. Colours only repeat what shapes, lines and words say.
func DOT(w io.Writer, drawn *Diagram) error {
	d := &dotWriter{maxLine: drawn.maxLine}
	var groups []Group
	if !drawn.grid {
		groups = slices.SortedStableFunc(slices.Values(drawn.Groups), compareChanges)
	}
	columns, _ := columnsFor(groups)
	d.begin(drawn, columns)
	for _, i := range cells(len(groups), columns) {
		if i < len(groups) {
			d.group(&groups[i])
			continue
		}
		d.legend(drawn, legendWidth(drawn, groups, columns))
		if drawn.grid {
			d.grid(drawn)
		} else {
			d.flatParts(drawn)
		}
	}
	d.printf("}\n")
	_, err := io.WriteString(w, d.String())
	return err
}

// compareChanges orders groups by their worst change.
func compareChanges(a, b Group) int { return worstChange(&a) - worstChange(&b) }

// flatParts writes the nodes and edges outside any group.
func (d *dotWriter) flatParts(drawn *Diagram) {
	if len(drawn.Nodes) == 0 {
		return
	}
	d.printf("  subgraph cluster_all {\n    graph [peripheries=0, label=\"\"];\n")
	for _, n := range drawn.Nodes {
		d.node(n)
	}
	for _, e := range drawn.Edges {
		d.edge(e)
	}
	d.printf("  }\n")
}

// begin writes the attributes of the graph. Graphviz lays out each channel and the legend apart from the others, and packs them into
// columns, aligned at the left: pack and packmode.
func (d *dotWriter) begin(drawn *Diagram, columns int) {
	gap := 0.12
	if drawn.flat {
		gap = 0.18
	}
	d.printf("digraph %s {\n", drawn.name)
	d.printf("  graph [rankdir=LR, pack=5, packmode=array_tuc%d, nodesep=%g, ranksep=0.35, fontname=Helvetica, fontsize=13, fontcolor=%q, bgcolor=%q, labelloc=t, labeljust=l, label=%s];\n",
		columns, gap, ink, paper, titleLabel(drawn))
	d.printf("  node [shape=box, style=%q, fontname=Helvetica, fontsize=11, height=0.3, margin=\"0.1,0.05\", color=%q, fillcolor=%q, fontcolor=%q];\n",
		"rounded,filled", inkSoft, paper, ink)
	d.printf("  edge [fontname=Helvetica, fontsize=11, arrowsize=0.7, color=%q, fontcolor=%q];\n", inkSoft, inkSoft)
}

type dotWriter struct {
	strings.Builder
	maxLine int // characters of a line in a node
}

func (d *dotWriter) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// dotID returns an ID that needs no quotes in DOT.
func dotID(id string) string { return strings.ReplaceAll(id, "-", "_") }

// titleLabel returns the label of the title and the notes.
func titleLabel(d *Diagram) string {
	label := ""
	for _, line := range wrapText(d.Title, 90) {
		label += "<B>" + text.HTML(line) + "</B><BR ALIGN=\"LEFT\"/>"
	}
	for _, note := range d.Notes {
		for _, line := range wrapText(note, 110) {
			label += "<FONT POINT-SIZE=\"11\">" + text.HTML(line) + "</FONT><BR ALIGN=\"LEFT\"/>"
		}
	}
	return "<" + label + ">"
}

func (d *dotWriter) group(g *Group) {
	class, color := "", frame
	if g.unordered {
		class, color = "broken", red
	}
	class = strings.TrimSpace(class + changeClass(g.change))
	label := "<B>" + text.HTML(g.Title) + "</B><BR ALIGN=\"LEFT\"/>"
	if g.Note != "" {
		label += "<FONT POINT-SIZE=\"11\">" + text.HTML(text.Shorten(g.Note, 120)) + "</FONT><BR ALIGN=\"LEFT\"/>"
	}
	d.printf("  subgraph cluster_%s {\n    graph [id=%q, class=%q, peripheries=1, style=rounded, color=%q, label=<%s>, margin=6];\n",
		dotID(g.ID), g.ID, class, color, label)
	for i := range g.Nodes {
		d.node(g.Nodes[i])
	}
	for i := range g.Edges {
		d.edge(g.Edges[i])
	}
	d.keepOrder(g)
	d.printf("  }\n")
}

// keepOrder adds invisible edges between entries without drawn edges, to keep them in the order of their versions.
func (d *dotWriter) keepOrder(g *Group) {
	ordered := map[string]bool{}
	for i := range g.Edges {
		if e := g.Edges[i]; affectsRank(e) {
			ordered[e.From], ordered[e.To] = true, true
		}
	}
	last := ""
	for i := range g.Nodes {
		id := g.Nodes[i].ID
		if last != "" && !ordered[id] && !ordered[last] {
			d.printf("    %s -> %s [style=invis];\n", dotID(last), dotID(id))
		}
		last = id
	}
}

// affectsRank reports whether an edge decides the ranks of its ends in Graphviz.
func affectsRank(e *Edge) bool {
	return e.Kind.isAutomatic() || e.Kind == kindReplaces || e.Kind == kindIgnored
}

func (d *dotWriter) node(n *Node) {
	s := styleNode(n)
	d.printf("    %s [id=%q, class=%q, label=<%s>, %s];\n", dotID(n.ID), n.ID, s.class, d.label(n), s.attributes())
}

// changeClass returns the classes of marks that all parts can have.
func changeClass(m Mark) string {
	class := ""
	for _, c := range []struct {
		mark Mark
		name string
	}{{markOnPath, " way"}, {markFaded, " fade"}, {MarkAdded, " added"}, {MarkRemoved, " removed"}, {MarkStranded, " stranded"}, {markChanged, " changed"}, {markDowngrade, " downgrade"}, {markFails, " fails"}} {
		if m&c.mark != 0 {
			class += c.name
		}
	}
	return class
}

// label returns the label of a node: its version or name, large, and its lines.
func (d *dotWriter) label(n *Node) string {
	label := fmt.Sprintf("<FONT POINT-SIZE=\"%g\"><B>%s</B></FONT>", captionFont, text.HTML(n.caption()))
	color := orange
	if n.Errors > 0 {
		color = red
	}
	for _, line := range n.smallLines() {
		line = text.HTML(text.Shorten(line, d.maxLine))
		if found := findingCounts(n); found != "" {
			line = strings.Replace(line, found, fmt.Sprintf("<FONT COLOR=%q>%s</FONT>", color, found), 1)
		}
		label += "<BR/>" + line
	}
	return label
}

// The sizes of the version or name of a node, of all other texts but titles, and the most characters of the former.
const (
	captionFont = 13.0
	smallFont   = 11.0
	maxCaption  = 2*maxEndpoint + 4
)

// caption returns the version of a node or, if it has none, its name.
func (n *Node) caption() string { return text.Shorten(cmp.Or(n.Version, n.Name), maxCaption) }

// smallLines returns the lines under the caption: of how many versions it is, what is special, and Lines.
func (n *Node) smallLines() []string {
	lines := n.Lines
	if words := markLabels(n); len(words) > 0 {
		lines = append([]string{strings.Join(words, ", ")}, lines...)
	}
	if n.Members != nil {
		lines = append([]string{n.Name}, lines...)
	}
	return lines
}

func (d *dotWriter) edge(e *Edge) {
	s := styleEdge(e)
	d.printf("    %s -> %s [id=%q, %s];\n", dotID(e.From), dotID(e.To), e.id(), s.attributes())
}
