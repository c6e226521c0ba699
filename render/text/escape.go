package text

import (
	"fmt"
	"html"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// Names in a catalog come from strangers: each of these makes text of any string in one language, and nothing else.

// Markdown escapes a string for the running text and the table cells of GitHub's Markdown.
func Markdown(s string) string {
	var b strings.Builder
	for _, r := range Safe(s) {
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

// SafeLines returns text from a stranger as safe does, but keeps its lines: for forms that have a way to write a line break, and
// none, or no harmless one, for other control characters.
func SafeLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Safe(line)
	}
	return strings.Join(lines, "\n")
}

// MarkdownCode writes text as code. Backticks in it call for a longer fence.
func MarkdownCode(s string) string {
	s = Safe(s)
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " " // which the reader takes off again
	}
	return fence + s + fence
}

// HTML escapes a string for an HTML-like label.
func HTML(s string) string {
	return strings.NewReplacer("[", "&#91;", "]", "&#93;", "\\", "&#92;").Replace(html.EscapeString(Safe(s)))
}

// Safe returns text from a stranger in one line, without what could command a terminal or turn the order of what is read.
func Safe(s string) string { return inert.Text(s) }
