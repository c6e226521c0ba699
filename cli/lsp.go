package cli

import (
	"cmp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/cli/lsp"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

const lspHelp = `A language server, which editors start: findings while typing, their fixes, hover, definitions, references and completion,
for file-based catalogs and their templates. It speaks LSP on standard input and output.
docs/editors.md has the settings of editors.

exit status: 0 the editor asked for shutdown; 2 misuse; 3 the connection broke before.`

func lspCommand() command {
	return command{
		name:  "lsp",
		usage: "check catalogs and templates in an editor, as a language server",
		help:  lspHelp,
		takes: takes{nothing: true},
		run:   runLsp,
	}
}

func runLsp(c *cli.Context, s *session, to outputs) error {
	return lsp.Serve(c.Context, s.stdin, s.rawStdout(), lsp.Options{
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
}
