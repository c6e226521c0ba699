package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// Guide is the documentation of a rule.
type Guide struct {
	lint.Rule
	Example Example // empty if there is none
}

// Explain writes the documentation of rules. Lines of examples are not wrapped.
func Explain(w io.Writer, guides []Guide, style text.Style) error {
	t := text.NewWriter(w, style)
	for i := range guides {
		explain(t, &guides[i])
	}
	return t.Flush()
}

// ExplainMarkdown writes the documentation of rules as Markdown.
func ExplainMarkdown(w io.Writer, guides []Guide) error {
	var b strings.Builder
	for i := range guides {
		fmt.Fprintf(&b, "### `%s`: %s\n\n%s\n", guides[i].ID, text.Markdown(guides[i].Title()), guides[i].markdown())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func explain(t *text.Writer, g *Guide) {
	line := func(s string) { t.Wrapped("", "", text.Plain(s)) }
	paragraphs := func(s string) {
		for i, paragraph := range strings.Split(s, "\n\n") {
			if i > 0 {
				t.Line("")
			}
			line(paragraph)
		}
	}
	line(g.ID + ": " + g.Title())
	t.Line("")
	line("severity: " + g.Severity.String())
	for i, name := range g.Gates.Names() {
		line(fmt.Sprintf("rejected by: %s (%s)", name, g.Gates.Meanings()[i]))
	}
	t.Line("")
	paragraphs(g.Why())
	t.Line("\nto fix it:")
	paragraphs(g.Fix())
	if g.Example.Wrong != "" {
		t.Line("\nwrong:\n\n" + indented(g.Example.Wrong) + "\nright:\n\n" + strings.TrimSuffix(indented(g.Example.Right), "\n"))
	}
	t.Line("")
	line("see: " + g.Reference)
	t.Line("")
}

// text returns the documentation without the title.
func (g *Guide) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "severity: %s\n", g.Severity)
	for i, name := range g.Gates.Names() {
		fmt.Fprintf(&b, "rejected by: %s (%s)\n", name, g.Gates.Meanings()[i])
	}
	fmt.Fprintf(&b, "\n%s\n\nto fix it:\n%s\n", g.Why(), g.Fix())
	if g.Example.Wrong != "" {
		fmt.Fprintf(&b, "\nwrong:\n\n%s\nright:\n\n%s", indented(g.Example.Wrong), indented(g.Example.Right))
	}
	fmt.Fprintf(&b, "\nsee: %s\n", g.Reference)
	return b.String()
}

// markdown returns the documentation without the title, as Markdown.
func (g *Guide) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**, rejected by\n\n", g.Severity)
	for i, name := range g.Gates.Names() {
		fmt.Fprintf(&b, "- `%s`: %s\n", name, text.Markdown(g.Gates.Meanings()[i]))
	}
	fmt.Fprintf(&b, "\n%s\n\n**To fix it:** %s\n", text.Markdown(g.Why()), text.Markdown(g.Fix()))
	if g.Example.Wrong != "" {
		fmt.Fprintf(&b, "\nWrong:\n\n```yaml\n%s```\n\nRight:\n\n```yaml\n%s```\n", g.Example.Wrong, g.Example.Right)
	}
	fmt.Fprintf(&b, "\nSee: %s\n", text.Markdown(g.Reference))
	return b.String()
}

// indented indents an example.
func indented(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("    " + line)
	}
	return b.String()
}
