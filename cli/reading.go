package cli

import (
	"regexp"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
)

// readingFlags are those of every command that reads catalogs.
func readingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ocp", Usage: "of a catalog repository, only bundles for this OpenShift `VERSION`, as 4.16; or all, for a catalog of each"},
	}
}

var openShiftVersion = regexp.MustCompile(`^v?4\.\d{1,2}$`)

// reads gives a command the flags, and the options that they make, before it starts.
func (p *program) reads(command *cli.Command) *cli.Command {
	command.Flags = append(command.Flags, readingFlags()...)
	command.Before = func(c *cli.Context) error {
		if v := c.String("ocp"); v != "" && v != "all" && !openShiftVersion.MatchString(v) {
			return misusef("--ocp %q: want a version as 4.16, or all", v)
		}
		p.reading = catalogs.Options{Stdin: p.stdin, OpenShift: c.String("ocp")}
		return nil
	}
	return command
}
