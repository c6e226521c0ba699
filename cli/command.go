package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// command is a command of olmgraph: what it is called, takes and writes. Code that several commands share asks these fields, never a name.
type command struct {
	name, usage string
	args        string // as its usage lists them
	help        string
	flags       []cli.Flag // that are its own
	hidden      bool
	verbatim    bool // its arguments are a command line, whose flags are not its own

	synonyms map[string]string // words that other tools and people use as the command, with its arguments
	needless map[string]string // flags of other tools, with why there is none
	takes    takes
	formats  formatList                                  // of its answer; none for a command that writes none, or has formats that depend on flags
	check    func(c *cli.Context, given []string) error  // rejects a command line, whatever its formats; may be nil
	run      func(*cli.Context, *session, outputs) error // of a command that reads no catalog
	answer   func(*cli.Context, *opener, outputs) error  // of one that does
}

// takes is what a command takes beside its flags. The zero value is that of one that reads any catalogs.
type takes struct {
	arguments []argumentKind // of those behind the first, which is the catalog
	catalog   bool           // the first argument is the only catalog, and others are no catalogs
	nothing   bool           // no arguments
	named     bool           // a package is given by --package
	ranges    bool           // --ocp may be a range of versions
	follows   bool           // of such a range it follows a cluster that is updated
	snapshot  bool           // its catalogs may be named by --snapshot, so that none is an argument
	base      bool           // the first catalog is a base
	writes    bool           // it may write, so that no package is guessed
	pulls     bool           // it only pulls, and has the flags for that itself
	channel   string         // how it takes a channel: the flag, or "/" behind the package

	complete func(args []string) []string // of a command that reads no catalog: what can follow its arguments
}

// commandNames returns the names of the commands that people type.
func commandNames() (names []string) {
	for _, cmd := range commands() {
		if !cmd.hidden {
			names = append(names, cmd.name)
		}
	}
	return names
}

// findCommand returns the command with a name, or that of the overview, in whose place a catalog stands.
func findCommand(name string) command {
	all := commands()
	if i := slices.IndexFunc(all, func(cmd command) bool { return cmd.name == name }); i >= 0 {
		return all[i]
	}
	return overviewCommand()
}

// forCLI returns the command for urfave/cli, with the flags that it shares with others.
func (cmd command) forCLI() *cli.Command {
	flags := cmd.flags
	if len(cmd.formats.names) > 0 && flagNamed(flags, "output") == nil {
		flags = append(cmd.formats.flags(), flags...)
	}
	if cmd.answer != nil {
		flags = append(flags, catalogFlags()...)
	}
	if cmd.answer != nil && !cmd.takes.pulls {
		flags = append(flags, pullFlags()...)
	}
	return &cli.Command{Name: cmd.name, Usage: cmd.usage, UsageText: cmd.args, Description: cmd.help, Flags: flags, Hidden: cmd.hidden, SkipFlagParsing: cmd.verbatim, HideHelp: true}
}

// execute runs a command.
func (cmd *command) execute(c *cli.Context, s *session) error {
	switch {
	case cmd.takes.nothing && c.NArg() > 0:
		return misusef("%s takes no arguments, not %s", cmd.name, c.Args().First())
	case cmd.answer != nil && c.NArg() == 0 && (!cmd.takes.snapshot || c.IsSet("catalog")): // FILE may have its catalogs, or they are not known
		return suggestCommand(misusef("no catalog given: a folder, a file, an image, or - for standard input"), cmd.arrangeOrHelp(c.Context, s.given)...)
	}
	if cmd.check != nil {
		if err := cmd.check(c, s.given); err != nil {
			return err
		}
	}
	if cmd.answer == nil {
		return cmd.write(c, s, func(to outputs) error { return cmd.run(c, s, to) })
	}
	if base := c.String("base"); base != "" {
		refs := c.Args().Slice()
		if cmd.takes.catalog {
			refs = refs[:1]
		}
		ref, err := atRevision(c.Context, base, refs)
		if err != nil {
			return err
		}
		if err := c.Set("base", ref); err != nil {
			return err
		}
	}
	o, err := newOpener(c, s, cmd)
	if err != nil {
		return err
	}
	defer o.progress.end()
	err = o.missing.finish(cmd.write(c, s, func(to outputs) error { return cmd.answer(c, o, to) }))
	var known suggestion
	var answered status
	switch isAnswer := err == nil || errors.As(err, &answered); {
	case isAnswer && len(o.templateSources) > 0 && !o.hasTemplate:
		s.logf("--catalog %s is not used: it is for a template, and nothing here is made from one", strings.Join(o.templateSources, ","))
	case !isAnswer && !errors.As(err, &known):
		err = suggestCommand(err, cmd.instead(c.Context, s.given)...)
	}
	return err
}

// write calls what writes an answer to the outputs.
func (cmd *command) write(c *cli.Context, s *session, answer func(outputs) error) error {
	to, err := cmd.formats.outputs(c, s.streams)
	if err != nil {
		if other := forFormat(c.Context, *cmd, s.given); other.name != cmd.name {
			err = suggestCommand(err, other.arrange(c.Context, s.given[1:])...)
		}
		return err
	}
	if isTerminal(s.stdout) && slices.ContainsFunc(to.all, func(o output) bool { return o.path == "" && slices.Contains(binaryFormats(), o.format) }) {
		line := cmd.arrange(c.Context, s.given)
		if line == nil {
			line = s.given
		}
		return suggestCommand(misusef("a picture or a page cannot be shown in a terminal"), toFile(line, c.NArg() == 2)...)
	}
	return answer(to)
}
