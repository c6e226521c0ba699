package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// drawn is what a small picture of a path shows: each bundle once, and each step between two of them once.
type drawn struct {
	bundles []string // in the order in which the ways come to them
	at      map[string]int
	edges   []drawnEdge
}

type drawnEdge struct {
	from, to int
	label    string
	auto     bool
}

// draw collects the bundles and steps of all ways, or, where there is none, of what happens by itself.
func (p *Path) draw() drawn {
	d := drawn{at: map[string]int{}}
	d.bundle(p.From)
	ways := p.Paths
	if len(ways) == 0 {
		ways = []graph.Path{p.Automatic}
	}
	seen := map[drawnEdge]bool{}
	for _, w := range ways {
		moved := ""
		for i := range w {
			s := &w[i]
			if s.Switch() {
				moved = fmt.Sprintf("in channel %s: ", s.Graph.Channel.Name.Value)
				continue
			}
			e := drawnEdge{from: d.bundle(s.From), to: d.bundle(s.To), label: moved + label(s.Edge), auto: s.Automatic && moved == ""}
			moved = ""
			if !seen[e] {
				seen[e] = true
				d.edges = append(d.edges, e)
			}
		}
	}
	d.bundle(p.To)
	return d
}

func (d *drawn) bundle(name string) int {
	i, met := d.at[name]
	if !met {
		i = len(d.bundles)
		d.at[name] = i
		d.bundles = append(d.bundles, name)
	}
	return i
}

func label(e graph.Edge) string {
	if e.Kind == graph.SkipRange {
		return e.Where.Value
	}
	return e.Kind.String()
}

// caption is what stands under a bundle's name: its version, and what it is.
func (p *Path) caption(name string) string {
	var parts []string
	if v := p.version(name); v != name {
		parts = append(parts, v)
	}
	if name == p.From {
		parts = append(parts, "installed")
	}
	if !p.Atlas.Has(name) {
		parts = append(parts, "not in this catalog")
	}
	if p.head(name) {
		parts = append(parts, "head")
	}
	if p.Atlas.Package.Deprecation(catalogs.SchemaBundle, name) != nil {
		parts = append(parts, "deprecated")
	}
	if name == p.To && p.Obstacle != nil {
		parts = append(parts, "no way")
	}
	return strings.Join(parts, ", ")
}

// pathMermaid writes the ways as a Mermaid flowchart. What nobody does by itself is dashed.
func pathMermaid(w io.Writer, p *Path) error {
	var b strings.Builder
	d := p.draw()
	b.WriteString("flowchart LR\n")
	for i, name := range d.bundles {
		fmt.Fprintf(&b, "  b%d[%s]\n", i, mermaidLabel(name, p.caption(name)))
	}
	for _, e := range d.edges {
		arrow := "-.->"
		if e.auto {
			arrow = "-->"
		}
		fmt.Fprintf(&b, "  b%d %s|%s| b%d\n", e.from, arrow, mermaidLabel(e.label), e.to)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pathDOT writes the ways in the DOT language. What nobody does by itself is dashed.
func pathDOT(w io.Writer, p *Path) error {
	var b strings.Builder
	d := p.draw()
	b.WriteString("digraph path {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n")
	for i, name := range d.bundles {
		fmt.Fprintf(&b, "  b%d [label=%s];\n", i, dotLabel(name, p.caption(name)))
	}
	for _, e := range d.edges {
		style := "dashed"
		if e.auto {
			style = "solid"
		}
		fmt.Fprintf(&b, "  b%d -> b%d [label=%s, style=%s];\n", e.from, e.to, dotLabel(e.label), style)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// pathMarkdown writes the ways as tables, or why there is none.
func pathMarkdown(w io.Writer, p *Path) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: from %s to %s\n\n", markdownText(headingOfQuestion(p.Atlas.Package, p.Question)),
		markdownText(p.version(p.From)), markdownText(p.version(p.To)))
	if p.Obstacle != nil {
		b.WriteString("There is no way.\n\n")
		for _, sentence := range p.why() {
			fmt.Fprintf(&b, "- %s\n", markdownText(sentence))
		}
		if len(p.Automatic) > 0 {
			b.WriteString("\nWhat happens by itself:\n\n")
			p.table(&b, p.Automatic)
		}
	}
	for i, way := range p.Paths {
		if i > 0 {
			b.WriteByte('\n')
		}
		said := steps(way)
		if len(way) == 0 {
			said = "Nothing to do"
		}
		if automatic(way) && len(way) > 0 {
			said += ", without anybody's doing"
		}
		fmt.Fprintf(&b, "%s.\n\n", said)
		if len(way) > 0 {
			p.table(&b, way)
		}
	}
	if p.MorePaths {
		b.WriteString("\nThere are more ways.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Path) table(b *strings.Builder, w graph.Path) {
	b.WriteString("| | from | to | because it | where | note |\n|---|---|---|---|---|---|\n")
	for i := range w {
		s := &w[i]
		var notes []string
		for _, note := range p.notes(s) {
			notes = append(notes, markdownText(note))
		}
		note := strings.Join(notes, "<br>")
		if s.Switch() {
			fmt.Fprintf(b, "| %d | | | | move the subscription to channel %s | %s |\n", i+1, markdownText(s.Graph.Channel.Name.Value), note)
			continue
		}
		why := reason(s.Edge, s.From)
		if !s.Automatic {
			why += ", if that version is asked for"
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s |\n", i+1, markdownText(p.version(s.From)), markdownText(p.version(s.To)),
			markdownText(why), markdownText(s.Edge.Where.Pos.String()), note)
	}
}
