package diagram

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// SVG writes the SVG that Graphviz has laid out for a diagram, for browsers: with colours for dark mode, with tooltips, and
// with texts that fit their boxes in any font. Every node has the ID of its Node, every edge the IDs of its ends in data-from
// and data-to, a node of Fold those of its members in data-members, and both have classes for their marks.
func SVG(w io.Writer, d *Diagram, laidOut []byte) error {
	c := &svgText{id: d.id, title: d.Title, tooltips: map[string]string{}, members: map[string]string{}}
	c.parts(d.Nodes, d.Edges)
	for i := range d.Groups {
		g := &d.Groups[i]
		entries := 0
		for _, n := range g.Nodes {
			entries += max(1, len(n.Members))
		}
		c.description = append(c.description, fmt.Sprintf("%s: %s", g.Title, words.CountPlural(entries, "entry", "entries")))
		c.tooltips[g.ID] = strings.TrimSpace(g.Title + "\n" + g.Note)
		c.parts(g.Nodes, g.Edges)
	}
	c.description = append(c.description, d.Notes...)
	return c.write(w, laidOut)
}

// svgText is the text of an SVG: title, description and tooltips.
type svgText struct {
	id          string // prefix of the IDs of title and description
	title       string
	description []string
	tooltips    map[string]string // of each part, by its ID
	members     map[string]string // of nodes that stand for others, by their ID: the IDs of these
}

// parts adds the tooltips of nodes and edges.
func (c *svgText) parts(nodes []*Node, edges []*Edge) {
	for _, n := range nodes {
		c.tooltips[n.ID] = strings.Join(n.Tooltip, "\n")
		var members []string
		for _, m := range n.Members {
			members = append(members, m.ID)
		}
		c.members[n.ID] = strings.Join(members, " ")
	}
	for _, e := range edges {
		c.tooltips[e.id()] = strings.Join(e.Tooltip, "\n")
	}
}

// write writes the SVG laidOut with the caption.
func (c *svgText) write(w io.Writer, laidOut []byte) error {
	out := &svgWriter{svgText: c}
	out.encoder = xml.NewEncoder(&out.out)
	if err := out.copy(xml.NewDecoder(bytes.NewReader(laidOut))); err != nil {
		return fmt.Errorf("read the picture: %w", err)
	}
	_, err := w.Write(words.Lines(out.out.Bytes(), false))
	return err
}

type svgWriter struct {
	out     bytes.Buffer
	encoder *xml.Encoder
	*svgText
	part    string // the ID of the group that is open
	text    *xml.StartElement
	inTitle bool
	inside  bool // of the outermost element
}

// copy writes the SVG token by token, with changes.
func (w *svgWriter) copy(d *xml.Decoder) error {
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return w.encoder.Close()
		}
		if err != nil {
			return err
		}
		if err := w.token(token); err != nil {
			return err
		}
	}
}

func (w *svgWriter) token(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		return w.start(token)
	case xml.EndElement:
		w.inTitle = false
		return w.encoder.EncodeToken(xml.EndElement{Name: plainName(token.Name)})
	case xml.CharData:
		if w.inside {
			return w.characters(token)
		}
	}
	return nil // comments and the document type
}

// plainName returns a name without its namespace, which the root element declares.
func plainName(n xml.Name) xml.Name { return xml.Name{Local: n.Local} }

func (w *svgWriter) start(e xml.StartElement) error {
	e = plainElement(e)
	switch e.Name.Local {
	case "svg":
		return w.root(e)
	case "g":
		return w.group(e)
	case "title":
		w.inTitle = true
	case "text":
		w.text = &e // written when its text is known
		return nil
	}
	return w.encoder.EncodeToken(e)
}

// plainElement returns an element without namespaces.
func plainElement(e xml.StartElement) xml.StartElement {
	out := xml.StartElement{Name: plainName(e.Name)}
	for _, a := range e.Attr {
		if a.Name.Local != "xmlns" && a.Name.Space == "" {
			out.Attr = append(out.Attr, a)
		}
	}
	return out
}

func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (w *svgWriter) set(e *xml.StartElement, name, value string) {
	for i := range e.Attr {
		if e.Attr[i].Name.Local == name {
			e.Attr[i].Value = value
			return
		}
	}
	e.Attr = append(e.Attr, xml.Attr{Name: xml.Name{Local: name}, Value: value})
}

// root writes the root element, its title, description and style.
func (w *svgWriter) root(e xml.StartElement) error {
	w.inside = true
	out := xml.StartElement{Name: e.Name}
	w.set(&out, "xmlns", "http://www.w3.org/2000/svg")
	w.set(&out, "class", "olmgraph")
	w.set(&out, "role", "img")
	w.set(&out, "aria-labelledby", w.id+"-title "+w.id+"-facts")
	for _, name := range []string{"width", "height", "viewBox"} {
		w.set(&out, name, strings.TrimSuffix(attribute(&e, name), "pt"))
	}
	if err := w.encoder.EncodeToken(out); err != nil {
		return err
	}
	return errors.Join(
		w.element("title", w.id+"-title", text.Safe(w.title)),
		w.element("desc", w.id+"-facts", text.Safe(strings.Join(w.description, "; "))),
		w.element("style", "", SVGStyle()))
}

// element writes an element with text.
func (w *svgWriter) element(name, id, text string) error {
	e := xml.StartElement{Name: xml.Name{Local: name}}
	if id != "" {
		w.set(&e, "id", id)
	}
	return errors.Join(w.encoder.EncodeToken(e), w.encoder.EncodeToken(xml.CharData(text)), w.encoder.EncodeToken(e.End()))
}

// group writes the start of the group of a node, an edge or a channel.
func (w *svgWriter) group(e xml.StartElement) error {
	w.part = attribute(&e, "id")
	switch class := strings.Fields(attribute(&e, "class")); {
	case len(class) == 0:
	case slices.Contains(class, "legend"):
		w.set(&e, "class", "legend")
		e.Attr = slices.DeleteFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "id" })
	case class[0] == "node":
		w.set(&e, "tabindex", "-1")
		w.set(&e, "aria-label", oneLine(w.tooltips[w.part]))
		if members := w.members[w.part]; members != "" {
			w.set(&e, "data-members", members)
		}
	case class[0] == "edge":
		if ends := strings.Split(w.part, ":"); len(ends) > 1 {
			w.set(&e, "data-from", ends[0])
			w.set(&e, "data-to", ends[1])
		}
	}
	return w.encoder.EncodeToken(e)
}

// oneLine joins lines with semicolons, each escaped.
func oneLine(facts string) string { return strings.ReplaceAll(text.SafeLines(facts), "\n", "; ") }

func (w *svgWriter) characters(said xml.CharData) error {
	if w.inTitle {
		return w.encoder.EncodeToken(xml.CharData(text.SafeLines(w.tooltips[w.part])))
	}
	if e := w.text; e != nil {
		w.text = nil
		if err := w.encoder.EncodeToken(w.fitText(e, string(said))); err != nil {
			return err
		}
		if words, ok := strings.CutSuffix(string(said), " "); ok && words != "" { // browsers draw no blank at the end of a text
			return w.encoder.EncodeToken(xml.CharData(words + "\u00a0"))
		}
	}
	return w.encoder.EncodeToken(said.Copy())
}

// fitText sets the length of a text to the width that Graphviz has reserved for it.
func (w *svgWriter) fitText(e *xml.StartElement, text string) xml.StartElement {
	out := xml.StartElement{Name: e.Name}
	for _, a := range e.Attr {
		if a.Name.Local != "font-family" {
			a.Value = strings.TrimSuffix(a.Value, ".00") // of the font size
			out.Attr = append(out.Attr, a)
		}
	}
	var size float64
	fmt.Sscanf(attribute(e, "font-size"), "%g", &size)
	if width, ok := textWidth(text, attribute(e, "font-weight") == "bold"); ok && size > 0 && strings.TrimSpace(text) != "" {
		w.set(&out, "textLength", fmt.Sprintf("%.1f", width*size))
		w.set(&out, "lengthAdjust", "spacingAndGlyphs")
	}
	return out
}

// ThemeVariables returns the colours of the light and of the dark theme as CSS variables.
func ThemeVariables() (light, dark string) {
	for _, c := range themeColors() {
		light += fmt.Sprintf("--%s:%s;", c.name, c.light)
		dark += fmt.Sprintf("--%s:%s;", c.name, c.dark)
	}
	return light, dark
}

// SVGStyle returns the style sheet of every SVG. It maps the colours in attributes to CSS variables, which follow the colour scheme and which a page can set.
func SVGStyle() string {
	var rules strings.Builder
	for _, c := range themeColors() {
		fmt.Fprintf(&rules, ".olmgraph [fill=%q]{fill:var(--%s)}.olmgraph [stroke=%q]{stroke:var(--%s)}\n", c.light, c.name, c.light, c.name)
	}
	light, dark := ThemeVariables()
	return fmt.Sprintf("\n.olmgraph{%sfont-family:Helvetica,Arial,'Liberation Sans',sans-serif}\n@media(prefers-color-scheme:dark){.olmgraph{%s}}\n%s",
		light, dark, rules.String())
}
