// Package cli implements the commands of olmgraph, one in each file: a command opens catalogs, computes an answer, writes it
// and returns an exit status.
package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Run runs the command line args, where args[0] is the name of the program, and returns the exit status. rules holds the
// scripts of the rules, named FAMILY-NAME.txtar, from which explain takes its examples.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, rules fs.FS) int {
	answered := false
	s := &session{given: args[1:], rules: rules, logger: newLogger(&words.Writer{To: ignoreClosedPipe{Writer: stderr}})}
	s.streams = streams{stdin: stdin, stdout: &words.Writer{To: ignoreClosedPipe{stdout, func() {
		answered = true
		s.progress.end()
	}}}}
	ctx = withPiped(ctx, stdin)
	app := s.app()
	err := app.RunContext(ctx, flagsFirst(app, normalizeArgs(app, withSchemes(s.logger, app, args))))
	if unwritten := s.stdout.Flush(); err == nil {
		err = unwritten
	}
	defer s.stderr.Flush()
	status := s.exitStatus(ctx, err)
	if status >= statusMisuse && !answered && wantsJSON(s.given) {
		writeFailure(ctx, s, status, err)
	}
	return status
}

func (s *session) exitStatus(ctx context.Context, err error) int {
	var other status
	var wrong misuse
	switch {
	case err == nil:
		return s.statusOrIncomplete(statusClean)
	case errors.As(err, &other):
		return s.statusOrIncomplete(int(other))
	case ctx.Err() != nil:
		s.logf("interrupted")
		return statusCancelled
	}
	for _, one := range eachError(err) {
		s.logf("%s", strings.TrimPrefix(one.Error(), "olmgraph: "))
		s.writeHelp(ctx, one)
	}
	if errors.As(err, &wrong) {
		return statusMisuse
	}
	return statusIncomplete
}

// commands returns all commands, in the order of the help.
func commands() []command {
	return []command{lintCommand(), pathCommand(), listCommand(), renderCommand(), crdsCommand(), clusterCommand(), planCommand(), readinessCommand(),
		diffCommand(), historyCommand(), templateCommand(), releaseCommand(), mirrorCommand(), pullCommand(), rulesCommand(), explainCommand(), configCommand(),
		schemaCommand(), lspCommand(), completionCommand(), versionCommand(), overviewCommand(), completeCommand(), manCommand()}
}

func (s *session) app() *cli.App {
	app := &cli.App{
		Name:           "olmgraph",
		Usage:          "find upgrade problems in an operator catalog before it is published",
		Writer:         s.stdout,
		ErrWriter:      s.stderr,
		Reader:         s.stdin,
		HideHelp:       true,
		HideVersion:    true,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   s.globalFlagError,
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" && name != "help" {
				return noCommand(c.Context, c.Args().Slice())
			}
			help := wrapHelp(welcome, streamWidth(s.stdout))
			if c.Args().Get(1) == "flags" {
				help = flagsHelp(commonFlags(), streamWidth(s.stdout))
			}
			_, err := io.WriteString(s.stdout, help)
			return err
		},
	}
	for _, cmd := range commands() {
		c := cmd.forCLI()
		app.Commands = append(app.Commands, c)
		c.Action = func(c *cli.Context) error { return cmd.execute(c, s) }
		c.OnUsageError = s.commandFlagError
		c.Flags = append(c.Flags, &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show this help"})
		if c.Name == overviewName || slices.ContainsFunc(s.given, c.HasName) { // no other help is asked for, and laying out all takes time
			help := shortHelp
			if len(s.given) > 0 && s.given[0] == "help" {
				help = commandHelp
			}
			c.CustomHelpTemplate = "{{" + strconv.Quote(help(c, flagNames(commonFlags()), streamWidth(s.stdout))) + "}}"
		}
	}
	return app
}

const welcome = `olmgraph finds upgrade problems in an operator catalog before it is published.

  olmgraph CATALOG             what is in a catalog, its worst problems, and what to do next
  olmgraph lint CATALOG        the problems of a catalog, where they are, and how to fix them
  olmgraph path CATALOG PACKAGE VERSION
                               the upgrade path to the head, or why there is none
  olmgraph list CATALOG        the packages, channels or bundles of a catalog
  olmgraph render CATALOG PACKAGE
                               a diagram of the upgrade graph
  olmgraph cluster --snapshot FILE NAME=CATALOG...
                               what OLM does next with each operator of a cluster, what blocks it, and who has to act
  olmgraph plan --snapshot FILE --to VERSION NAME@VERSION=CATALOG...
                               how to update a cluster to an OpenShift version, step by step
  olmgraph readiness CATALOG   what OLM v1 installs, what blocks it, and how to migrate to it
  olmgraph diff BASE CATALOG   the differences of two catalogs, for a review
  olmgraph history PATH        what lint says of the merged changes of a git repository, and which were later corrected
  olmgraph template TEMPLATE   the catalog that opm makes of a template
  olmgraph crds CATALOG PACKAGE
                               the CRDs of each version, and what changes in them
  olmgraph release CATALOG PACKAGE VERSION
                               the entry to write for a new version
  olmgraph mirror IMAGESET CATALOG
                               what oc-mirror mirrors of a catalog, and who is stranded
  olmgraph pull CATALOG -o OUT
                               the bundle images of a catalog that has no manifests, for --bundles OUT
  olmgraph rules               the rules of lint
  olmgraph explain RULE        what a rule finds, why it matters, and how to fix it; or a message of OLM
  olmgraph config init         a commented .olmgraph.yaml: the settings of this repository
  olmgraph lsp                 findings, fixes and names in an editor: docs/editors.md
  olmgraph schema COMMAND      the JSON Schema of what a command writes with -o json
  olmgraph completion SHELL    a completion script for bash, zsh or fish
  olmgraph version             the version of olmgraph
  olmgraph COMMAND --help      the flags of a command, and examples; olmgraph help COMMAND has all details

CATALOG is a folder, a file, or - for standard input: a file-based catalog, package manifests, a bundle, a repository of
bundles or a SQLite index; a tar of one, or one at a git revision: git:REVISION:PATH; an image; or the output of a cluster: ListBundles of grpcurl,
or kubectl get packagemanifests -o yaml.

The documentation is in https://github.com/olmgraph/olmgraph/tree/main/docs: lint.md, ci.md, history.md, editors.md, rules.md, pipelines.md, configuration.md, paths.md,
releases.md, clusters.md, messages.md, plans.md, mirrors.md, drawings.md, catalogs.md (forms of catalogs), templates.md, formats.md (of outputs), exit-status.md, terms.md and BENCHMARKS.md.
`

// commandFlagError rewrites an error of the flag parser for the flags of a command.
func (s *session) commandFlagError(c *cli.Context, err error, _ bool) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if value, lacks := strings.CutPrefix(err.Error(), "flag needs an argument: -"); lacks && c.Command != nil && c.Command.Name == listName && value == "bundles" { // it is what list lists
		typed := "--" + value
		if slices.Contains(s.given, "-"+value) {
			typed = "-" + value
		}
		return suggestInstead(misusef("%s needs a folder; to list bundles, write no dashes", typed), typed, value)
	}
	if !ok || c.Command == nil {
		return misuse{err}
	}
	return noFlag(c.Context, s.given, c.Command, strings.TrimLeft(name, "-"))
}

// globalFlagError rewrites an error of the flag parser for flags before the command.
func (s *session) globalFlagError(c *cli.Context, err error, _ bool) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return misuse{err}
	}
	flag := "-" + strings.TrimLeft(name, "-")
	if len(flag) > 2 {
		flag = "-" + flag
	}
	wrong := misusef("no flag %s before a command: flags follow it, and olmgraph COMMAND --help lists them", flag)
	at := slices.IndexFunc(s.given, func(arg string) bool { return slices.Contains(commandNames(), arg) })
	if at < 0 {
		return suggestCommand(wrong, forWords(c.Context, overviewCommand(), s.given).arrange(c.Context, s.given)...)
	}
	args := slices.Concat(s.given[at:at+1], s.given[:at], s.given[at+1:])
	if command := c.App.Command(args[0]); flagNamed(command.Flags, strings.TrimLeft(name, "-")) == nil && !slices.Contains(commandFormats(command), strings.TrimLeft(name, "-")) {
		return noFlag(c.Context, args, command, strings.TrimLeft(name, "-"))
	}
	if format := strings.TrimLeft(name, "-"); slices.Contains(commandFormats(c.App.Command(args[0])), format) {
		args = (&suggestion{was: flag, now: []string{"-o", format}}).replaceArg(args)
	}
	return suggestCommand(wrong, args...)
}
