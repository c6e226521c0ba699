package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// markdownLimit is the size of a comment in bytes: GitHub allows 65,536 characters, which are never more than the bytes.
const markdownLimit = 65_000

// markdownNote is reserved for the notes on what was cut and on the base, in bytes.
const markdownNote = 600

// Markdown writes a comment for a pull request: a table of the rules with findings, then the findings in a fold for each
// package, in their order; a fold with an error is open. It cuts what does not fit, and says so. Infos are only counted, unless Report.Infos is set.
func Markdown(w io.Writer, r Report) error {
	r.editor = &lint.LineEditor{}
	var b strings.Builder
	fmt.Fprintf(&b, "### olmgraph: %s\n", r.markdownTitle())
	r.markdownSummary(&b)
	cut, from := 0, 0
	for _, g := range r.groups() {
		left := r.writeMarkdown(&b, g, markdownLimit-markdownNote)
		if left > 0 {
			cut, from = cut+left, from+1
		}
	}
	if cut > 0 {
		fmt.Fprintf(&b, "\n> **Cut:** %s of %s did not fit into a comment. The table above includes them; the other formats of the report "+
			"contain them.\n", words.Count(cut, "finding"), words.Count(from, "package"))
	}
	if infos := r.count().Infos; infos > 0 && !r.Infos {
		fmt.Fprintf(&b, "\n%s not shown: `--min-severity info` shows infos.\n", words.CountPlural(infos, "info is", "infos are"))
	}
	if unseen := r.unseen(); unseen != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(unseen))
	}
	if r.Base != "" {
		fmt.Fprintf(&b, "\nCompared with <code>%s</code>.\n", text.MarkdownHTML(r.Base))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) markdownTitle() string {
	for range r.countedFindings() {
		return r.tally()
	}
	said := r.clean()
	return strings.ToLower(said[:1]) + said[1:]
}

// markdownSummary writes a table of the rules with findings of a severity, the worst and most frequent first.
func (r Report) markdownSummary(b *strings.Builder) {
	type kind struct {
		rule     string
		severity lint.Severity
	}
	count := map[kind]int{}
	for f := range r.countedFindings() {
		if r.shows(f) {
			count[kind{f.Rule, f.Severity}] += f.Count()
		}
	}
	kinds := slices.SortedFunc(maps.Keys(count), func(x, y kind) int {
		return cmp.Or(cmp.Compare(y.severity, x.severity), count[y]-count[x], strings.Compare(x.rule, y.rule))
	})
	if len(kinds) > 0 {
		b.WriteString("\n| findings | rule | severity |\n|---:|---|---|\n")
	}
	for _, k := range kinds {
		fmt.Fprintf(b, "| %d | `%s` | %s |\n", count[k], k.rule, k.severity)
	}
}

// writeMarkdown writes as many findings of a package as the limit allows, and returns the number of the others.
func (r Report) writeMarkdown(b *strings.Builder, g *group, limit int) (left int) {
	const foot = "\n</details>\n"
	var said []string
	for s := lint.Error; s > lint.Off; s-- {
		if n := g.bySeverity[s]; n > 0 {
			said = append(said, words.Count(n, s.String()))
		}
	}
	open := ""
	if g.bySeverity[lint.Error] > 0 {
		open = " open"
	}
	text := fmt.Sprintf("\n<details%s><summary>%s: %s</summary>\n\n", open, text.MarkdownHTML(g.heading), strings.Join(said, ", "))
	findings := g.shownFindings(&r)
	shown := 0
	for _, f := range findings {
		item := r.markdownItem(f)
		if b.Len()+len(text)+len(item)+len(foot) > limit {
			break
		}
		text += item
		shown++
	}
	if shown > 0 {
		b.WriteString(text + foot)
	}
	return len(findings) - shown
}

// mostEdited is the length of a line and its replacement that are shown in a comment.
const mostEdited = 200

func (r Report) markdownItem(f *lint.Finding) string {
	advice := r.adviceLines(f)
	item := fmt.Sprintf("- **%s** %s %s `%s`\n", f.Severity, text.MarkdownCode(f.Pos.String()), text.Markdown(advice[0]), f.Rule)
	for _, line := range advice[1:] {
		item += "  <br>" + text.Markdown(line) + "\n"
	}
	for _, e := range r.editor.LineEdits(r.catalog(f.Catalog), f) {
		was, is := strings.TrimSpace(e.Was), strings.TrimSpace(e.Is)
		if strings.Contains(was+is, "\n") || len(was+is) > mostEdited {
			continue // the sentence says it
		}
		item += fmt.Sprintf("  <br>line %d: %s → %s\n", e.Line, cmp.Or(text.MarkdownCode(was), "nothing"), cmp.Or(text.MarkdownCode(is), "nothing"))
	}
	if len(f.Details) < 2 {
		return item
	}
	item += fmt.Sprintf("  <details><summary>%d details</summary>\n\n", len(f.Details))
	for _, d := range firstRelated(f.Details) {
		item += fmt.Sprintf("  - %s %s\n", text.MarkdownCode(d.Pos.String()), text.Markdown(d.Message))
	}
	if left := len(f.Details) - mostListed; left > 0 {
		item += fmt.Sprintf("  - and %d more\n", left)
	}
	return item + "\n  </details>\n"
}
