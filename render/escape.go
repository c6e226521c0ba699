package render

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
)

// Names in a catalog come from strangers: each of these makes text of any string in one language, and nothing else.

// markdownText escapes a string for the running text and the table cells of GitHub's Markdown.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range safe(s) {
		switch {
		case r == '@': // a backslash would not stop a mention
			b.WriteString("&#64;")
		case r == '<' || r == '>' || r == '&' || r == '|':
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]()#!~$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// legible returns text from a stranger as safe does, but keeps its lines: for forms that have a way to write a line break, and
// none, or no harmless one, for other control characters.
func legible(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = safe(line)
	}
	return strings.Join(lines, "\n")
}

// advice is what a finding says and how to mend it, a line each.
func advice(f *lint.Finding) string {
	if f.Cure == "" {
		return f.Message
	}
	return f.Message + "\ncure: " + f.Cure
}

// mermaidLabel quotes the lines of a label for Mermaid, without the empty ones.
func mermaidLabel(lines ...string) string { return quoteLines(lines, mermaidText, "<br/>") }

// dotLabel quotes the lines of a label for the DOT language, without the empty ones.
func dotLabel(lines ...string) string { return quoteLines(lines, dotText, `\n`) }

func quoteLines(lines []string, escape func(string) string, lineBreak string) string {
	var escaped []string
	for _, line := range lines {
		if line != "" {
			escaped = append(escaped, escape(line))
		}
	}
	return `"` + strings.Join(escaped, lineBreak) + `"`
}

// mermaidText escapes a string for a quoted label of Mermaid: all but a few characters become entity codes.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range safe(s) {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune(" .,-+/_", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// dotText escapes a string for a quoted string of the DOT language.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(safe(s))
}
