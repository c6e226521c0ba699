package text

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Brush writes a piece of text in a style; nil leaves it as it is.
type Brush func(...string) string

func (b Brush) Paint(s string) string {
	if b == nil || s == "" {
		return s
	}
	return b(s)
}

// Colors holds the styles of a report for people. Colour only underlines what the words say.
type Colors struct {
	Heading, Place, Faint, Fix Brush
	Info, Warning, Error       Brush
}

// newColors never asks the terminal anything: the colours are the sixteen that every terminal has, in its own theme.
// Without colour it is empty.
func newColors(w io.Writer, color bool) Colors {
	if !color {
		return Colors{}
	}
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.ANSI)
	r.SetHasDarkBackground(true)
	return Colors{
		Heading: r.NewStyle().Bold(true).Render,
		Place:   r.NewStyle().Bold(true).Render,
		Faint:   r.NewStyle().Faint(true).Render,
		Fix:     r.NewStyle().Foreground(lipgloss.Color("2")).Render,
		Info:    r.NewStyle().Foreground(lipgloss.Color("6")).Render,
		Warning: r.NewStyle().Foreground(lipgloss.Color("3")).Render,
		Error:   r.NewStyle().Foreground(lipgloss.Color("1")).Bold(true).Render,
	}
}
