package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// text writes lines of an answer for people.
type text struct {
	*bufio.Writer
	style  Style
	colors palette
}

// newText returns a writer of text, which is to be flushed.
func newText(w io.Writer, style Style) *text {
	return &text{Writer: bufio.NewWriter(w), style: style, colors: newPalette(w, style.Color)}
}

// line writes a line as it is.
func (t *text) line(s string) {
	t.WriteString(s)
	t.WriteByte('\n')
}

// title writes a line as a heading, escaped.
func (t *text) title(s string) { t.line(t.colors.heading.paint(safe(s))) }

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

// word is a piece of text in one style, which may be broken at its blanks.
type word struct {
	text  string
	brush brush
}

// plain is text without a style.
func plain(s string) word { return styled(s, nil) }

// styled is text in a style.
func styled(s string, b brush) word { return word{safe(s), b} }
