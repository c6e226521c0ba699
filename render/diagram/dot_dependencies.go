package diagram

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// wrapText wraps a text at blanks into lines of at most this many characters. Later lines are indented with no-break spaces,
// which Graphviz keeps.
func wrapText(s string, most int) []string {
	var lines []string
	line, length := "", 0
	for word := range strings.FieldsSeq(s) {
		width := len([]rune(word))
		switch {
		case length == 0:
			line, length = word, width
		case length+1+width > most:
			lines = append(lines, line)
			line, length = "\u00a0\u00a0\u00a0"+word, width+3
		default:
			line, length = line+" "+word, length+1+width
		}
	}
	return append(lines, line)
}

// markedStyle is the style of nodes with a mark.
type markedStyle struct {
	mark  Mark
	class string
	style nodeStyle
}

// markedStyles returns the styles of dependency graphs and plans in the order of precedence: a node has the style of the first mark that it has.
func markedStyles() []markedStyle {
	return []markedStyle{
		{Missing, "missing", nodeStyle{border: "rounded,filled,dashed,bold", color: red, fill: paper}},
		{Conflicting, "clash", nodeStyle{border: "rounded,filled,bold", color: red, fill: redSoft}},
		{Blocked, "held", nodeStyle{border: "filled,bold", color: orange, fill: orangeSoft, more: ", shape=octagon, margin=\"0.02,0\""}},
		{New, "added", nodeStyle{border: "rounded,filled,bold", color: green, fill: greenSoft}},
		{Upgraded, "moved", nodeStyle{border: "rounded,filled", color: blue, fill: blueSoft, more: ", peripheries=2"}},
		{Subscription, "wish", nodeStyle{border: "filled", color: inkSoft, fill: paper, more: ", shape=ellipse, margin=\"0.02,0\""}},
		{Candidate, "candidate", nodeStyle{border: "rounded,filled,dashed", color: inkFaint, fill: paper}},
		{Unowned, "unowned", nodeStyle{border: "rounded,filled,dotted", color: inkSoft, fill: paper}},
		{Selected, "sought", nodeStyle{border: "rounded,filled,bold", color: blue, fill: blueSoft}},
		{Operator, "operator", nodeStyle{border: "filled", color: paper, fill: paper}},
		{Platform, "platform", nodeStyle{border: "filled,bold", color: inkSoft, fill: grey}},
		{Passed, "moved", nodeStyle{border: "rounded,filled", color: blue, fill: blueSoft}},
		{Switched, "switched", nodeStyle{border: "rounded,filled,bold", color: orange, fill: orangeSoft}},
	}
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

// dependencyStyle returns the style of a dependency.
func (e *Edge) dependencyStyle() edgeStyle {
	l := edgeStyle{class: "requires", color: ink, width: 1.4}
	name := "requires"
	switch {
	case e.Marks&Conflicting != 0:
		l.color, l.width, name = red, 2.6, "clash"
	case e.Marks&Blocks != 0:
		l.color, l.width, name = orange, 2.6, "holds"
	case e.Marks&HasInstalled != 0:
		l.color, l.width, name = inkSoft, 0.9, "has" // explained by its label
	case e.Marks&OnlyOlder != 0:
		l.color, l.width, l.line, name = inkFaint, 0.9, "dashed", "older"
	}
	if name != "requires" {
		l.class += " " + name
	}
	l.samples = []string{name}
	switch {
	case e.Marks&MutuallyExclusive != 0:
		l.arrowhead, l.samples = "none", append(l.samples, "mutual")
	case e.Marks&OneOfSeveral != 0:
		l.arrowhead, l.samples = "onormal", append(l.samples, "choice")
	}
	if lines := e.shortLines(); len(lines) > 0 {
		for i := range lines {
			lines[i] = text.HTML(lines[i])
		}
		// the table keeps lines off the text
		l.label = `<<TABLE BORDER="0" CELLPADDING="3"><TR><TD>` + strings.Join(lines, "<BR/>") + "</TD></TR></TABLE>>"
	}
	return l
}

// dependencySamples returns all rows of the legend of dependency graphs.
func dependencySamples() []sample {
	return []sample{
		edgeSample("requires", Required, 0, "requires"),
		edgeSample("older", Required, OnlyOlder, "only older versions require it"),
		edgeSample("choice", Required, OneOfSeveral, "one of several providers"),
		edgeSample("holds", Required, Blocks, "blocks the upgrade"),
		edgeSample("clash", Required, Conflicting, "OLM cannot resolve this"),
		edgeSample("mutual", Required, Conflicting|MutuallyExclusive, "they exclude each other"),
		nodeSample("node clash", Conflicting, "part of the conflict"),
		nodeSample("node added", New, "new"),
		nodeSample("node moved", Upgraded, "upgraded"),
		nodeSample("node held", Blocked, "blocked"),
		nodeSample("node unowned", Unowned, "no subscription owns it"),
		nodeSample("node candidate", Candidate, "could be installed"),
		nodeSample("node wish", Subscription, "subscription"),
		nodeSample("node sought", Selected, "selected"),
		nodeSample("node missing", Missing, "missing"),
	}
}
