package text

import (
	"bufio"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/mattn/go-runewidth"
)

// Writer writes text output.
type Writer struct {
	*bufio.Writer
	Style  Style
	styles map[Role]lipgloss.Style // none without colours
}

// NewWriter returns a Writer. The caller must call Flush.
func NewWriter(w io.Writer, style Style) *Writer {
	t := &Writer{Writer: bufio.NewWriter(w), Style: style}
	if style.Color {
		t.styles = styles(w)
	}
	return t
}

// Paint returns s in the style of a role. Empty text has no escape sequences.
func (t *Writer) Paint(role Role, s string) string {
	style, ok := t.styles[role]
	if !ok || s == "" {
		return s
	}
	return style.Render(s)
}

// Line writes a line, unescaped.
func (t *Writer) Line(s string) {
	t.WriteString(s)
	t.WriteByte('\n')
}

// Title writes a heading, escaped. It is wrapped if it is too wide.
func (t *Writer) Title(s string) { t.Sentence("", groupIndent, Sentence{Styled(s, Heading)}) }

// Wrapped writes words with blanks between them as Sentence does.
func (t *Writer) Wrapped(indent, hanging string, words ...Word) {
	var s Sentence
	for i, w := range words {
		if i > 0 {
			s = append(s, Word{Text: " "})
		}
		s = append(s, w)
	}
	t.Sentence(indent, hanging, s)
}

// Sentence writes a sentence, wrapped at the width of the style where it has blanks. hanging is the indent of all lines but the
// first.
func (t *Writer) Sentence(indent, hanging string, s Sentence) {
	t.WriteString(indent)
	column, hang := runewidth.StringWidth(indent), runewidth.StringWidth(hanging)
	for i, piece := range s.pieces() {
		width := piece.width()
		switch {
		case i == 0:
		case column+1+width > t.Style.Width && column > hang:
			t.WriteString("\n" + hanging)
			column = hang
		default:
			t.WriteByte(' ')
			column++
		}
		for _, w := range piece {
			t.WriteString(t.Paint(w.Role, w.Text))
		}
		column += width
	}
	t.WriteByte('\n')
}
