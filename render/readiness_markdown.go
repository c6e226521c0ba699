package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render/text"
)

// readinessMarkdown writes a table for catalogs, and for a cluster what to do step by step.
func readinessMarkdown(w io.Writer, r *Readiness) error {
	var b strings.Builder
	if r.Snapshot == nil {
		fmt.Fprintf(&b, "# OLM v1, %s\n\n", text.Markdown(r.Release.Title()))
		r.packageTable(&b)
	} else {
		fmt.Fprintf(&b, "# From OLM v0 to OLM v1, %s\n\n", text.Markdown(r.Release.Title()))
		r.runbook(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Readiness) packageTable(b *strings.Builder) {
	first := ""
	if len(r.Catalogs) > 1 {
		first = "| catalog "
	}
	fmt.Fprintf(b, "%s| package | chosen | verdict | installs | in the way |\n%s|---|---|---|---|---|\n", first, strings.Repeat("|---", len(first)/len("| catalog ")))
	for _, p := range r.Packages {
		var way []string
		for _, o := range p.Obstacles() {
			line := text.Markdown(o.Text)
			if o.Pos.Known() {
				line += " (" + text.Markdown(o.Pos.String()) + ")"
			}
			way = append(way, line)
		}
		if first != "" {
			fmt.Fprintf(b, "| %s ", text.Markdown(p.Source))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", text.Markdown(p.Name.Value), text.Markdown(versionOfBundle(p.Choice)), p.Verdict(),
			text.Markdown(versionOfBundle(p.Newest)), strings.Join(way, "<br>"))
	}
	fmt.Fprintf(b, "\n%s\n", countVerdicts(r.Packages))
}

// runbook writes the operators, those that cannot be handed over yet first in the table only.
func (r *Readiness) runbook(b *strings.Builder) {
	b.WriteString("| namespace | subscription | installed | verdict | then |\n|---|---|---|---|---|\n")
	for _, o := range r.Operators {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", text.Markdown(o.Namespace), text.Markdown(o.Subscription), text.Markdown(text.Dash(o.Name)), o.Verdict(), text.Markdown(nextOf(o)))
	}
	b.WriteString("\nMigrate one operator after the other. The operator is down between the deletion of its ClusterServiceVersion and its installation by OLM v1; " +
		"its CRDs and their objects stay.\n")
	for _, o := range r.Operators {
		fmt.Fprintf(b, "\n## %s in namespace %s: %s\n", text.Markdown(o.Subscription), text.Markdown(o.Namespace), o.Verdict())
		bullets(b, "In the way:", requirements(o.Hard))
		bullets(b, "What changes:", requirements(o.Soft))
		bullets(b, "Not known:", o.NotKnown)
		bullets(b, "Notes:", append(o.Notes[:len(o.Notes):len(o.Notes)], crdNotes(o)...))
		for i, step := range o.Steps {
			r.step(b, o, i+1, &step)
		}
	}
}

func requirements(all []readiness.Requirement) []string {
	var lines []string
	for _, r := range all {
		line := r.Text
		if r.Pos.Known() {
			line += " (" + r.Pos.String() + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

func bullets(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "- %s\n", text.Markdown(line))
	}
}

func (r *Readiness) step(b *strings.Builder, o *readiness.Operator, number int, s *readiness.Step) {
	fmt.Fprintf(b, "\n### %d. %s\n\n%s\n", number, s.Title, text.Markdown(s.Text))
	manifest := ""
	switch s.Object {
	case readiness.CatalogObject:
		manifest = catalogYAML(o.Extension.Catalog, o.Image)
	case readiness.ExtensionObject:
		manifest = extensionYAML(o.Extension)
	}
	commands := strings.Join(s.Commands, "\n")
	if manifest != "" {
		commands = "kubectl apply -f - <<'EOF'\n" + manifest + "EOF\n" + commands
	}
	if commands != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.TrimSuffix(commands, "\n"))
	}
}
