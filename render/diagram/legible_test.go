package diagram

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/render/text"
)

// svgElement is an element of a picture.
type svgElement struct {
	XMLName    xml.Name
	Attributes []xml.Attr   `xml:",any,attr"`
	Inside     []svgElement `xml:",any"`
	Text       string       `xml:",chardata"`
}

func (e *svgElement) value(name string) string {
	for _, a := range e.Attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *svgElement) number(name string) float64 {
	n, _ := strconv.ParseFloat(e.value(name), 64)
	return n
}

// box is a rectangle.
type box struct{ left, top, right, bottom float64 }

func emptyBox() box { return box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

func (b *box) add(o box) {
	*b = box{min(b.left, o.left), min(b.top, o.top), max(b.right, o.right), max(b.bottom, o.bottom)}
}

// isInside reports whether a box is in another but for half a point.
func (b box) isInside(o box) bool {
	return b.left > o.left-0.5 && b.top > o.top-0.5 && b.right < o.right+0.5 && b.bottom < o.bottom+0.5
}

func (b box) overlaps(o box) bool {
	return b.left < o.right-0.5 && o.left < b.right-0.5 && b.top < o.bottom-0.5 && o.top < b.bottom-0.5
}

// shape returns the bounds of a shape.
func (e *svgElement) shape() box {
	b := emptyBox()
	var points []float64
	switch e.XMLName.Local {
	case "ellipse":
		x, y, w, h := e.number("cx"), e.number("cy"), e.number("rx"), e.number("ry")
		return box{x - w, y - h, x + w, y + h}
	case "text":
		return e.textBox()
	}
	for _, digits := range strings.FieldsFunc(e.value("points")+e.value("d"), func(r rune) bool { return strings.ContainsRune(" ,MCLZ", r) }) {
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			continue
		}
		if points = append(points, n); len(points)%2 == 0 {
			x, y := points[len(points)-2], n
			b.add(box{x, y, x, y})
		}
	}
	return b
}

// textBox returns the bounds of a text, without its width if Graphviz does not know it either.
func (e *svgElement) textBox() box {
	x, y, size := e.number("x"), e.number("y"), e.number("font-size")
	width := e.number("textLength")
	if width == 0 {
		if w, known := textWidth(strings.ReplaceAll(e.Text, "\u00a0", " "), e.value("font-weight") == "bold"); known {
			width = w * size
		}
	}
	switch e.value("text-anchor") {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	return box{x, y - 0.75*size, x + width, y + 0.2*size}
}

// reader looks for what cannot be read in a picture.
type pictureReader struct {
	page   box
	nodes  map[string]box
	texts  map[string][]string // of nodes
	faults []string
}

func (p *pictureReader) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// part reads a group: its texts are at least 11 pixels high, inside its shape if it is a node or a channel, and on the page.
func (p *pictureReader) part(g *svgElement) {
	class, id := strings.Fields(g.value("class") + " -")[0], g.value("id")
	bounds := emptyBox()
	for i := range g.Inside {
		if e := &g.Inside[i]; strings.Contains("polygon polyline path ellipse", e.XMLName.Local) {
			bounds.add(e.shape())
		}
	}
	for i := range g.Inside {
		e := &g.Inside[i]
		if e.XMLName.Local == "g" {
			p.part(e)
		}
		if e.XMLName.Local != "text" || strings.TrimSpace(e.Text) == "" {
			continue
		}
		if size := e.number("font-size"); size < 11 {
			p.fault("%q is %g pixels high", e.Text, size)
		}
		if strings.HasSuffix(e.Text, " ") {
			p.fault("%q ends with a blank, which browsers do not draw", e.Text)
		}
		if b := e.textBox(); (class == "node" || class == "cluster") && !math.IsInf(bounds.left, 0) && !b.isInside(bounds) {
			p.fault("%q is outside of %s", e.Text, id)
		}
		p.texts[id] = append(p.texts[id], e.Text)
	}
	for i := range g.Inside {
		if b := g.Inside[i].shape(); class != "graph" && !math.IsInf(b.left, 0) && !b.isInside(p.page) {
			p.fault("%s %s is cut", class, id)
		}
	}
	if class == "node" && !math.IsInf(bounds.left, 0) {
		for other, b := range p.nodes {
			if b.overlaps(bounds) {
				p.fault("%s is over %s", id, other)
			}
		}
		p.nodes[id] = bounds
	}
}

// unreadable returns what cannot be read in a picture.
func unreadable(picture []byte) (faults []string, texts map[string][]string) {
	var root svgElement
	if err := xml.Unmarshal(picture, &root); err != nil {
		return []string{err.Error()}, nil
	}
	p := &pictureReader{nodes: map[string]box{}, texts: map[string][]string{}}
	for i := range root.Inside {
		g := &root.Inside[i]
		if g.XMLName.Local != "g" {
			continue
		}
		var x, y, width, height float64
		fmt.Sscanf(root.value("viewBox"), "%g %g %g %g", &x, &y, &width, &height)
		_, moved, _ := strings.Cut(g.value("transform"), "translate(")
		var dx, dy float64
		fmt.Sscanf(moved, "%g %g", &dx, &dy)
		p.page = box{x - dx, y - dy, x - dx + width, y - dy + height}
		p.part(g)
	}
	return p.faults, p.texts
}

// checkLegible checks that a picture can be read, and that the version or name of each node is on one line, and each edge has its label. Graphviz replaces
// what it takes for an escape, as \N, which no name that a cluster accepts has.
func checkLegible(t testing.TB, d *Diagram, picture []byte) {
	t.Helper()
	faults, texts := unreadable(picture)
	for _, fault := range faults {
		t.Errorf("%s: %s", d.Title, fault)
	}
	nodes, edges := d.elements()
	for _, e := range edges {
		if l := styleEdge(e); l.label != "" && len(texts[e.id()]) == 0 {
			t.Errorf("%s: edge %s lacks its label", d.Title, e.id())
		}
	}
	for _, n := range nodes {
		if want := n.caption(); want != "" && !strings.Contains(want, `\`) && (len(texts[n.ID]) == 0 || texts[n.ID][0] != text.Safe(want)) {
			t.Errorf("%s: node %s has %q, want %q on a line", d.Title, n.ID, texts[n.ID], want)
		}
	}
}

// TestUnreadable checks that checkLegible finds what cannot be read.
func TestUnreadable(t *testing.T) {
	const picture = `<svg viewBox="0 0 100 50"><g class="graph" transform="translate(4 46)">` +
		`<g id="a" class="node"><polygon points="0,-40 40,-40 40,-10 0,-10"/><text x="20" y="-20" text-anchor="middle" font-size="13" textLength="30">1.0.0</text></g>` +
		`<g id="b" class="node"><path d="M30,-40C30,-40 60,-40 60,-10L30,-10"/><text x="45" y="-20" text-anchor="middle" font-size="10" textLength="50">2.0.0</text></g>` +
		`<g id="c" class="edge"><path d="M60,-20C70,-20 90,-20 110,-20"/></g></g></svg>`
	faults, texts := unreadable([]byte(picture))
	want := []string{`"2.0.0" is 10 pixels high`, `"2.0.0" is outside of b`, "b is over a", "edge c is cut"}
	if !slices.Equal(faults, want) || texts["a"][0] != "1.0.0" {
		t.Errorf("%q, want %q; %v", faults, want, texts)
	}
}
