package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// Exit statuses.
const (
	statusClean      = 0
	statusFindings   = 1 // findings at or above --fail-on, a file that is not a catalog, or a negative answer
	statusMisuse     = 2 // an unknown flag, format, rule, gate, package or channel
	statusIncomplete = 3 // a reference could not be opened or is not a catalog, or the answer may be incomplete

	statusCancelled = 130 // interrupted by a signal, as shells report SIGINT
)

// misuse marks an error in the command line, which exits with statusMisuse.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

func misusef(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// status is an exit status other than 0 as an error without a message.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// answerStatus returns the error of writing an answer, or else the status of what it says: that it is not known, or negative.
func answerStatus(written error, unknown, negative bool) error {
	switch {
	case written != nil:
		return written
	case unknown:
		return status(statusIncomplete)
	case negative:
		return status(statusFindings)
	}
	return nil
}

// session is one run of olmgraph.
type session struct {
	streams
	*logger
	given []string // the arguments after the name of the program
	rules fs.FS    // the scripts of the rules, which contain their examples
}

// streams are standard input and standard output.
type streams struct {
	stdin  io.Reader
	stdout *words.Writer
	trying bool // whether the command line is right: no file is written
}

// logger writes messages to standard error, and notes what an answer may lack.
type logger struct {
	stderr  *words.Writer
	writing sync.Mutex // of stderr: several goroutines draw

	progress *progress // the zero value for commands that read no catalog

	incomplete bool            // something the answer needs could not be read, and a message has reported it
	warned     map[string]bool // the messages about what could not be read
}

func newLogger(stderr *words.Writer) *logger {
	return &logger{stderr: stderr, warned: map[string]bool{}, progress: &progress{}}
}

// statusOrIncomplete returns status, or statusIncomplete if something may be missing from the answer.
func (l *logger) statusOrIncomplete(status int) int {
	if l.incomplete {
		return statusIncomplete
	}
	return status
}

// didYouMean returns the end of a message about an unknown name: the known name most similar to it, or all known names if there
// are at most 25, or "".
func didYouMean(name string, known []string) string {
	if near, ok := words.Nearest(name, known); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	switch n := len(known); {
	case n == 1:
		return "; there is only " + known[0]
	case n > 1 && n <= 25:
		return "; there are " + strings.Join(known, ", ")
	}
	return ""
}

// logf writes a message to standard error, wrapped, with control characters escaped. All messages are written by it.
func (l *logger) logf(format string, args ...any) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.progress.erase()
	t := text.NewWriter(l.stderr, text.Style{Width: streamWidth(l.stderr)})
	t.Sentence("", "    ", text.Sentence{{Text: "olmgraph: " + words.Text(fmt.Sprintf(format, args...))}})
	return t.Flush()
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
	for _, one := range joined.Unwrap() {
		all = append(all, eachError(one)...)
	}
	if strings.Join(words.Map(all, error.Error), "\n") != err.Error() { // it adds text to the errors that it wraps
		return []error{err}
	}
	return all
}

// rawStdout returns standard output without the filter: for binary formats, for workflow commands, and for output that is
// already filtered.
func (s streams) rawStdout() io.Writer { return s.stdout.To }

// ignoreClosedPipe discards output after the reader has closed the pipe, as head does. That does not change the exit status.
type ignoreClosedPipe struct {
	io.Writer
	before func() // is called before something is written; may be nil
}

func (w ignoreClosedPipe) Write(text []byte) (int, error) {
	if w.before != nil && len(text) > 0 {
		w.before()
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

// errTrying is the error of a command line that is only tried, where it would write a file.
var errTrying = errors.New("nothing is written while a command line is tried")

// writeFile writes a file atomically, or a pipe until its reader closes it.
func (s streams) writeFile(name string, text []byte) error {
	if s.trying {
		return errTrying
	}
	if err := disk.Write(name, text); err != nil && !isClosedPipe(err) {
		return err
	}
	return nil
}

// streamFile returns the file of a stream, or nil if it has none.
func streamFile(stream any) *os.File {
	if w, ok := stream.(*words.Writer); ok && w != nil {
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
	f := streamFile(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// streamWidth returns the width of text on a stream, in columns: that of the terminal, between 40 and 120, or 80.
func streamWidth(stream any) int {
	if f := streamFile(stream); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(max(width, 40), 120)
		}
	}
	return 80
}

// style returns width and colour of standard output. --color auto colours only terminals.
func (s streams) style(c *cli.Context) text.Style {
	terminal := isTerminal(s.stdout)
	look := text.Style{Width: streamWidth(s.stdout), Fit: terminal, Color: c.String("color") == "always"}
	if c.String("color") == "auto" {
		look.Color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	s.stdout.Color = look.Color
	return look
}

type pipedKey struct{}

// withPiped notes in a context whether standard input is a pipe or a file.
func withPiped(ctx context.Context, stdin io.Reader) context.Context {
	f, ok := stdin.(*os.File)
	if !ok {
		return ctx
	}
	info, err := f.Stat()
	return context.WithValue(ctx, pipedKey{}, err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0))
}

// isPiped reports whether standard input is a pipe or a file, so that it may be what is meant.
func isPiped(ctx context.Context) bool {
	piped, _ := ctx.Value(pipedKey{}).(bool)
	return piped
}
