package diagram

import (
	"cmp"
	"fmt"
	"strconv"

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

// styleEdge returns the style of an edge.
func styleEdge(e *Edge) edgeStyle {
	l := kindStyle(e.Kind).withMarks(e.Marks)
	if e.Line != "" {
		// the table keeps lines off the text
		l.label = `<<TABLE BORDER="0" CELLPADDING="3"><TR><TD>` + text.HTML(e.shortLine()) + "</TD></TR></TABLE>>"
	}
	return l
}

// kindStyle returns the style of a kind of edge.
func kindStyle(k EdgeKind) edgeStyle {
	return [...]edgeStyle{
		nextReplaces:      {class: "next replaces", color: ink, width: 2.2},
		nextSkips:         {class: "next skips", color: ink, width: 2.2, arrowhead: "onormal"},
		nextRange:         {class: "next range", color: ink, width: 2.2, arrowhead: "odiamond"},
		nextSame:          {class: "next same", color: ink, width: 2.2, arrowhead: "dot"},
		replaces:          {class: "replaces", color: inkFaint, width: 0.9},
		skips:             {class: "skips", color: inkFaint, width: 0.9, arrowhead: "onormal", unconstrained: true},
		edgeKindRange:     {class: "range", color: inkFaint, width: 0.9, arrowhead: "odiamond", unconstrained: true},
		edgeKindIgnored:   {class: "ignored", color: inkFaint, width: 0.9, line: "dotted", arrowhead: "vee"},
		blockedUpgrade:    {class: "cut", color: red, width: 1.4, line: "dashed", arrowhead: "tee"},
		manual:            {class: "approved", color: blue, width: 1.2, arrowhead: "onormal"},
		edgeKindUnchanged: {class: "unchanged", color: inkFaint, width: 0.9, arrowhead: "none"},
	}[k]
}

// withMarks changes the style for marks.
func (l edgeStyle) withMarks(m Mark) edgeStyle {
	l.class += changeClass(m)
	if m&downgrade != 0 {
		l.color, l.label = orange, "downgrade"
	}
	if m&fails != 0 {
		l.color, l.arrowhead = red, "tee"+cmp.Or(l.arrowhead, "normal")
	}
	switch {
	case m&Stranded != 0:
		l.color, l.line, l.width = red, "dashed", 3
	case m&Added != 0 && m&fails == 0:
		l.color = green
	case m&Removed != 0:
		l.color, l.line, l.width = red, "dashed", 1.2
	case m&markChanged != 0:
		l.color = orange
	case m&faded != 0:
		l.color, l.width = frame, 0.9
	case m&onPath != 0:
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

// shortLine returns the label of an edge, shortened.
func (e *Edge) shortLine() string { return text.Shorten(e.Line, 44) }
