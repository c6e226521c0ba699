package cli

import (
	"slices"

	"github.com/urfave/cli/v2"
)

// command is a command of olmgraph: what it is called, takes and writes. Code that several commands share asks these fields, never a name.
type command struct {
	*cli.Command // its name, usage, help, and the flags that are its own

	takes   takes
	formats formatList                                  // of its answer; none for a command that writes none, or has formats that depend on flags
	run     func(*cli.Context, *session, outputs) error // of a command that reads no catalog
	answer  func(*cli.Context, *opener, outputs) error  // of one that does
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

	words func(args []string) []string // of a command that reads no catalog: what can follow its arguments
}

// findCommand returns the command with a name, or nil.
func findCommand(all []command, name string) *command {
	if i := slices.IndexFunc(all, func(d command) bool { return d.HasName(name) }); i >= 0 {
		return &all[i]
	}
	return nil
}

// allFlags returns the flags of a command with those that it shares with others.
func (d *command) allFlags() []cli.Flag {
	all := d.Flags
	if len(d.formats.names) > 0 && flagNamed(d.Command, "output") == nil {
		all = append(d.formats.flags(), all...)
	}
	if d.answer != nil {
		all = append(all, catalogFlags()...)
	}
	if d.answer != nil && !d.takes.pulls {
		all = append(all, pullFlags()...)
	}
	return all
}

// do runs a command.
func (d *command) do(c *cli.Context, s *session) error {
	if d.takes.nothing && c.NArg() > 0 {
		return misusef("%s takes no arguments, not %s", d.Name, c.Args().First())
	}
	if d.answer == nil {
		to, err := d.formats.outputs(c, s.streams)
		if err != nil {
			return err
		}
		return d.run(c, s, to)
	}
	if c.NArg() == 0 && !d.takes.snapshot { // FILE may have its catalogs, or they are not known
		return needsCatalog(d.Command)
	}
	o, err := newOpener(c, s, d.takes)
	if err != nil {
		return err
	}
	defer o.progress.end()
	to, err := d.formats.outputs(c, s.streams)
	if err == nil {
		err = d.answer(c, o, to)
	}
	return o.missing.finish(err)
}
