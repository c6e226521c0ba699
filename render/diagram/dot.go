package diagram

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// DOT writes a diagram in the DOT language of Graphviz. Colours underline what shapes, lines and words say; they are those of
// the palette of Okabe and Ito, which colour-blind people can tell apart.
func DOT(w io.Writer, s *Diagram) error {
	d := &dotWriter{occurs: map[string]bool{}, wrapped: map[string]bool{}}
	if s.plain {
		d.plain(s)
		_, err := io.WriteString(w, d.String())
		return err
	}
	d.begin(s)
	for i := range slices.Backward(s.Groups) { // Graphviz puts the first one at the bottom
		d.group(&s.Groups[i])
	}
	for _, n := range s.Nodes {
		d.node(n)
	}
	for _, e := range s.Edges {
		d.edge(e, false)
	}
	d.links(s.Links)
	d.printf("  }\n  graph [labelloc=b, label=%s];\n}\n", d.legend(s.samples))
	_, err := io.WriteString(w, d.String())
	return err
}

// plain writes nodes and edges without a style of their own: a box with rounded corners, and a dashed edge where an upgrade is not
// automatic.
func (d *dotWriter) plain(s *Diagram) {
	d.printf("digraph %s {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", s.name)
	for _, n := range s.Nodes {
		d.printf("  %s [label=%s];\n", dotID(n.ID), dotLabel(append([]string{n.Name}, n.Lines...)...))
	}
	for _, e := range s.Edges {
		style := "dashed"
		if e.Kind.next() {
			style = "solid"
		}
		d.printf("  %s -> %s [label=%s, style=%s];\n", dotID(e.From), dotID(e.To), dotLabel(e.Lines...), style)
	}
	d.printf("}\n")
}

// begin opens a graph, and within it what holds everything under the title.
func (d *dotWriter) begin(s *Diagram) {
	d.longest = s.longest
	d.printf("digraph %s {\n", s.name)
	d.printf("  graph [rankdir=LR, newrank=true, nodesep=0.15, ranksep=0.35, fontname=Helvetica, fontsize=12, fontcolor=%q, bgcolor=%q, labeljust=l];\n", ink, paper)
	d.printf("  node [shape=box, style=%q, fontname=Helvetica, fontsize=11, height=0.3, margin=\"0.12,0.06\", color=%q, fillcolor=%q, fontcolor=%q];\n",
		"rounded,filled", inkSoft, paper, ink)
	d.printf("  edge [fontname=Helvetica, fontsize=9, arrowsize=0.7, color=%q, fontcolor=%q];\n", inkSoft, inkSoft)
	d.printf("  subgraph cluster_all {\n  graph [id=all, peripheries=0, labelloc=t, label=%s];\n", titleLabel(s))
}

// The colours of a picture in light.
const (
	ink      = "#1b1f24"
	inkSoft  = "#57606a"
	inkFaint = "#8c959f"
	paper    = "#ffffff"
	blue     = "#0072b2"
	blueSoft = "#d6e9f5"
	green    = "#006b4f"
	greenPin = "#cdebe0"
	orange   = "#8f5a00"
	sand     = "#fbe9c6"
	red      = "#b23a00"
	redSoft  = "#fbdccb"
	grey     = "#f0f2f4"
	frame    = "#d0d7de"
)

type dotWriter struct {
	strings.Builder
	occurs  map[string]bool // what the legend is to explain
	longest int             // characters of a line in a node
	wrapped map[string]bool // nodes of channels that are drawn in rows
}

func (d *dotWriter) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// dotID is an ID that needs no quotes.
func dotID(id string) string { return strings.ReplaceAll(id, "-", "_") }

// titleLabel is the title, and under it what the picture leaves out.
func titleLabel(s *Diagram) string {
	label := "<B>" + text.HTML(s.Title) + "</B><BR ALIGN=\"LEFT\"/>"
	var notes []string
	for _, note := range s.Notes {
		if s.flat {
			notes = append(notes, broken(note, 110)...)
		} else {
			notes = append(notes, note)
		}
	}
	for _, note := range notes {
		label += "<FONT POINT-SIZE=\"10\">" + text.HTML(note) + "</FONT><BR ALIGN=\"LEFT\"/>"
	}
	return "<" + label + ">"
}

func (d *dotWriter) group(g *Group) {
	class, color := "", frame
	if g.Marks&Broken != 0 {
		class, color = "broken", red
	}
	class = strings.TrimSpace(class + changeClass(g.Marks))
	label := "<B>" + text.HTML(g.Title) + "</B><BR ALIGN=\"LEFT\"/>"
	if g.Note != "" {
		label += "<FONT POINT-SIZE=\"10\">" + text.HTML(shorten(g.Note, 120)) + "</FONT><BR ALIGN=\"LEFT\"/>"
	}
	d.printf("  subgraph cluster_%s {\n    graph [id=%q, class=%q, peripheries=1, style=rounded, color=%q, label=<%s>, margin=10];\n",
		dotID(g.ID), g.ID, class, color, label)
	rows := rowsOf(g)
	for i := range g.Nodes {
		d.node(g.Nodes[i])
		if rows.of[g.Nodes[i].ID] > 0 {
			d.wrapped[g.Nodes[i].ID] = true
		}
	}
	for i := range g.Edges {
		d.edge(g.Edges[i], rows.turns(g.Edges[i]))
	}
	d.keepOrder(g)
	slices.Reverse(rows.starts) // the newest row at the top: so the turns do not cross
	d.stack(rows.starts)
	if rows.starts == nil {
		for _, leaves := range fans(g) {
			d.stack(leaves)
		}
	}
	d.printf("  }\n")
}

// links joins the nodes of one bundle, and puts them under each other.
func (d *dotWriter) links(links []Link) {
	for _, l := range links {
		if d.wrapped[l.A] || d.wrapped[l.B] {
			continue // the lines would run across the rows
		}
		d.printf("    {rank=same; %s; %s}\n", dotID(l.A), dotID(l.B))
		d.printf("    %s -> %s [class=link, arrowhead=none, style=dotted, constraint=false, weight=0, penwidth=0.7, color=%q];\n", dotID(l.A), dotID(l.B), inkFaint)
		d.occurs["link"] = true
	}
}

// keepOrder keeps entries that no drawn edge orders in the order of their versions.
func (d *dotWriter) keepOrder(g *Group) {
	ordered := map[string]bool{}
	for i := range g.Edges {
		if a := g.Edges[i]; leads(a) {
			ordered[a.From], ordered[a.To] = true, true
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

// leads reports whether an arrow decides how far to the right its ends are.
func leads(a *Edge) bool {
	return a.Marks&Downgrade == 0 && (a.Kind.next() || a.Kind == Replaces || a.Kind == Ignored)
}

// nodeStyle is how a node looks.
type nodeStyle struct {
	class, border, color, fill, font string
	more                             string // attributes
	sample                           string // of the legend, where that is none of the marks' own
}

func (l *nodeStyle) is(class, color, fill string) {
	l.class, l.color, l.fill, l.font = l.class+" "+class, color, fill, ink
}

// lookOf returns the style of a node: of what it is, of what has become of it, and of whether it is on the way.
func lookOf(n *Node) nodeStyle {
	for _, look := range dependencyLooks() {
		if n.Marks&look.mark != 0 {
			l := look.style
			l.class, l.sample, l.font = look.class, look.class, ink
			return l
		}
	}
	l := nodeStyle{border: "rounded,filled", color: inkSoft, fill: paper, font: ink}
	if n.Marks&(Skipped|Gone) != 0 {
		l = nodeStyle{class: " skipped", border: "rounded,filled,dashed", color: inkFaint, fill: paper, font: inkSoft}
	}
	if n.Marks&Deprecated != 0 {
		l.is("deprecated", orange, sand)
	}
	if n.Marks&Head != 0 {
		l.is("head", blue, blueSoft)
		l.more = ", peripheries=2"
	}
	if n.Marks&Stuck != 0 {
		l.is("stuck", red, redSoft)
		l.border, l.more = "filled,bold", ", shape=octagon"
	}
	switch {
	case n.Errors > 0:
		l.class += " error"
	case n.Warnings > 0:
		l.class += " warning"
	}
	l.mark(n.Marks)
	return l
}

// mark changes a style as marks demand.
func (l *nodeStyle) mark(m Mark) {
	l.class = strings.TrimSpace(l.class + changeClass(m))
	switch {
	case m&Added != 0:
		l.color, l.fill, l.border = green, greenPin, l.border+",bold"
	case m&Removed != 0:
		l.color, l.fill, l.border = red, paper, "rounded,filled,dashed"
	case m&Changed != 0:
		l.color, l.fill = orange, sand
	case m&Faded != 0:
		l.color, l.fill, l.font = frame, paper, inkFaint
	case m&OnPath != 0:
		l.color, l.font, l.more = blue, ink, l.more+", penwidth=3"
	}
}

func (d *dotWriter) node(n *Node) {
	d.occur(n.Marks)
	l := lookOf(n)
	d.occurs[l.sample] = true
	d.printf("    %s [id=%q, class=%q, label=<%s>, style=%q, color=%q, fillcolor=%q, fontcolor=%q%s];\n",
		dotID(n.ID), n.ID, l.class, d.label(n), l.border, l.color, l.fill, l.font, l.more)
}

// changeClass adds the classes of the marks that any part can have.
func changeClass(m Mark) string {
	class := ""
	for _, c := range []struct {
		mark Mark
		name string
	}{{OnPath, " way"}, {Faded, " fade"}, {Added, " added"}, {Removed, " removed"}, {Changed, " changed"}, {Downgrade, " downgrade"}} {
		if m&c.mark != 0 {
			class += c.name
		}
	}
	return class
}

// occur notes what the legend is to explain.
func (d *dotWriter) occur(m Mark) {
	for _, named := range append([]markName{{OnPath, "way"}}, markNames...) {
		if m&named.mark != 0 {
			d.occurs[named.name] = true
		}
	}
}

// label is the name of a bundle, its version, and in small what is special about it.
func (d *dotWriter) label(n *Node) string {
	label := "<B>" + text.HTML(shorten(shortName(n), 60)) + "</B>"
	if n.Version != "" && !strings.HasSuffix(shortName(n), n.Version) {
		label += "<BR/>" + text.HTML(shorten(n.Version, 40))
	}
	small := n.Lines
	if words := special(n); len(words) > 0 {
		small = append([]string{strings.Join(words, ", ")}, small...)
	}
	for _, line := range small {
		label += "<BR/><FONT POINT-SIZE=\"9\">" + text.HTML(shorten(line, d.longest)) + "</FONT>"
	}
	return label
}

// shortName is the name of a bundle without what the names of all bundles begin with: what stands before the version.
func shortName(n *Node) string {
	if n.Version != "" && strings.HasSuffix(n.Name, n.Version) {
		before := strings.TrimSuffix(n.Name, n.Version)
		if strings.HasSuffix(before, ".v") {
			return "v" + n.Version
		}
	}
	return n.Name
}

// arrowStyle is how an edge looks.
type arrowStyle struct {
	class, color string
	pen          float64
	line         string // dashed or dotted; solid if empty
	tip          string // Graphviz's name of the arrowhead; filled if empty
	free         bool   // it does not decide what is to the right of what
	label        string
	samples      []string // of the legend
}

// look returns the style of an edge.
func look(e *Edge) arrowStyle {
	if e.Kind == Required {
		return e.dependencyStyle()
	}
	l := upgradeStyle(e.Kind)
	l.samples = []string{l.class}
	return l.marked(e.Marks)
}

// upgradeStyle is how an edge of a kind looks.
func upgradeStyle(k EdgeKind) arrowStyle {
	switch k {
	case NextReplaces:
		return arrowStyle{class: "next replaces", color: ink, pen: 2.2}
	case NextSkips:
		return arrowStyle{class: "next skips", color: ink, pen: 2.2, tip: "onormal"}
	case NextRange:
		return arrowStyle{class: "next range", color: ink, pen: 2.2, tip: "odiamond"}
	case NextSame:
		return arrowStyle{class: "next same", color: ink, pen: 2.2, tip: "dot"}
	case Replaces:
		return arrowStyle{class: "replaces", color: inkFaint, pen: 0.9}
	case Skips:
		return arrowStyle{class: "skips", color: inkFaint, pen: 0.9, tip: "onormal", free: true}
	case Range:
		return arrowStyle{class: "range", color: inkFaint, pen: 0.9, tip: "odiamond", free: true}
	case Ignored:
		return arrowStyle{class: "ignored", color: inkFaint, pen: 0.9, line: "dotted", tip: "vee"}
	default:
		return arrowStyle{class: "cut", color: red, pen: 1.4, line: "dashed", tip: "tee"}
	}
}

// marked changes the style of an edge as its marks demand.
func (l arrowStyle) marked(m Mark) arrowStyle {
	l.class += changeClass(m)
	if m&Downgrade != 0 {
		l.color, l.label, l.free = orange, "downgrade", true
	}
	switch {
	case m&Added != 0:
		l.color = green
	case m&Removed != 0:
		l.color, l.line, l.pen = red, "dashed", 1.2
	case m&Changed != 0:
		l.color = orange
	case m&Faded != 0:
		l.color, l.pen = frame, 0.9
	case m&OnPath != 0:
		l.color, l.pen = blue, 4
	}
	return l
}

func (l arrowStyle) attributes() string {
	all := fmt.Sprintf("class=%q, color=%q, penwidth=%g", l.class, l.color, l.pen)
	for _, a := range [][2]string{{"style", l.line}, {"arrowhead", l.tip}, {"label", l.label}} {
		if a[1] != "" {
			all += ", " + a[0] + "=" + a[1]
		}
	}
	if l.free {
		all += ", constraint=false"
	}
	return all
}

func (d *dotWriter) edge(a *Edge, turn bool) {
	l := look(a)
	for _, name := range l.samples {
		d.occurs[name] = true
	}
	d.occur(a.Marks & (Added | Removed | Changed | OnPath))
	weight := ""
	switch {
	case turn:
		l.free, weight = true, ", weight=0"
	case d.wrapped[a.From]:
		weight = ", weight=9" // rows are to be straight
	}
	d.printf("    %s -> %s [id=%q, %s%s];\n", dotID(a.From), dotID(a.To), a.id(), l.attributes(), weight)
}
