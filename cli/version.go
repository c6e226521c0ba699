package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "print the version of olmgraph",
		Description: "exit status: 0; 2 misuse.",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return misusef("version takes no arguments, not %s", c.Args().First())
			}
			_, err := fmt.Fprintf(p.stdout, "olmgraph %s, %s, %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// version returns the version that the Go command recorded in the binary: a tag, or a pseudo-version of the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown version)"
	}
	return info.Main.Version
}
