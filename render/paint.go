package render

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/olmgraph/olmgraph/lint"
)

// paint holds the styles of a report for people. Colour only underlines what the words say.
type paint struct {
	heading, place, faint, cure lipgloss.Style
	info, warning, error        lipgloss.Style
}

// newPaint never asks the terminal anything: the colours are the sixteen that every terminal has, in its own theme.
func newPaint(w io.Writer, color bool) paint {
	profile := termenv.Ascii
	if color {
		profile = termenv.ANSI
	}
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true)
	style := r.NewStyle
	return paint{
		heading: style().Bold(true),
		place:   style().Bold(true),
		faint:   style().Faint(true),
		cure:    style().Foreground(lipgloss.Color("2")),
		info:    style().Foreground(lipgloss.Color("6")),
		warning: style().Foreground(lipgloss.Color("3")),
		error:   style().Foreground(lipgloss.Color("1")).Bold(true),
	}
}

func (p paint) severity(s lint.Severity) lipgloss.Style {
	switch s {
	case lint.Error:
		return p.error
	case lint.Warning:
		return p.warning
	}
	return p.info
}
