package diagram

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// broken breaks a text into lines of at most so many characters where its blanks allow it. Those after the first are indented
// with blanks that Graphviz keeps.
func broken(s string, most int) []string {
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

// dependencyLook is how a mark makes a node look.
type dependencyLook struct {
	mark  Mark
	class string
	style nodeStyle
}

// dependencyLooks are all of them, in the order of what matters most: a node looks like the first of its marks.
func dependencyLooks() []dependencyLook {
	return []dependencyLook{
		{Missing, "missing", nodeStyle{border: "rounded,filled,dashed,bold", color: red, fill: paper}},
		{Clash, "clash", nodeStyle{border: "rounded,filled,bold", color: red, fill: redSoft}},
		{Held, "held", nodeStyle{border: "filled,bold", color: orange, fill: sand, more: ", shape=octagon, margin=\"0.02,0\""}},
		{New, "added", nodeStyle{border: "rounded,filled,bold", color: green, fill: greenPin}},
		{Moved, "moved", nodeStyle{border: "rounded,filled", color: blue, fill: blueSoft, more: ", peripheries=2"}},
		{Wanting, "wish", nodeStyle{border: "filled", color: inkSoft, fill: paper, more: ", shape=ellipse, margin=\"0.02,0\""}},
		{Candidate, "candidate", nodeStyle{border: "rounded,filled,dashed", color: inkFaint, fill: paper}},
		{Unowned, "unowned", nodeStyle{border: "rounded,filled,dotted", color: inkSoft, fill: paper}},
		{Sought, "sought", nodeStyle{border: "rounded,filled,bold", color: blue, fill: blueSoft}},
	}
}

// mostLines is how much is written at an edge; its facts have all of it.
const mostLines = 5

// shortLines are the first lines of an edge, each no longer than what stays legible.
func (e *Edge) shortLines() []string {
	var lines []string
	for i, line := range e.Lines {
		if i == mostLines-1 && len(e.Lines) > mostLines {
			return append(lines, fmt.Sprintf("and %d more", len(e.Lines)-i))
		}
		lines = append(lines, shorten(line, 44))
	}
	return lines
}

// dependencyStyle is how what is required looks.
func (e *Edge) dependencyStyle() arrowStyle {
	l := arrowStyle{class: "requires", color: ink, pen: 1.4}
	name := "requires"
	switch {
	case e.Marks&Clash != 0:
		l.color, l.pen, name = red, 2.6, "clash"
	case e.Marks&Holds != 0:
		l.color, l.pen, name = orange, 2.6, "holds"
	case e.Marks&Has != 0:
		l.color, l.pen, name = inkSoft, 0.9, "has" // its label says it all
	case e.Marks&Older != 0:
		l.color, l.pen, l.line, name = inkFaint, 0.9, "dashed", "older"
	}
	if name != "requires" {
		l.class += " " + name
	}
	l.samples = []string{name}
	switch {
	case e.Marks&Mutual != 0:
		l.tip, l.samples = "none", append(l.samples, "mutual")
	case e.Marks&Choice != 0:
		l.tip, l.samples = "onormal", append(l.samples, "choice")
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

// dependencySamples are all rows that the legend of dependencies can have.
func dependencySamples() []sample {
	line, box := lineSample, boxSample
	return []sample{
		{"requires", line(2, ink), "requires"},
		{"older", line(1, inkFaint), "dashed: only older versions require it"},
		{"choice", line(2, inkSoft), "hollow tip: one of several providers"},
		{"holds", line(3, orange), "bold, orange: blocks the upgrade"},
		{"clash", line(3, red), "bold, red: OLM cannot resolve this"},
		{"mutual", line(3, red), "no tip: they exclude each other"},
		{"added", box(green, greenPin), "green, bold: new"},
		{"moved", box(blue, blueSoft), "double border: upgraded"},
		{"held", box(orange, sand), "octagon: blocked"},
		{"unowned", box(inkSoft, paper), "dotted border: no subscription owns it"},
		{"candidate", box(inkFaint, paper), "dashed border: could be installed"},
		{"wish", box(inkSoft, paper), "ellipse: subscription"},
		{"sought", box(blue, blueSoft), "blue, bold: selected"},
		{"missing", box(red, paper), "red, dashed: missing"},
	}
}
