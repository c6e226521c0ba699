// Package text formats text output: styles, wrapped lines, tables and lists of words. It also escapes text for other languages.
package text

import "io"

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
