package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/olmgraph/olmgraph/catalogs"
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

// safe returns text from a stranger without what could command a terminal or turn the order of what is read: control
// characters, and the invisible ones that change direction. They are shown as escapes.
func safe(s string) string {
	if strings.IndexFunc(s, unsafe) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t' || r == '\n':
			b.WriteByte(' ')
		case unsafe(r):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

func escaped(r rune) string {
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

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
