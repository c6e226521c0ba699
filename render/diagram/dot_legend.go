package diagram

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// sample is a row of the legend: a table cell whose border looks like the line or box, and its meaning.
type sample struct {
	occurs string // the class of an arrow, or the name of a mark
	cell   string // attributes of the cell
	text   string
}

func lineSample(width int, color string) string {
	return fmt.Sprintf(`WIDTH="34" HEIGHT="6" FIXEDSIZE="TRUE" SIDES="B" BORDER="%d" COLOR="%s"`, width, color)
}

func boxSample(color, fill string) string {
	return fmt.Sprintf(`WIDTH="30" HEIGHT="14" FIXEDSIZE="TRUE" BORDER="1" STYLE="ROUNDED" COLOR="%s" BGCOLOR="%s"`, color, fill)
}

// upgradeSamples returns all rows of the legend of upgrade graphs. None is dashed or dotted: Graphviz writes such styles of
// cells with the memory behind them. The text says it instead.
func upgradeSamples() []sample {
	line, box := lineSample, boxSample
	return []sample{
		{"next replaces", line(3, ink), "automatic upgrade; filled tip: replaces"},
		{"next skips", line(3, ink), "automatic upgrade; hollow tip: skips"},
		{"next range", line(3, ink), "automatic upgrade; diamond: skipRange"},
		{"next same", line(3, ink), "automatic upgrade of OLM v1; dot: same version"},
		{"replaces", line(1, inkFaint), "thin, filled tip: replaces"},
		{"skips", line(1, inkFaint), "thin, hollow tip: skips"},
		{"range", line(1, inkFaint), "thin, diamond: skipRange"},
		{"ignored", line(1, inkFaint), "dotted: replaces, ignored by OLM v0"},
		{"cut", line(2, red), "dashed: blocked, its target is never offered"},
		{"link", line(1, inkFaint), "dotted, no tip: the same bundle"},
		{"way", line(4, blue), "the requested path"},
		{"head", box(blue, blueSoft), "double border: head"},
		{"stuck", box(red, redSoft), "octagon: stuck, never upgraded"},
		{"skipped", box(inkFaint, paper), "dashed border: skipped"},
		{"not in this catalog", box(inkFaint, paper), "dashed border: installed, not in this catalog"},
		{"deprecated", box(orange, orangeSoft), "deprecated"},
		{"added", box(green, greenSoft), "green, bold: added"},
		{"removed", box(red, paper), "red, dashed: removed"},
		{"next changed", box(orange, orangeSoft), "changed automatic upgrade"},
	}
}

// legend returns a table of the samples that occur, three in a row.
func (d *dotWriter) legend(samples []sample) string {
	var b strings.Builder
	b.WriteString(`<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="3" CELLPADDING="1"><TR>`)
	n := 0
	for _, s := range samples {
		if !d.occurs[s.occurs] {
			continue
		}
		if n > 0 && n%3 == 0 {
			b.WriteString("</TR><TR>")
		}
		n++
		fmt.Fprintf(&b, `<TD %s> </TD><TD ALIGN="LEFT"><FONT POINT-SIZE="10">%s   </FONT></TD>`, s.cell, text.HTML(s.text))
	}
	if n == 0 {
		b.WriteString("<TD> </TD>")
	}
	b.WriteString("</TR></TABLE>>")
	return b.String()
}
