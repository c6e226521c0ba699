package text

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

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
