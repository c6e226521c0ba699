// Package text formats text output: styles, wrapped lines, tables and lists of words. It also escapes text for other languages.
package text

import (
	"bufio"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
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
	column, hang := Width(indent), Width(hanging)
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

// Role is what a word is for, which decides its style. Styles only repeat what the words say.
type Role int

const (
	Normal Role = iota
	Heading
	Place
	Faint
	Fix
	Info
	Warning
	Error
	Name    // of something in a catalog: code in Markdown
	Command // what to type: in one line, and code in Markdown
)

// styles returns the styles of roles in the sixteen ANSI colours. It does not query the terminal.
func styles(w io.Writer) map[Role]lipgloss.Style {
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.ANSI)
	r.SetHasDarkBackground(true)
	color := func(name string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(name)) }
	return map[Role]lipgloss.Style{
		Heading: r.NewStyle().Bold(true),
		Place:   r.NewStyle().Bold(true),
		Faint:   r.NewStyle().Faint(true),
		Fix:     color("2"),
		Info:    color("6"),
		Warning: color("3"),
		Error:   color("1").Bold(true),
	}
}

// Style is the layout of text output.
type Style struct {
	Width int  // of a line, in columns
	Fit   bool // whether tables are wrapped to fit the width
	Color bool // whether text is coloured
}

// tableWidth returns the width of tables; 0 is no limit.
func (s Style) tableWidth() int {
	if s.Fit {
		return s.Width
	}
	return 0
}

// Format writes an answer in one format.
type Format[T any] struct {
	Name  string
	For   string // who reads a report in this format, for the documentation
	Write func(io.Writer, T, Style) error
}

// Unstyled adapts a function that writes a format without a style.
func Unstyled[T any](write func(io.Writer, T) error) func(io.Writer, T, Style) error {
	return func(w io.Writer, answer T, _ Style) error { return write(w, answer) }
}
