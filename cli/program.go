package cli

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/inert"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
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

func misusef(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// status is an exit status other than 0 as an error without a message.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// answered returns the error of writing an answer, or else the status of what it says: that it is not known, or negative.
func answered(written error, unknown, negative bool) error {
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

// program is the state of one run of olmgraph.
type program struct {
	stdin    io.Reader
	stdout   *inert.Writer
	stderr   *inert.Writer
	given    []string   // the arguments after the name of the program
	messages sync.Mutex // guards stderr: several goroutines draw
	rules    fs.FS      // the scripts of the rules, which contain their examples

	progress *progress // nil for commands that read no catalog

	answered   bool            // something was written to standard output
	incomplete bool            // something the answer needs could not be read, and a message has reported it
	warned     map[string]bool // the messages about what could not be read
}

// statusOrIncomplete returns status, or statusIncomplete if something may be missing from the answer.
func (p *program) statusOrIncomplete(status int) int {
	if p.incomplete {
		return statusIncomplete
	}
	return status
}

func commandNames(app *cli.App) []string {
	var names []string
	for _, c := range app.Commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

// didYouMean returns the end of a message about an unknown name: the known name most similar to it, or all known names if there
// are at most 25, or "".
func didYouMean(name string, known []string) string {
	if near, ok := spelling.Nearest(name, known); ok {
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
