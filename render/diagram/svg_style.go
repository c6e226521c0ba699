package diagram

import (
	"fmt"
	"strings"
)

// themeColor is a colour with its CSS variable. The picture has the light one in its attributes.
type themeColor struct{ name, light, dark string }

func themeColors() []themeColor {
	return []themeColor{
		{"ink", ink, "#e6edf3"}, {"soft", inkSoft, "#9da7b3"}, {"faint", inkFaint, "#768390"}, {"paper", paper, "#0d1117"},
		{"frame", frame, "#3d444d"}, {"blue", blue, "#6cb6ff"}, {"blue-soft", blueSoft, "#12304f"},
		{"green", green, "#57c9a3"}, {"green-soft", greenSoft, "#123a2e"}, {"orange", orange, "#e3b341"},
		{"orange-soft", orangeSoft, "#3a2c0b"}, {"red", red, "#ff8f66"}, {"red-soft", redSoft, "#4a1c0c"},
	}
}

// SVGStyle returns the style sheet of every SVG. It maps the colours in attributes to CSS variables, which follow the colour scheme and which a page can set.
func SVGStyle() string {
	var light, dark, rules strings.Builder
	for _, c := range themeColors() {
		fmt.Fprintf(&light, "--%s:%s;", c.name, c.light)
		fmt.Fprintf(&dark, "--%s:%s;", c.name, c.dark)
		fmt.Fprintf(&rules, ".olmgraph [fill=%q]{fill:var(--%s)}.olmgraph [stroke=%q]{stroke:var(--%s)}\n", c.light, c.name, c.light, c.name)
	}
	return fmt.Sprintf("\n.olmgraph{%sfont-family:Helvetica,Arial,'Liberation Sans',sans-serif}\n"+
		"@media(prefers-color-scheme:dark){.olmgraph{%s}}\n%s",
		light.String(), dark.String(), rules.String())
}

// Widths of the printable ASCII characters in Helvetica, from the blank on, in thousandths of the font size, from the metrics
// of the Adobe core fonts, with which Graphviz lays out text.
var (
	helvetica = [95]int{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	helveticaBold = [95]int{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
		975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
		333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
		611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	}
)

// textWidth returns the width of a text at font size 1, and whether the widths of all characters are known; an unknown one
// counts as 1, which is the width of an ellipsis.
func textWidth(text string, bold bool) (width float64, known bool) {
	table := &helvetica
	if bold {
		table = &helveticaBold
	}
	known = true
	for _, r := range text {
		if r < ' ' || r > '~' {
			known = known && r == '…'
			width++
			continue
		}
		width += float64(table[r-' ']) / 1000
	}
	return width, known
}
