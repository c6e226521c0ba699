package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// pathMarkdown writes the paths as tables, or why there is none.
func pathMarkdown(w io.Writer, p *Path) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: from %s to %s\n\n", text.Markdown(headingOfQuestion(p.PackageGraph.Package, p.Question)),
		text.Markdown(p.version(p.From)), text.Markdown(p.version(p.To)))
	if p.Obstacle != nil {
		b.WriteString("There is no upgrade path.\n\n")
		for _, sentence := range p.whyNoPath() {
			fmt.Fprintf(&b, "- %s\n", text.Markdown(sentence))
		}
		if len(p.Automatic) > 0 {
			b.WriteString("\nAutomatic upgrades:\n\n")
			p.table(&b, p.Automatic)
		}
	}
	for i, path := range p.Paths {
		if i > 0 {
			b.WriteByte('\n')
		}
		said := countSteps(path)
		if len(path) == 0 {
			said = "Nothing to do"
		}
		if automatic(path) && len(path) > 0 {
			said += ", automatic"
		}
		fmt.Fprintf(&b, "%s.\n\n", said)
		if len(path) > 0 {
			p.table(&b, path)
		}
	}
	if p.MorePaths {
		b.WriteString("\nThere are more paths.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Path) table(b *strings.Builder, w graph.Path) {
	b.WriteString("| | from | to | via | defined in | note |\n|---|---|---|---|---|---|\n")
	for i := range w {
		s := &w[i]
		var notes []string
		for _, note := range p.notes(s) {
			notes = append(notes, text.Markdown(note))
		}
		note := strings.Join(notes, "<br>")
		if s.Switch() {
			fmt.Fprintf(b, "| %d | | | | switch to channel %s | %s |\n", i+1, text.Markdown(s.Graph.Channel.Name.Value), note)
			continue
		}
		why := wording.Edge(s.Edge, s.From)
		if !s.Automatic {
			why += ", if that version is requested"
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s |\n", i+1, text.Markdown(p.version(s.From)), text.Markdown(p.version(s.To)),
			text.Markdown(why), text.Markdown(s.Edge.Where.Pos.String()), note)
	}
}
