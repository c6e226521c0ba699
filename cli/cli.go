// Package cli implements the commands of olmgraph, one in each file: a command opens catalogs, computes an answer, writes it
// and returns an exit status.
package cli

import (
	"context"
	"errors"
	"fmt"
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
	p := &program{given: args[1:], stdin: stdin, stderr: &words.Writer{To: ignoreClosedPipe{Writer: stderr}}, rules: rules, warned: map[string]bool{}, progress: &progress{}}
	p.stdout = &words.Writer{To: ignoreClosedPipe{stdout, func() {
		p.answered = true
		p.progress.end()
	}}}
	app := p.app()
	err := app.RunContext(ctx, flagsFirst(app, normalizeArgs(app, p.withSchemes(app, args))))
	if unwritten := p.stdout.Flush(); err == nil {
		err = unwritten
	}
	defer p.stderr.Flush()
	status := p.exitStatus(ctx, err)
	if status >= statusMisuse && !p.answered && wantsJSON(p.given) {
		p.writeFailure(status, err)
	}
	return status
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
		p.logf("interrupted")
		return statusCancelled
	}
	for _, one := range eachError(err) {
		p.logf("%s", strings.TrimPrefix(one.Error(), "olmgraph: "))
		if command := suggestedCommand(one, p.given); command != "" {
			fmt.Fprintf(p.stderr, "  %s\n", command)
		}
	}
	if errors.As(err, &wrong) {
		return statusMisuse
	}
	return statusIncomplete
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
		OnUsageError:   p.firstError,
		Commands: []*cli.Command{p.lintCommand(), p.pathCommand(), p.listCommand(), p.renderCommand(), p.crdsCommand(), p.clusterCommand(), p.planCommand(), p.readinessCommand(), p.diffCommand(), p.historyCommand(), p.templateCommand(), p.releaseCommand(), p.mirrorCommand(), p.pullCommand(),
			p.rulesCommand(), p.explainCommand(), p.configCommand(), p.schemaCommand(), p.lspCommand(), p.completionCommand(), p.versionCommand(), p.overviewCommand(), p.completeCommand(), p.manCommand()},
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" && name != "help" {
				return noCommand(c.App, c.Args().Slice())
			}
			said := wrapHelp(welcome, streamWidth(p.stdout))
			if c.Args().Get(1) == "flags" {
				said = flagsHelp(commonFlags(), streamWidth(p.stdout))
			}
			_, err := io.WriteString(p.stdout, said)
			return err
		},
	}
	for _, c := range app.Commands {
		c.OnUsageError = p.usageError
		c.HideHelp = true
		c.Flags = append(c.Flags, &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show this help"})
		if c.Name == overviewName || slices.ContainsFunc(p.given, c.HasName) { // no other help is asked for, and laying out all takes time
			said := shortHelp
			if len(p.given) > 0 && p.given[0] == "help" {
				said = commandHelp
			}
			c.CustomHelpTemplate = "{{" + strconv.Quote(said(c, flagNames(commonFlags()), streamWidth(p.stdout))) + "}}"
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

// usageError rewrites an error of the flag parser for the flags of a command.
func (p *program) usageError(c *cli.Context, err error, _ bool) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok || c.Command == nil {
		return misuse{err}
	}
	return p.noFlag(c.Command, strings.TrimLeft(name, "-"))
}

// firstError rewrites an error of the flag parser for flags before the command.
func (p *program) firstError(c *cli.Context, err error, _ bool) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return misuse{err}
	}
	flag := "-" + strings.TrimLeft(name, "-")
	if len(flag) > 2 {
		flag = "-" + flag
	}
	wrong := misusef("no flag %s before a command: flags follow it, and olmgraph COMMAND --help lists them", flag)
	at := slices.IndexFunc(p.given, func(arg string) bool { return slices.Contains(commandNames(c.App), arg) })
	if at < 0 {
		return wrong
	}
	args := slices.Concat(p.given[at:at+1], p.given[:at], p.given[at+1:])
	if format := strings.TrimLeft(name, "-"); slices.Contains(commandFormats(c.App.Command(args[0])), format) {
		args = (&suggestion{was: flag, now: []string{"-o", format}}).replaceArg(args)
	}
	return try(wrong, args...)
}
