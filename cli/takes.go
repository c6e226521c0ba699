package cli

import "github.com/urfave/cli/v2"

// takes is what a command takes beside its flags. The zero value is that of one that reads any catalogs.
type takes struct {
	arguments []argumentKind // of those behind the first, which is the catalog
	catalog   bool           // the first argument is the only catalog, and others are no catalogs
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

// describe notes what a command takes, and returns the command.
func (p *program) describe(command *cli.Command, t takes) *cli.Command {
	if p.commands == nil {
		p.commands = map[string]takes{}
	}
	p.commands[command.Name] = t
	return command
}
