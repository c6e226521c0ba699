package inert

import (
	"bytes"
	"io"
)

// Writer writes text escaped by Lines, each line when it is complete. It is not safe for concurrent use.
type Writer struct {
	To    io.Writer
	Color bool // see Lines

	begun []byte // the beginning of a line
}

func (w *Writer) Write(text []byte) (int, error) {
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 {
		w.begun = append(w.begun, text...)
		return len(text), nil
	}
	lines := text[:end]
	if len(w.begun) > 0 {
		lines = append(w.begun, lines...)
	}
	w.begun = nil
	if _, err := w.To.Write(Lines(lines, w.Color)); err != nil {
		return 0, err
	}
	w.begun = append(w.begun, text[end:]...)
	return len(text), nil
}

// Flush writes a last line without a line break.
func (w *Writer) Flush() error {
	if len(w.begun) == 0 {
		return nil
	}
	_, err := w.To.Write(Lines(w.begun, w.Color))
	w.begun = nil
	return err
}
