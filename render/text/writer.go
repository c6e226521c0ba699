package text

import (
	"bufio"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Writer writes text output.
type Writer struct {
	*bufio.Writer
	Style  Style
	Colors Colors
}

// NewWriter returns a Writer. The caller must call Flush.
func NewWriter(w io.Writer, style Style) *Writer {
	return &Writer{Writer: bufio.NewWriter(w), Style: style, Colors: newColors(w, style.Color)}
}

// Line writes a line, unescaped.
func (t *Writer) Line(s string) {
	t.WriteString(s)
	t.WriteByte('\n')
}

// Title writes a heading, escaped. It is wrapped if it is too wide.
func (t *Writer) Title(s string) {
	if s = Safe(s); runewidth.StringWidth(s) <= t.Style.Width {
		t.Line(t.Colors.Heading.Paint(s))
		return
	}
	t.Wrapped("", groupIndent, Styled(s, t.Colors.Heading))
}

// Wrapped writes words, wrapped at the width of the style where they have blanks. hanging is the indent of all lines but the
// first.
func (t *Writer) Wrapped(indent, hanging string, words ...Word) {
	t.WriteString(indent)
	column, start := runewidth.StringWidth(indent), true
	for _, w := range words {
		for piece := range strings.FieldsSeq(w.Text) {
			width := runewidth.StringWidth(piece)
			switch {
			case start:
			case column+1+width > t.Style.Width && column > runewidth.StringWidth(hanging):
				t.WriteString("\n" + hanging)
				column = runewidth.StringWidth(hanging)
			default:
				t.WriteByte(' ')
				column++
			}
			t.WriteString(w.Brush.Paint(piece))
			column, start = column+width, false
		}
	}
	t.WriteByte('\n')
}

// Word is text in one style, which may be wrapped at its blanks.
type Word struct {
	Text  string
	Brush Brush
}

// Plain returns s as a Word without a style, escaped.
func Plain(s string) Word { return Styled(s, nil) }

// Styled returns s as a Word in a style, escaped.
func Styled(s string, b Brush) Word { return Word{Safe(s), b} }
