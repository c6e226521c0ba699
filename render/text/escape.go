package text

import (
	"fmt"
	"html"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Names in a catalog are untrusted: each of these functions escapes any string for one language.

// Markdown escapes a string for text and table cells in GitHub-flavoured Markdown.
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

// SafeLines is Safe for each line of s, for formats that can represent a line break, but not other control characters.
func SafeLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Safe(line)
	}
	return strings.Join(lines, "\n")
}

// MarkdownCode returns s as a code span. The fence is longer than any run of backticks in s.
func MarkdownCode(s string) string {
	s = Safe(s)
	if s == "" {
		return ""
	}
	fence := Fence(s, 1)
	if len(fence) > 1 {
		s = " " + s + " " // which Markdown strips
	}
	return fence + s + fence
}

// Fence returns more backticks than follow each other in s, and not fewer than least.
func Fence(s string, least int) string {
	longest, run := least-1, 0
	for _, c := range []byte(s) {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// HTML escapes a string for an HTML-like label of Graphviz.
func HTML(s string) string {
	return strings.NewReplacer("[", "&#91;", "]", "&#93;", "\\", "&#92;").Replace(html.EscapeString(Safe(s)))
}

// MarkdownHTML escapes a string for HTML in Markdown.
func MarkdownHTML(s string) string { return strings.ReplaceAll(HTML(s), "@", "&#64;") }

// Safe returns s as one line, with control and bidirectional characters escaped.
func Safe(s string) string { return words.Text(s) }

// Dash returns s, or a dash if it is empty.
func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Shorten cuts a text to a number of characters, the last of which is then an ellipsis.
func Shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// Size says a number of bytes.
func Size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
