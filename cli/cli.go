// Package cli is the command line: open, ask, write, status.
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

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/inert"
	"github.com/olmgraph/olmgraph/lint"
)

// The exit statuses.
const (
	statusClean    = 0
	statusFindings = 1 // findings at or above --fail-on, or a file that could not be read as a catalog; no way
	statusMisuse   = 2 // an unknown flag, format, rule, gate, package or channel
	statusNoLook   = 3 // a reference that could not be opened, or that is no catalog; an answer in which something may be missing

	statusCancelled = 130 // a signal ended it

)

// misuse is an error of whoever wrote the command line.
type misuse struct{ error }

func misusef(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// status is an outcome that is not clean and of which everything has been said.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// program is one call of olmgraph.
type program struct {
	stdin  io.Reader
	stdout *inert.Writer
	stderr *inert.Writer
	saying sync.Mutex // several draw at once
	rules  fs.FS      // a script a rule, which has its examples

	reading catalogs.Options // what the flags say about how to read catalogs
	bundles []string         // where manifests are that catalogs lack
	linked  sync.Map         // the references of which noteLink was asked
	faulty  bool             // something that is asked for could not be read, and that has been said
}

// Run runs a command line, args[0] being the program's name, and returns the exit status. The tests of the rules, named
// family-name.txtar, give the examples that explain them.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, rules fs.FS) int {
	p := &program{stdin: stdin, stdout: &inert.Writer{To: untilClosed{stdout}}, stderr: &inert.Writer{To: untilClosed{stderr}}, rules: rules}
	app := p.app()
	err := app.RunContext(ctx, permute(app, spelled(args)))
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
		return p.unlessFaulty(statusClean)
	case errors.As(err, &s):
		return p.unlessFaulty(int(s))
	case ctx.Err() != nil:
		p.say("interrupted")
		return statusCancelled
	}
	for _, one := range sentences(err) {
		p.say("%s", strings.TrimPrefix(one, "olmgraph: "))
	}
	if errors.As(err, &wrong) {
		return statusMisuse
	}
	return statusNoLook
}

// unlessFaulty is the status of an answer: another one where something may be missing in it.
func (p *program) unlessFaulty(status int) int {
	if p.faulty {
		return statusNoLook
	}
	return status
}

func (p *program) app() *cli.App {
	app := &cli.App{
		Name:           "olmgraph",
		Usage:          "find what strands users in an operator catalog, before it is published",
		Writer:         p.stdout,
		ErrWriter:      p.stderr,
		Reader:         p.stdin,
		HideHelp:       true,
		HideVersion:    true,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   firstError,
		Commands:       []*cli.Command{p.reads(p.lintCommand()), p.reads(p.pathCommand()), p.reads(p.listCommand()), p.reads(p.renderCommand()), p.reads(p.crdsCommand()), p.reads(p.resolveCommand()), p.reads(p.diffCommand()), p.rulesCommand(), p.explainCommand(), p.configCommand(), p.completionCommand(), p.versionCommand()},
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

const welcome = `olmgraph finds what strands users in an operator catalog, before it is published.

  olmgraph lint CATALOG        what is wrong with a catalog, where, and how to mend it
  olmgraph path CATALOG PACKAGE --from VERSION
                               how users get to the head, or why they do not
  olmgraph list CATALOG        the packages, channels or bundles of a catalog
  olmgraph render CATALOG PACKAGE
                               a picture of the upgrade graph
  olmgraph resolve --namespace FILE CATALOG
                               what OLM v0 will do in a namespace, and why not more
  olmgraph diff BASE CATALOG   what a change does, for who has to review it
  olmgraph crds CATALOG PACKAGE
                               what each version brings of CRDs, and what a cluster makes of it
  olmgraph rules               what it looks for
  olmgraph explain RULE        why that matters, and what to do
  olmgraph config init         a commented .olmgraph.yaml: what counts in this repository
  olmgraph completion SHELL    what makes bash, zsh or fish complete all this
  olmgraph version             which olmgraph this is
  olmgraph COMMAND --help      everything about a command

CATALOG is a folder, a file, or - for standard input: a file-based catalog, package manifests, a bundle, or a repository of
bundles; a tar of one, or one at a revision of the git repository: git:REVISION:PATH; an image; or what a cluster says of a
catalog: ListBundles, as grpcurl prints it, or kubectl get packagemanifests -o yaml.
`

// usageError words what the flag parser says.
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

// firstError words what the flag parser says of what stands before any command.
func firstError(_ *cli.Context, err error, _ bool) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return misuse{err}
	}
	return misusef("no flag --%s before a command: flags stand behind it, and olmgraph COMMAND --help lists them", strings.TrimLeft(name, "-"))
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
	if near, ok := lint.Nearest(name, known); ok {
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
