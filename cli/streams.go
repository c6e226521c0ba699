package cli

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"

	"github.com/olmgraph/olmgraph/catalogs"
)

// untilClosed writes as long as somebody reads. Whoever has seen enough, as head does, changes nothing about how it ends.
type untilClosed struct{ io.Writer }

func (w untilClosed) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(text)
	if nobodyReads(err) {
		return len(text), nil
	}
	return n, err
}

func nobodyReads(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// writeFile writes a file whole or not at all, or a pipe until it is closed.
func writeFile(name string, text []byte) error {
	if err := catalogs.WriteFile(name, text); err != nil && !nobodyReads(err) {
		return err
	}
	return nil
}

// fileOf returns the file that a stream is, or nil.
func fileOf(stream any) *os.File {
	if w, ok := stream.(untilClosed); ok {
		stream = w.Writer
	}
	f, _ := stream.(*os.File)
	return f
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// widthOf returns how wide a report is to be on a stream: what suits the terminal, or 80 columns.
func widthOf(stream any) int {
	if f := fileOf(stream); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(max(width, 40), 120)
		}
	}
	return 80
}
