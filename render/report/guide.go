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

// Explain writes the documentation of a rule.
func Explain(w io.Writer, g *Guide) error {
	_, err := fmt.Fprintf(w, "%s: %s\n\n%s\n", g.ID, g.Title(), g.text())
	return err
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
