package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// markdownLimit is the size of a comment in bytes: GitHub allows 65,536 characters, which are never more than the bytes.
const markdownLimit = 65_000

// markdownNote is reserved for the note on what was cut, in bytes.
const markdownNote = 300

// Markdown writes a comment for a pull request: a table of the rules with findings, then the findings in a fold for each
// package, the most severe first. It cuts what does not fit, and says so.
func Markdown(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### olmgraph: %s\n", markdownTitle(r))
	markdownSummary(&b, r)
	cut, from := 0, 0
	for _, g := range r.groups() {
		left := g.write(&b, markdownLimit-markdownNote)
		if left > 0 {
			cut, from = cut+left, from+1
		}
	}
	if cut > 0 {
		fmt.Fprintf(&b, "\n> **Cut:** %s of %s did not fit into a comment. The table above includes them; the other formats of the report "+
			"contain them.\n", text.Count(cut, "finding"), text.Count(from, "package"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownTitle(r Report) string {
	for range r.counted() {
		return r.tally()
	}
	return "no problems found" + r.suppressedNote()
}

func markdownSummary(b *strings.Builder, r Report) {
	counts := r.byRule()
	if len(counts) == 0 {
		return
	}
	worst := map[string]lint.Severity{}
	for f := range r.counted() {
		worst[f.Rule] = max(worst[f.Rule], f.Severity)
	}
	slices.SortStableFunc(counts, func(a, b RuleCount) int { return cmp.Compare(worst[b.Rule], worst[a.Rule]) })
	b.WriteString("\n| findings | rule | severity |\n|---:|---|---|\n")
	for _, c := range counts {
		fmt.Fprintf(b, "| %d | `%s` | %s |\n", c.Count, c.Rule, worst[c.Rule])
	}
}

// group is the findings of one package.
type group struct {
	heading    string
	findings   []*lint.Finding
	bySeverity [lint.Error + 1]int // number of findings of each severity
}

// groups returns the findings that count, by package, those with most errors first.
func (r Report) groups() []*group {
	var all []*group
	at := map[string]*group{}
	for f := range r.counted() {
		heading := headingOf(f)
		if at[heading] == nil {
			at[heading] = &group{heading: heading}
			all = append(all, at[heading])
		}
		g := at[heading]
		g.findings = append(g.findings, f)
		g.bySeverity[f.Severity]++
	}
	slices.SortStableFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.bySeverity[lint.Error], a.bySeverity[lint.Error]), cmp.Compare(b.bySeverity[lint.Warning], a.bySeverity[lint.Warning]))
	})
	for _, g := range all {
		slices.SortStableFunc(g.findings, func(a, b *lint.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	}
	return all
}

// write writes as many findings of the group as the limit allows, and returns the number of the others.
func (g *group) write(b *strings.Builder, limit int) (left int) {
	const foot = "\n</details>\n"
	var said []string
	for s := lint.Error; s > lint.Off; s-- {
		if n := g.bySeverity[s]; n > 0 {
			said = append(said, text.Count(n, s.String()))
		}
	}
	text := fmt.Sprintf("\n<details><summary>%s: %s</summary>\n\n", strings.ReplaceAll(text.HTML(g.heading), "@", "&#64;"), strings.Join(said, ", "))
	shown := 0
	for _, f := range g.findings {
		item := markdownItem(f)
		if b.Len()+len(text)+len(item)+len(foot) > limit {
			break
		}
		text += item
		shown++
	}
	if shown > 0 {
		b.WriteString(text + foot)
	}
	return len(g.findings) - shown
}

func markdownItem(f *lint.Finding) string {
	item := fmt.Sprintf("- **%s** %s %s `%s`\n", f.Severity, text.MarkdownCode(f.Pos.String()), text.Markdown(f.Message), f.Rule)
	if f.Fix != "" {
		item += "  <br>fix: " + text.Markdown(f.Fix) + "\n"
	}
	return item
}
