package text

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Brush renders text in a style; nil renders it unchanged.
type Brush func(...string) string

// Paint renders s. Empty text has no escape sequences.
func (b Brush) Paint(s string) string {
	if b == nil || s == "" {
		return s
	}
	return b(s)
}

// Colors are the styles of text output. Colours only repeat what the words say.
type Colors struct {
	Heading, Place, Faint, Fix Brush
	Info, Warning, Error       Brush
}

// newColors returns styles in the sixteen ANSI colours, or none if color is false. It does not query the terminal.
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
