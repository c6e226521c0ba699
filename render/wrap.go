package render

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// word is a piece of text in one style, which may be broken at its blanks.
type word struct {
	text  string
	brush brush
}

// plain is text from a finding.
func plain(s string) word { return word{text: safe(s)} }

// wrapped writes words behind each other, in lines of at most the width where the words allow it.
func (t *text) wrapped(indent, hanging string, words ...word) {
	t.WriteString(indent)
	column, start := len(indent), true
	for _, w := range words {
		for piece := range strings.FieldsSeq(w.text) {
			width := runewidth.StringWidth(piece)
			switch {
			case start:
			case column+1+width > t.style.Width && column > len(hanging):
				t.WriteString("\n" + hanging)
				column = len(hanging)
			default:
				t.WriteByte(' ')
				column++
			}
			t.WriteString(w.brush.paint(piece))
			column, start = column+width, false
		}
	}
	t.WriteByte('\n')
}

// safe returns text from a stranger in one line, without what could command a terminal or turn the order of what is read.
func safe(s string) string { return inert.Text(s) }

// window cuts an excerpt to a width around its column, and returns how many columns of the result stand before it.
func window(e catalogs.Excerpt, width int) (shown string, caret int) {
	before, after := safe(e.Text[:min(e.Col-1, len(e.Text))]), safe(e.Text[min(e.Col-1, len(e.Text)):])
	caret = runewidth.StringWidth(before)
	if room := max(width*2/3, 20); caret > room {
		before = "…" + runewidth.TruncateLeft(before, caret-room+1, "")
		caret = runewidth.StringWidth(before)
	}
	return before + runewidth.Truncate(after, max(width-caret, 10), "…"), caret
}
