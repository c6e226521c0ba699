package words

import (
	"bytes"
	"io"
)

// Writer writes text escaped by Lines, each line when it is complete. It is not safe for concurrent use.
type Writer struct {
	To    io.Writer
	Color bool // see Lines

	line []byte // the beginning of a line
}

func (w *Writer) Write(text []byte) (int, error) {
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 {
		w.line = append(w.line, text...)
		return len(text), nil
	}
	lines := text[:end]
	if len(w.line) > 0 {
		lines = append(w.line, lines...)
	}
	w.line = nil
	if _, err := w.To.Write(Lines(lines, w.Color)); err != nil {
		return 0, err
	}
	w.line = append(w.line, text[end:]...)
	return len(text), nil
}

// Flush writes a last line without a line break.
func (w *Writer) Flush() error {
	if len(w.line) == 0 {
		return nil
	}
	_, err := w.To.Write(Lines(w.line, w.Color))
	w.line = nil
	return err
}
