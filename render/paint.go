package render

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// brush writes a piece of text in a style; nil leaves it as it is.
type brush func(...string) string

func (b brush) paint(s string) string {
	if b == nil || s == "" {
		return s
	}
	return b(s)
}

// palette holds the styles of a report for people. Colour only underlines what the words say.
type palette struct {
	heading, place, faint, cure brush
	info, warning, error        brush
}

// newPalette never asks the terminal anything: the colours are the sixteen that every terminal has, in its own theme.
// Without colour it is empty.
func newPalette(w io.Writer, color bool) palette {
	if !color {
		return palette{}
	}
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.ANSI)
	r.SetHasDarkBackground(true)
	return palette{
		heading: r.NewStyle().Bold(true).Render,
		place:   r.NewStyle().Bold(true).Render,
		faint:   r.NewStyle().Faint(true).Render,
		cure:    r.NewStyle().Foreground(lipgloss.Color("2")).Render,
		info:    r.NewStyle().Foreground(lipgloss.Color("6")).Render,
		warning: r.NewStyle().Foreground(lipgloss.Color("3")).Render,
		error:   r.NewStyle().Foreground(lipgloss.Color("1")).Bold(true).Render,
	}
}
