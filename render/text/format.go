// Package text lays out text for people: styles, lines, tables and lists of words, and escapes for other languages.
package text

import "io"

// Style says how a report for people is laid out.
type Style struct {
	Width int  // of a line, in columns
	Fit   bool // whether tables give way to fit into the width, rather than say everything
	Color bool // whether colours may underline what the words say
}

// Format writes an answer in one form.
type Format[T any] struct {
	Name  string
	For   string // who reads it, of a report
	Write func(io.Writer, T, Style) error
}

// Unstyled writes a form that is the same however wide or coloured a report for people is.
func Unstyled[T any](write func(io.Writer, T) error) func(io.Writer, T, Style) error {
	return func(w io.Writer, answer T, _ Style) error { return write(w, answer) }
}
