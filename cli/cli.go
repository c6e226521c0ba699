// Package cli is the command line. A file a command: it opens catalogs, asks, writes the answer and returns the exit status.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/inert"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

// The exit statuses.
const (
	statusClean    = 0
	statusFindings = 1 // findings at or above --fail-on, or a file that is no catalog; the answer is no
	statusMisuse   = 2 // an unknown flag, format, rule, gate, package or channel
	statusNoLook   = 3 // a reference that could not be opened, or that is no catalog; an answer that may be incomplete

	statusCancelled = 130 // a signal ended it
)

// misuse is an error in the command line.
type misuse struct{ error }

func misusef(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// status is an exit status other than 0 for which nothing more is to be said.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// program is one call of olmgraph.
type program struct {
	stdin    io.Reader
	stdout   *inert.Writer
	stderr   *inert.Writer
	messages sync.Mutex // several goroutines draw
	rules    fs.FS      // the scripts that test the rules, which hold examples of them

	incomplete bool // something that is asked for could not be read, and a message says so
}

// Run runs a command line, args[0] being the program's name, and returns the exit status. The tests of the rules, named
// family-name.txtar, give the examples that explain them.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, rules fs.FS) int {
	p := &program{stdin: stdin, stdout: &inert.Writer{To: ignoreClosedPipe{stdout}}, stderr: &inert.Writer{To: ignoreClosedPipe{stderr}}, rules: rules}
	app := p.app()
	err := app.RunContext(ctx, flagsFirst(app, normalized(args)))
	if unwritten := p.stdout.Flush(); err == nil {
		err = unwritten
	}
	defer p.stderr.Flush()
	return p.exitStatus(ctx, err)
}

func (p *program) exitStatus(ctx context.Context, err error) int {
	var s status
	var wrong misuse
	switch {
	case err == nil:
		return p.statusOrIncomplete(statusClean)
	case errors.As(err, &s):
		return p.statusOrIncomplete(int(s))
	case ctx.Err() != nil:
		p.say("interrupted")
		return statusCancelled
	}
	for _, one := range errorLines(err) {
		p.say("%s", strings.TrimPrefix(one, "olmgraph: "))
	}
	if errors.As(err, &wrong) {
		return statusMisuse
	}
	return statusNoLook
}

// statusOrIncomplete is the status of an answer: statusNoLook where something may be missing in it.
func (p *program) statusOrIncomplete(status int) int {
	if p.incomplete {
		return statusNoLook
	}
	return status
}

func (p *program) app() *cli.App {
	app := &cli.App{
		Name:           "olmgraph",
		Usage:          "find upgrade problems in an operator catalog before it is published",
		Writer:         p.stdout,
		ErrWriter:      p.stderr,
		Reader:         p.stdin,
		HideHelp:       true,
		HideVersion:    true,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   firstError,
		Commands: []*cli.Command{p.lintCommand(), p.pathCommand(), p.listCommand(), p.renderCommand(), p.crdsCommand(), p.resolveCommand(), p.diffCommand(),
			p.rulesCommand(), p.explainCommand(), p.configCommand(), p.completionCommand(), p.versionCommand()},
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" && name != "help" {
				return misusef("no command %q%s", name, didYouMean(name, commandNames(c.App)))
			}
			_, err := io.WriteString(p.stdout, welcome)
			return err
		},
	}
	for _, c := range app.Commands {
		c.OnUsageError = usageError
		c.HideHelp = true
		c.Flags = append(c.Flags, &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show this help"})
		c.CustomHelpTemplate = helpTemplate
	}
	return app
}

const welcome = `olmgraph finds upgrade problems in an operator catalog before it is published.

  olmgraph lint CATALOG        the problems of a catalog, where they are, and how to fix them
  olmgraph path CATALOG PACKAGE --from VERSION
                               the upgrade path to the head, or why there is none
  olmgraph list CATALOG        the packages, channels or bundles of a catalog
  olmgraph render CATALOG PACKAGE
                               a diagram of the upgrade graph
  olmgraph resolve --namespace FILE CATALOG
                               what OLM v0 does in a namespace, and what blocks upgrades
  olmgraph diff BASE CATALOG   the differences of two catalogs, for a review
  olmgraph crds CATALOG PACKAGE
                               the CRDs of each version, and their upgrade on a cluster
  olmgraph rules               the rules of lint
  olmgraph explain RULE        what a rule finds, why it matters, and how to fix it
  olmgraph config init         a commented .olmgraph.yaml: the settings of this repository
  olmgraph completion SHELL    a completion script for bash, zsh or fish
  olmgraph version             the version of olmgraph
  olmgraph COMMAND --help      the help of a command

CATALOG is a folder, a file, or - for standard input: a file-based catalog, package manifests, a bundle, or a repository of
bundles; a tar of one, or one at a git revision: git:REVISION:PATH; an image; or the output of a cluster: ListBundles of grpcurl,
or kubectl get packagemanifests -o yaml.
`

// usageError words an error of the flag parser.
func usageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		var flags []string
		if c.Command != nil {
			for _, f := range c.Command.Flags {
				flags = append(flags, "--"+f.Names()[0])
			}
		}
		return misusef("no flag --%s%s", strings.TrimLeft(name, "-"), didYouMean("--"+strings.TrimLeft(name, "-"), flags))
	}
	return misuse{err}
}

// firstError words an error of the flag parser about what precedes any command.
func firstError(_ *cli.Context, err error, _ bool) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return misuse{err}
	}
	return misusef("no flag --%s before a command: flags follow it, and olmgraph COMMAND --help lists them", strings.TrimLeft(name, "-"))
}

// helpTemplate shows the examples before the flags.
const helpTemplate = `olmgraph {{.Name}}: {{.Usage}}

usage: olmgraph {{.Name}} {{.UsageText}}

{{.Description}}

flags:
{{range .VisibleFlags}}  {{.}}
{{end}}`

func commandNames(app *cli.App) []string {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	return names
}

// didYouMean ends a sentence about an unknown name: with the nearest one, else with all there are if they are few.
func didYouMean(name string, known []string) string {
	if near, ok := spelling.Nearest(name, known); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	switch n := len(known); {
	case n == 1:
		return "; there is only " + known[0]
	case n > 1 && n <= 20:
		return "; there are " + strings.Join(known, ", ")
	}
	return ""
}
