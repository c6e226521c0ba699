package render

import (
	"fmt"
	"io"
	"strings"
)

// WebDOT writes a web in the DOT language of Graphviz, in the colours of DOT.
func WebDOT(w io.Writer, web *Web) error {
	d := &dotWriter{occurs: map[string]bool{}}
	var notes []string
	for _, note := range web.Notes {
		notes = append(notes, broken(note, 110)...)
	}
	d.begin("requirements", web.Title, notes)
	for _, n := range web.Nodes {
		d.webNode(n)
	}
	for _, e := range web.Edges {
		d.webEdge(e)
	}
	d.end(webSamples())
	_, err := io.WriteString(w, d.String())
	return err
}

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

// webLook is how a mark makes a node look.
type webLook struct {
	mark  webMark
	class string
	style nodeStyle
}

// webLooks are all of them, in the order of what matters most: a node looks like the first of its marks.
func webLooks() []webLook {
	return []webLook{
		{webMissing, "missing", nodeStyle{border: "rounded,filled,dashed,bold", color: red, fill: paper}},
		{webClash, "clash", nodeStyle{border: "rounded,filled,bold", color: red, fill: redSoft}},
		{webHeld, "held", nodeStyle{border: "filled,bold", color: orange, fill: sand, more: ", shape=octagon, margin=\"0.02,0\""}},
		{webNew, "added", nodeStyle{border: "rounded,filled,bold", color: green, fill: greenPin}},
		{webMoved, "moved", nodeStyle{border: "rounded,filled", color: blue, fill: blueSoft, more: ", peripheries=2"}},
		{webWish, "wish", nodeStyle{border: "filled", color: inkSoft, fill: paper, more: ", shape=ellipse, margin=\"0.02,0\""}},
		{webCandidate, "candidate", nodeStyle{border: "rounded,filled,dashed", color: inkFaint, fill: paper}},
		{webUnowned, "unowned", nodeStyle{border: "rounded,filled,dotted", color: inkSoft, fill: paper}},
		{webSought, "sought", nodeStyle{border: "rounded,filled,bold", color: blue, fill: blueSoft}},
	}
}

func (d *dotWriter) webNode(n *WebNode) {
	l := nodeStyle{border: "rounded,filled", color: inkSoft, fill: paper}
	for _, look := range webLooks() {
		if n.marks&look.mark != 0 {
			l = look.style
			l.class = look.class
			d.occurs[look.class] = true
			break
		}
	}
	label := "<B>" + htmlText(shorten(n.Name, 60)) + "</B>"
	for _, line := range n.Lines {
		label += "<BR/><FONT POINT-SIZE=\"9\">" + htmlText(shorten(line, 60)) + "</FONT>"
	}
	d.printf("    %s [id=%q, class=%q, label=<%s>, style=%q, color=%q, fillcolor=%q, fontcolor=%q%s];\n",
		n.ID, n.ID, l.class, label, l.border, l.color, l.fill, ink, l.more)
}

// mostLines is how much is written at an edge; its facts have all of it.
const mostLines = 5

// shortLines are the first lines of an edge, each no longer than what stays legible.
func (e *WebEdge) shortLines() []string {
	var lines []string
	for i, line := range e.Lines {
		if i == mostLines-1 && len(e.Lines) > mostLines {
			return append(lines, fmt.Sprintf("and %d more", len(e.Lines)-i))
		}
		lines = append(lines, shorten(line, 44))
	}
	return lines
}

// webStyle is how an edge of a web looks, and what the legend calls it.
func (e *WebEdge) webStyle() (occurs []string, l arrowStyle) {
	l = arrowStyle{class: "requires", color: ink, pen: 1.4}
	name := "requires"
	switch {
	case e.marks&webClash != 0:
		l.color, l.pen, name = red, 2.6, "clash"
	case e.marks&webHolds != 0:
		l.color, l.pen, name = orange, 2.6, "holds"
	case e.marks&webHas != 0:
		l.color, l.pen, name = inkSoft, 0.9, "has" // its label says it all
	case e.marks&webOlder != 0:
		l.color, l.pen, l.line, name = inkFaint, 0.9, "dashed", "older"
	}
	if name != "requires" {
		l.class += " " + name
	}
	occurs = []string{name}
	switch {
	case e.marks&webMutual != 0:
		l.tip, occurs = "none", append(occurs, "mutual")
	case e.marks&webChoice != 0:
		l.tip, occurs = "onormal", append(occurs, "choice")
	}
	return occurs, l
}

func (d *dotWriter) webEdge(e *WebEdge) {
	occurs, l := e.webStyle()
	for _, name := range occurs {
		d.occurs[name] = true
	}
	label := ""
	if lines := e.shortLines(); len(lines) > 0 {
		for i := range lines {
			lines[i] = htmlText(lines[i])
		}
		// the table keeps lines off the text
		label = `, label=<<TABLE BORDER="0" CELLPADDING="3"><TR><TD>` + strings.Join(lines, "<BR/>") + "</TD></TR></TABLE>>"
	}
	d.printf("    %s -> %s [id=%q, %s%s];\n", e.From, e.To, e.id(), l.attributes(), label)
}

// webSamples are all rows that the legend of a web can have.
func webSamples() []sample {
	line, box := lineSample, boxSample
	return []sample{
		{"requires", line(2, ink), "requires"},
		{"older", line(1, inkFaint), "dashed: only older versions require it"},
		{"choice", line(2, inkSoft), "hollow tip: one of several that can meet it"},
		{"holds", line(3, orange), "bold, orange: keeps it from its upgrade"},
		{"clash", line(3, red), "bold, red: why OLM resolves nothing"},
		{"mutual", line(3, red), "no tip: they exclude each other"},
		{"added", box(green, greenPin), "green, bold: new"},
		{"moved", box(blue, blueSoft), "double border: upgraded"},
		{"held", box(orange, sand), "octagon: held back"},
		{"unowned", box(inkSoft, paper), "dotted border: no subscription owns it"},
		{"candidate", box(inkFaint, paper), "dashed border: could be installed"},
		{"wish", box(inkSoft, paper), "ellipse: subscription"},
		{"sought", box(blue, blueSoft), "blue, bold: asked about"},
		{"missing", box(red, paper), "red, dashed: it is not there"},
	}
}
