package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/olmgraph/olmgraph/catalogs/atomicfile"
	"github.com/olmgraph/olmgraph/catalogs/inert"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// logf writes a message to standard error as one line, with control characters escaped. All messages are written by it.
func (p *program) logf(format string, args ...any) error {
	p.messages.Lock()
	defer p.messages.Unlock()
	p.progress.erase()
	_, err := fmt.Fprintf(p.stderr, "olmgraph: %s\n", inert.Text(fmt.Sprintf(format, args...)))
	return err
}

// eachError returns the errors that were joined.
func eachError(err error) []error {
	if wrong, ok := err.(misuse); ok {
		return eachError(wrong.error)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	var text []string
	for _, one := range joined.Unwrap() {
		all = append(all, eachError(one)...)
	}
	for _, one := range all {
		text = append(text, one.Error())
	}
	if strings.Join(text, "\n") != err.Error() { // it adds text to the errors that it wraps
		return []error{err}
	}
	return all
}

// writeOutput writes a picture or a report to a file, or to standard output.
func (p *program) writeOutput(o output, written []byte) error {
	binary := o.format == "html" || o.format == "png" || o.format == "svg" // binary, or already filtered
	if o.path == "" {
		p.progress.end()
	}
	switch {
	case o.path != "" && binary:
		return writeFile(o.path, written)
	case o.path != "":
		return writeFile(o.path, inert.Lines(written, false))
	}
	w := io.Writer(p.stdout)
	if binary {
		w = p.rawStdout()
	}
	_, err := w.Write(written)
	return err
}

// checkBinary rejects writing a PNG to a terminal.
func (p *program) checkBinary(to []output) error {
	if isTerminal(p.stdout) && slices.Contains(to, output{format: "png"}) {
		return misusef("a PNG cannot be written to a terminal: give -o FILE.png")
	}
	return nil
}

// report writes the report to all outputs. Its formats are filtered already, and workflow commands must not be.
func (p *program) report(to []output, r report.Report, style text.Style) error {
	return writeAll(to, func(o output) error {
		format := formatNamed(report.Formats(), o.format)
		if o.path == "" {
			return format.Write(p.rawStdout(), r, style)
		}
		var written bytes.Buffer
		if err := format.Write(&written, r, fileStyle()); err != nil {
			return err
		}
		return writeFile(o.path, written.Bytes())
	})
}

// rawStdout returns standard output without the filter: for binary formats, for workflow commands, and for output that is
// already filtered.
func (p *program) rawStdout() io.Writer { return p.stdout.To }

// ignoreClosedPipe discards output after the reader has closed the pipe, as head does. That does not change the exit status.
type ignoreClosedPipe struct {
	io.Writer
	began *bool // is set when something is written; may be nil
}

func (w ignoreClosedPipe) Write(text []byte) (int, error) {
	if w.began != nil && len(text) > 0 {
		*w.began = true
	}
	n, err := w.Writer.Write(text)
	if isClosedPipe(err) {
		return len(text), nil
	}
	return n, err
}

func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// writeFile writes a file atomically, or a pipe until its reader closes it.
func writeFile(name string, text []byte) error {
	if err := atomicfile.Write(name, text); err != nil && !isClosedPipe(err) {
		return err
	}
	return nil
}

// fileOf returns the file of a stream, or nil if it has none.
func fileOf(stream any) *os.File {
	if w, ok := stream.(*inert.Writer); ok && w != nil {
		stream = w.To
	}
	if w, ok := stream.(ignoreClosedPipe); ok {
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

// widthOf returns the width of text on a stream, in columns: that of the terminal, between 40 and 120, or 80.
func widthOf(stream any) int {
	if f := fileOf(stream); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(max(width, 40), 120)
		}
	}
	return 80
}

// style returns width and colour of standard output. --color auto colours only terminals.
func (p *program) style(c *cli.Context) text.Style {
	terminal := isTerminal(p.stdout)
	s := text.Style{Width: widthOf(p.stdout), Fit: terminal, Color: c.String("color") == "always"}
	if c.String("color") == "auto" {
		s.Color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	p.stdout.Color = s.Color
	return s
}
