package diagram

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
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
	s := kindStyle(e.Kind).withMarks(e.Marks)
	if e.Line != "" {
		// the table keeps lines off the text
		lines := words.Map(wrapText(text.Shorten(e.Line, 4*edgeLine), edgeLine), text.HTML)
		s.label = `<<TABLE BORDER="0" CELLPADDING="3"><TR><TD>` + strings.Join(lines, "<BR/>") + "</TD></TR></TABLE>>"
	}
	return s
}

// kindStyle returns the style of a kind of edge.
func kindStyle(k EdgeKind) edgeStyle {
	return [...]edgeStyle{
		kindNextReplaces:    {class: "next replaces", color: ink, width: 2.2},
		kindNextSkips:       {class: "next skips", color: ink, width: 2.2, line: "dashed", arrowhead: "onormal"},
		kindNextRange:       {class: "next range", color: ink, width: 3, line: "dotted", arrowhead: "odiamond"},
		kindNextSameVersion: {class: "next same", color: ink, width: 2.2, arrowhead: "dot"},
		kindReplaces:        {class: "replaces", color: inkFaint, width: 0.9},
		kindSkips:           {class: "skips", color: inkFaint, width: 0.9, line: "dashed", arrowhead: "onormal", unconstrained: true},
		kindRange:           {class: "range", color: inkFaint, width: 0.9, line: "dotted", arrowhead: "odiamond", unconstrained: true},
		kindIgnored:         {class: "ignored", color: inkFaint, width: 0.9, line: "dotted", arrowhead: "vee"},
		kindBlocked:         {class: "cut", color: red, width: 1.4, line: "dashed", arrowhead: "tee"},
		kindManual:          {class: "approved", color: blue, width: 1.2, arrowhead: "onormal"},
		kindUnchanged:       {class: "unchanged", color: inkFaint, width: 0.9, arrowhead: "none"},
	}[k]
}

// withMarks changes the style for marks.
func (s edgeStyle) withMarks(m Mark) edgeStyle {
	s.class += changeClass(m)
	if m&markDowngrade != 0 {
		s.color, s.label = orange, "downgrade"
	}
	if m&markFails != 0 {
		s.color, s.arrowhead = red, "tee"+cmp.Or(s.arrowhead, "normal")
	}
	switch {
	case m&MarkStranded != 0:
		s.color, s.line, s.width = red, "dashed", 3
	case m&MarkAdded != 0 && m&markFails == 0:
		s.color = green
	case m&MarkRemoved != 0:
		s.color, s.line, s.width = red, "dashed", 1.2
	case m&markChanged != 0:
		s.color = orange
	case m&markFaded != 0:
		s.color, s.width = frame, 0.9
	case m&markOnPath != 0:
		s.color, s.width = blue, 4
	}
	return s
}

func (s edgeStyle) attributes() string {
	all := "class=" + strconv.Quote(s.class) + ", " + s.look()
	if s.label != "" {
		all += ", minlen=2, label=" + s.label // or else Graphviz has no place for it where it packs components
	}
	if s.unconstrained {
		all += ", constraint=false"
	}
	return all
}

// look returns the attributes of the line and its tip.
func (s edgeStyle) look() string {
	all := fmt.Sprintf("color=%q, penwidth=%g", s.color, s.width)
	for _, a := range [][2]string{{"style", s.line}, {"arrowhead", s.arrowhead}} {
		if a[1] != "" {
			all += ", " + a[0] + "=" + a[1]
		}
	}
	return all
}

// edgeLine is the number of characters in a line of the label of an edge.
const edgeLine = 44

// shortLine returns the label of an edge, shortened to a line.
func (e *Edge) shortLine() string { return text.Shorten(e.Line, edgeLine) }
