package diagram

import (
	"fmt"
	"strconv"
)

// edgeStyle is the style of an edge in DOT and so in pictures. Mermaid has its own: see mermaidTip.
type edgeStyle struct {
	class, color  string
	width         float64
	line          string // dashed or dotted; solid if empty
	arrowhead     string // Graphviz's name of the arrowhead; filled if empty
	unconstrained bool   // it has no influence on ranks
	label         string
	samples       []string // keys of the legend
}

// edgeStyleOf returns the style of an edge.
func edgeStyleOf(e *Edge) edgeStyle {
	switch e.Kind {
	case Required:
		return e.dependencyStyle()
	case Manual, Unchanged:
		return planEdgeStyle(e.Kind)
	}
	l := upgradeStyle(e.Kind)
	l.samples = []string{l.class}
	return l.marked(e.Marks)
}

// upgradeStyle returns the style of a kind of edge.
func upgradeStyle(k EdgeKind) edgeStyle {
	switch k {
	case NextReplaces:
		return edgeStyle{class: "next replaces", color: ink, width: 2.2}
	case NextSkips:
		return edgeStyle{class: "next skips", color: ink, width: 2.2, arrowhead: "onormal"}
	case NextRange:
		return edgeStyle{class: "next range", color: ink, width: 2.2, arrowhead: "odiamond"}
	case NextSame:
		return edgeStyle{class: "next same", color: ink, width: 2.2, arrowhead: "dot"}
	case Replaces:
		return edgeStyle{class: "replaces", color: inkFaint, width: 0.9}
	case Skips:
		return edgeStyle{class: "skips", color: inkFaint, width: 0.9, arrowhead: "onormal", unconstrained: true}
	case Range:
		return edgeStyle{class: "range", color: inkFaint, width: 0.9, arrowhead: "odiamond", unconstrained: true}
	case Ignored:
		return edgeStyle{class: "ignored", color: inkFaint, width: 0.9, line: "dotted", arrowhead: "vee"}
	default:
		return edgeStyle{class: "cut", color: red, width: 1.4, line: "dashed", arrowhead: "tee"}
	}
}

// marked changes the style for marks.
func (l edgeStyle) marked(m Mark) edgeStyle {
	l.class += changeClass(m)
	if m&Downgrade != 0 {
		l.color, l.label, l.unconstrained = orange, "downgrade", true
	}
	switch {
	case m&Added != 0:
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
		all += ", label=" + l.label
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
