package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/cli/schema"
)

func schemaCommand() command {
	return command{
		name:  "schema",
		usage: "print the JSON Schema of what a command writes with -o json",
		args:  "COMMAND",
		help:  "examples:\n  olmgraph schema lint\n  olmgraph schema error          what every command writes instead of an answer\n\nexit status: 0; 2 misuse.",
		takes: takes{complete: func([]string) []string { return schema.Names() }},
		run:   runSchema,
	}
}

func runSchema(c *cli.Context, s *session, to outputs) error {
	name := c.Args().First()
	text, ok := schema.Read(name)
	switch {
	case c.NArg() == 1 && ok:
		_, err := s.stdout.Write(text)
		return err
	case c.NArg() == 1 && name == templateName:
		return misusef("the JSON of template is a file-based catalog, as opm writes it")
	case c.NArg() == 1:
		return suggestName(misusef("no schema of %q; there are %s", name, strings.Join(schema.Names(), ", ")), name, schema.Names())
	}
	return misusef("schema needs one of %s", strings.Join(schema.Names(), ", "))
}
