package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

const (
	tryTime = 3 * time.Second // in which a suggested command line finds what is wrong with it
	mostTry = 3               // command lines that are tried for one suggestion
)

// tried returns a command line that is suggested, or what it suggests itself if it is rejected. If that is another command, or the help since nothing is
// suggested, it returns why, too.
func (s *session) tried(ctx context.Context, line []string) (better []string, why error) {
	name := line[0]
	for range mostTry {
		err := s.try(ctx, line)
		if err == nil {
			return line, why
		}
		next := suggestedArgs(err, line)
		narrows := slices.Contains(next, "--ocp") && !slices.Contains(line, "--ocp") // to one of several catalogs
		if next == nil || next[0] != name || len(next) < len(line) || narrows {
			text := err.Error()
			if len(text) > 400 { // it lists names
				text, _, _ = strings.Cut(text, "; there are ")
			}
			why = cmp.Or(why, fmt.Errorf("%s: %s", commandLine(line...), text))
		}
		if next == nil && (!errors.As(err, &misuse{}) || errors.As(err, &unknownName{})) { // the error says what there is
			return nil, why
		} else if next == nil {
			break
		}
		line = next
	}
	if !slices.Contains(commandNames(), name) {
		return []string{"--help"}, why
	}
	return []string{name, "--help"}, why
}

// try runs a command line until it writes something, and returns the error that it has before: nil if it has none, or that is not known in time. No file is written, and neither standard input nor a network is read.
func (s *session) try(ctx context.Context, line []string) error {
	if !canTry(line) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	other := &session{given: line, rules: s.rules, logger: newLogger(&words.Writer{To: io.Discard})}
	other.streams = streams{stdin: strings.NewReader(""), stdout: &words.Writer{To: ignoreClosedPipe{io.Discard, cancel}}, trying: true}
	app := other.app()
	err := app.RunContext(ctx, flagsFirst(app, normalizeArgs(app, append([]string{app.Name}, line...))))
	var answered status
	if ctx.Err() != nil || errors.As(err, &answered) || errors.Is(err, errTrying) {
		return nil
	}
	return err
}

// placeholder matches a word that stands for what somebody has to write.
var placeholder = regexp.MustCompile(`\b[A-Z][A-Z]+\b`)

// canTry reports whether a command line is complete, and reads only files.
func canTry(line []string) bool {
	isOther := func(w string) bool {
		_, ref := cutName(w)
		flag, _, _ := strings.Cut(w, "=")
		isMissing := w == "cluster.yaml" && !disk.Exists(w) // kubectl is to write it first
		return w == "-" || isMissing || placeholder.MatchString(strings.ReplaceAll(w, "HEAD", "")) || isImageName(ref) || strings.Contains(w, "://") ||
			flag == "--pull"
	}
	all := commands()
	at := slices.IndexFunc(all, func(cmd command) bool { return cmd.name == line[0] || cmd.hidden && isReference(line[0]) })
	return at >= 0 && all[at].answer != nil && !all[at].takes.pulls && !slices.ContainsFunc(line, isOther)
}
