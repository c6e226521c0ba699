package graphviz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fogleman/gg"
)

// go-graphviz paints no lines, and does not fill all shapes. So pictures are painted here, from the drawing operations in the
// json output of Graphviz (https://graphviz.org/docs/outputs/json/ and .../canon/#xdot).

// errPixels is the error for a picture larger than maxPixels.
var errPixels = errors.New("the picture has too many pixels")

const (
	pixelsPerInch = 96      // unless the graph says otherwise
	pointsPerInch = 72      // the unit of all lengths in an operation
	margin        = 4       // in points, as in an SVG
	maxPixels     = 1 << 27 // 4 bytes each
)

// layout is a graph with a layout, in the json output of Graphviz.
type layout struct {
	part
	Box        string `json:"bb"`
	DPI        string `json:"dpi"`
	Background string `json:"bgcolor"`
	Objects    []part `json:"objects"` // clusters, each before those inside it, then nodes
	Edges      []part `json:"edges"`
}

// part is the drawing operations of a graph, cluster, node or edge.
type part struct {
	Draw      []operation `json:"_draw_"`
	Head      []operation `json:"_hdraw_"`
	Tail      []operation `json:"_tdraw_"`
	Label     []operation `json:"_ldraw_"`
	HeadLabel []operation `json:"_hldraw_"`
	TailLabel []operation `json:"_tldraw_"`
}

// operation is a drawing operation: a shape, a text, or a change of colour, line style or font.
type operation struct {
	Op     string       `json:"op"`
	Points [][2]float64 `json:"points"`
	Rect   [4]float64   `json:"rect"` // of an ellipse: its centre and its radii
	Color  string       `json:"color"`
	Stops  []stop       `json:"stops"` // of a gradient, in place of a colour
	Style  string       `json:"style"`
	Size   float64      `json:"size"`
	Face   string       `json:"face"`
	Flags  int          `json:"fontchar"`
	Pt     [2]float64   `json:"pt"`
	Align  string       `json:"align"`
	Width  float64      `json:"width"`
	Text   string       `json:"text"`
}

type stop struct {
	Color string `json:"color"`
}

// paint returns a PNG of a layout in the json output of Graphviz.
func paint(laidOut []byte) ([]byte, error) {
	var s layout
	if err := json.Unmarshal(laidOut, &s); err != nil {
		return nil, fmt.Errorf("read the layout: %w", err)
	}
	p, err := newPainter(&s)
	if err != nil {
		return nil, err
	}
	p.paintPart(&s.part)
	for _, layer := range [][]part{s.Objects, s.Edges} {
		for i := range layer {
			p.paintPart(&layer[i])
		}
	}
	var picture bytes.Buffer
	err = p.page.EncodePNG(&picture)
	return picture.Bytes(), err
}

// painter paints on a page. Each part begins with a new pen.
type painter struct {
	page      *gg.Context
	scale     float64 // pixels a point
	left, top float64 // of the page, in points
	fonts     *fonts
	pen
}

type pen struct {
	stroke, fill ink
	width        float64
	dashes       []float64
	size         float64
	face         string
	flags        int
}

func newPainter(s *layout) (*painter, error) {
	var left, bottom, right, top float64
	if _, err := fmt.Sscanf(s.Box, "%g,%g,%g,%g", &left, &bottom, &right, &top); err != nil {
		return nil, fmt.Errorf("read the size of the layout %q: %w", s.Box, err)
	}
	dpi, err := strconv.ParseFloat(s.DPI, 64)
	if err != nil || !(dpi > 0) {
		dpi = pixelsPerInch
	}
	p := &painter{scale: dpi / pointsPerInch, left: left - margin, top: top + margin, fonts: newFonts()}
	width, height := math.Ceil((right-left+2*margin)*p.scale), math.Ceil((top-bottom+2*margin)*p.scale)
	if !(width*height <= maxPixels) {
		return nil, fmt.Errorf("%w: %.0f by %.0f", errPixels, width, height)
	}
	p.page = gg.NewContext(max(int(width), 1), max(int(height), 1))
	p.page.SetLineCapButt() // of dashes, as in an SVG
	p.background(s)
	return p, nil
}

// background paints all of the page with what Graphviz paints the page without its margin: with white, too, where it is to
// be transparent.
func (p *painter) background(s *layout) {
	if s.Background == "transparent" {
		s.Draw = nil
	}
	for i := range s.Draw {
		if o := &s.Draw[i]; o.Op == "C" {
			p.paintWith(o.ink())
			p.page.Clear()
		}
	}
}

func (p *painter) paintPart(part *part) {
	for _, operations := range [][]operation{part.Draw, part.Tail, part.Head, part.Label, part.TailLabel, part.HeadLabel} {
		p.pen = pen{stroke: ink{a: 1}, fill: ink{a: 1}, width: 1, size: 14}
		for i := range operations {
			p.do(&operations[i])
		}
	}
}

func (p *painter) do(o *operation) {
	switch o.Op {
	case "c":
		p.stroke = o.ink()
	case "C":
		p.fill = o.ink()
	case "S":
		p.style(o.Style)
	case "F":
		p.size, p.face = o.Size, o.Face
	case "t":
		p.flags = o.Flags
	case "T":
		p.text(o)
	default:
		p.shape(o)
	}
}

// shape paints a shape. Operations with capital letters are filled.
func (p *painter) shape(o *operation) {
	switch o.Op {
	case "e", "E":
		x, y := p.pixel([2]float64{o.Rect[0], o.Rect[1]})
		p.page.DrawEllipse(x, y, o.Rect[2]*p.scale, o.Rect[3]*p.scale)
	case "p", "P", "L":
		p.lines(o.Points)
	case "b", "B":
		p.curves(o.Points)
	}
	if o.Op == "p" || o.Op == "P" {
		p.page.ClosePath()
	}
	if o.Op == "E" || o.Op == "P" || o.Op == "B" {
		p.paintWith(p.fill)
		p.page.FillPreserve()
	}
	p.paintWith(p.stroke)
	p.page.SetLineWidth(p.width * p.scale)
	p.page.SetDash(p.dashes...)
	p.page.Stroke()
}

func (p *painter) lines(points [][2]float64) {
	for i := range points {
		p.page.LineTo(p.pixel(points[i]))
	}
}

// curves adds a path of Bézier curves, each of which has two control points and an end.
func (p *painter) curves(points [][2]float64) {
	for i := range points {
		switch {
		case i == 0:
			p.page.MoveTo(p.pixel(points[i]))
		case i%3 == 0:
			x1, y1 := p.pixel(points[i-2])
			x2, y2 := p.pixel(points[i-1])
			x3, y3 := p.pixel(points[i])
			p.page.CubicTo(x1, y1, x2, y2, x3, y3)
		}
	}
}

// pixel converts a point to pixels on the page.
func (p *painter) pixel(point [2]float64) (x, y float64) {
	return (point[0] - p.left) * p.scale, (p.top - point[1]) * p.scale
}

// style sets the line style. Dashes are as in an SVG of Graphviz.
func (p *painter) style(style string) {
	switch style {
	case "solid":
		p.dashes = nil
	case "dashed":
		p.dashes = []float64{5 * p.scale, 2 * p.scale}
	case "dotted":
		p.dashes = []float64{1 * p.scale, 5 * p.scale}
	case "bold":
		p.width = 2
	}
	if width, ok := strings.CutPrefix(style, "setlinewidth("); ok {
		if w, err := strconv.ParseFloat(strings.TrimSuffix(width, ")"), 64); err == nil {
			p.width = w
		}
	}
}

// text paints a line of text, no wider than Graphviz has calculated.
func (p *painter) text(o *operation) {
	face, text, width := p.fonts.fit(p.face, p.flags, o.Text, p.size*p.scale, o.Width*p.scale)
	if face == nil {
		return
	}
	x, y := p.pixel(o.Pt)
	switch o.Align {
	case "c":
		x -= width / 2
	case "r":
		x -= width
	}
	p.page.SetFontFace(face)
	p.paintWith(p.stroke)
	p.page.DrawString(text, x, y)
}

// ink is a colour with components from 0 to 1.
type ink struct{ r, g, b, a float64 }

func (p *painter) paintWith(c ink) { p.page.SetRGBA(c.r, c.g, c.b, c.a) }

// ink returns the colour of an operation: #rrggbb or #rrggbbaa, or the first colour of a gradient; black if it is neither.
func (o *operation) ink() ink {
	written := o.Color
	if written == "" && len(o.Stops) > 0 {
		written = o.Stops[0].Color
	}
	digits := strings.TrimPrefix(written, "#")
	if len(digits) == 6 {
		digits += "ff"
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 8 {
		return ink{a: 1}
	}
	return ink{float64(n>>24) / 255, float64(n>>16&255) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}
}
