package diagram

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// edgeStyle is the style of an edge in DOT and so in pictures. Mermaid has its own: see mermaidTip.
type edgeStyle struct {
	class, color  string
	width         float64
	line          string // dashed or dotted; solid if empty
	arrowhead     string // Graphviz's name of the arrowhead; filled if empty
	unconstrained bool   // it has no influence on ranks
	label         string
}

// edgeStyleOf returns the style of an edge.
func edgeStyleOf(e *Edge) edgeStyle {
	l := kindStyle(e.Kind).marked(e.Marks).dependency(e.Marks)
	if lines := e.shortLines(); len(lines) > 0 {
		for i := range lines {
			lines[i] = text.HTML(lines[i])
		}
		// the table keeps lines off the text
		l.label = `<<TABLE BORDER="0" CELLPADDING="3"><TR><TD>` + strings.Join(lines, "<BR/>") + "</TD></TR></TABLE>>"
	}
	return l
}

// kindStyle returns the style of a kind of edge.
func kindStyle(k EdgeKind) edgeStyle {
	return [...]edgeStyle{
		NextReplaces:   {class: "next replaces", color: ink, width: 2.2},
		NextSkips:      {class: "next skips", color: ink, width: 2.2, arrowhead: "onormal"},
		NextRange:      {class: "next range", color: ink, width: 2.2, arrowhead: "odiamond"},
		NextSame:       {class: "next same", color: ink, width: 2.2, arrowhead: "dot"},
		Replaces:       {class: "replaces", color: inkFaint, width: 0.9},
		Skips:          {class: "skips", color: inkFaint, width: 0.9, arrowhead: "onormal", unconstrained: true},
		Range:          {class: "range", color: inkFaint, width: 0.9, arrowhead: "odiamond", unconstrained: true},
		Ignored:        {class: "ignored", color: inkFaint, width: 0.9, line: "dotted", arrowhead: "vee"},
		BlockedUpgrade: {class: "cut", color: red, width: 1.4, line: "dashed", arrowhead: "tee"},
		Manual:         {class: "approved", color: blue, width: 1.2, arrowhead: "onormal"},
		Unchanged:      {class: "unchanged", color: inkFaint, width: 0.9, arrowhead: "none"},
		Required:       {class: "requires", color: ink, width: 1.4},
	}[k]
}

// marked changes the style for marks.
func (l edgeStyle) marked(m Mark) edgeStyle {
	l.class += changeClass(m)
	if m&Downgrade != 0 {
		l.color, l.label = orange, "downgrade"
	}
	if m&Fails != 0 {
		l.color, l.arrowhead = red, "tee"+cmp.Or(l.arrowhead, "normal")
	}
	switch {
	case m&Stranded != 0:
		l.color, l.line, l.width = red, "dashed", 3
	case m&Added != 0 && m&Fails == 0:
		l.color = green
	case m&Removed != 0:
		l.color, l.line, l.width = red, "dashed", 1.2
	case m&Changed != 0:
		l.color = orange
	case m&Faded != 0:
		l.color, l.width = frame, 0.9
	case m&OnPath != 0:
		l.color, l.width = blue, 4
	}
	return l
}

func (l edgeStyle) attributes() string {
	all := "class=" + strconv.Quote(l.class) + ", " + l.look()
	if l.label != "" {
		all += ", minlen=2, label=" + l.label // or else Graphviz has no place for it where it packs components
	}
	if l.unconstrained {
		all += ", constraint=false"
	}
	return all
}

// look returns the attributes of the line and its tip.
func (l edgeStyle) look() string {
	all := fmt.Sprintf("color=%q, penwidth=%g", l.color, l.width)
	for _, a := range [][2]string{{"style", l.line}, {"arrowhead", l.arrowhead}} {
		if a[1] != "" {
			all += ", " + a[0] + "=" + a[1]
		}
	}
	return all
}

// dependency changes the style for the marks of a dependency.
func (l edgeStyle) dependency(m Mark) edgeStyle {
	switch {
	case m&Conflicting != 0:
		l.color, l.width, l.class = red, 2.6, "requires clash"
	case m&Blocks != 0:
		l.color, l.width, l.class = orange, 2.6, "requires holds"
	case m&HasInstalled != 0:
		l.color, l.width, l.class = inkSoft, 0.9, "requires has" // explained by its label
	case m&OnlyOlder != 0:
		l.color, l.width, l.line, l.class = inkFaint, 0.9, "dashed", "requires older"
	}
	switch {
	case m&MutuallyExclusive != 0:
		l.arrowhead = "none"
	case m&OneOfSeveral != 0:
		l.arrowhead = "onormal"
	}
	return l
}

// maxEdgeLines is the number of lines at an edge; the tooltip has all of them.
const maxEdgeLines = 5

// shortLines returns the first lines of an edge, shortened.
func (e *Edge) shortLines() []string {
	var lines []string
	for i, line := range e.Lines {
		if i == maxEdgeLines-1 && len(e.Lines) > maxEdgeLines {
			return append(lines, fmt.Sprintf("and %d more", len(e.Lines)-i))
		}
		lines = append(lines, text.Shorten(line, 44))
	}
	return lines
}
