package cli

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/cli/lsp"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// Main runs the process and exits: it is either olmgraph or the child process that draws a picture for it. See Run for rules.
func Main(rules fs.FS) {
	if graphviz.IsChild() {
		os.Exit(graphviz.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("GOGC") == "" {
		tuneGC()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(time.Second) // for an orderly end; a slow command, or one that waits for input, is cut off
		fmt.Fprintln(os.Stderr, "olmgraph: interrupted")
		os.Exit(statusCancelled)
	})
	os.Exit(Run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr, rules))
}

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "print the version of olmgraph",
		Description: "exit status: 0; 2 misuse.",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return misusef("version takes no arguments, not %s", c.Args().First())
			}
			_, err := fmt.Fprintf(p.stdout, "olmgraph %s, %s, %s/%s\n%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, origin())
			return err
		},
	}
}

// origin returns a line on what the binary was built from, as the Go command recorded it: a commit, its date in UTC and whether files
// differed from it, or a module and its checksum in go.sum; "" if neither was recorded.
func origin() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return buildOrigin(info)
}

func buildOrigin(info *debug.BuildInfo) string {
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	switch commit := recorded["vcs.revision"]; {
	case commit == "" && info.Main.Sum == "":
		return ""
	case commit == "":
		return fmt.Sprintf("built from %s@%s %s\n", info.Main.Path, info.Main.Version, info.Main.Sum)
	case recorded["vcs.modified"] == "true":
		return fmt.Sprintf("built from commit %s of %s, and changes that are in no commit\n", commit, recorded["vcs.time"])
	default:
		return fmt.Sprintf("built from commit %s of %s\n", commit, recorded["vcs.time"])
	}
}

const lspHelp = `A language server, which editors start: findings while typing, their fixes, hover, definitions, references and completion,
for file-based catalogs and their templates. It speaks LSP on standard input and output.
docs/editors.md has the settings of editors.

exit status: 0 the editor asked for shutdown; 2 misuse; 3 the connection broke before.`

func (p *program) lspCommand() *cli.Command {
	return &cli.Command{
		Name:        "lsp",
		Usage:       "check catalogs and templates in an editor, as a language server",
		Description: lspHelp,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return misusef("lsp takes no arguments, not %s", c.Args().First())
			}
			return lsp.Serve(c.Context, p.stdin, p.rawStdout(), lsp.Options{
				Rules:   rules.All(),
				Version: version(),
				Today:   func() string { return time.Now().Format(time.DateOnly) },
				Config: func(ref string) (*lint.Config, error) {
					config, err := readConfig("", ref)
					if err == nil {
						config.OLM = cmp.Or(config.OLM, lint.OLMNames()[0])
					}
					return config, err
				},
			})
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
