package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/atomicfile"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

const configHelp = `examples:
  olmgraph config init            write a commented .olmgraph.yaml into this folder
  olmgraph config schema          its JSON Schema, for editors
  olmgraph config check           check the nearest .olmgraph.yaml

exit status: 0; 2 misuse, or a configuration that cannot be read.`

func (p *program) configCommand() *cli.Command {
	return &cli.Command{
		Name:        "config",
		Usage:       "write, check or describe " + lint.ConfigName,
		UsageText:   "init|schema|check [FILE]",
		Description: configHelp,
		Action: func(c *cli.Context) error {
			what, file := c.Args().Get(0), c.Args().Get(1)
			switch {
			case what == "schema" && c.NArg() == 1:
				return p.configSchema()
			case what == "init" && c.NArg() <= 2:
				return p.configInit(file)
			case what == "check" && c.NArg() <= 2:
				return p.configCheck(file)
			}
			return try(misusef("config needs init, schema or check"), "config", "init")
		},
	}
}

func (p *program) configSchema() error {
	text, err := lint.ConfigSchema(rules.All())
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "%s\n", text)
	}
	return err
}

// configInit writes an example configuration. It never overwrites a file: O_EXCL reserves the name before the text is written.
func (p *program) configInit(name string) error {
	if name == "" {
		name = lint.ConfigName
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return misusef("%s already exists", name)
	}
	if err != nil {
		return err
	}
	f.Close()
	if err := atomicfile.Write(name, []byte(lint.ConfigExample)); err != nil {
		os.Remove(name)
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s lists the settings; everything in it is a comment.\nPut it above the catalog's folder: opm rejects a catalog that contains it, unless .indexignore names it.\n", name)
	return err
}

func (p *program) configCheck(name string) error {
	if name == "" {
		var err error
		if name, err = lint.FindConfig("."); err != nil {
			return misuse{err}
		} else if name == "" {
			return misusef("there is no %s in this folder or above it", lint.ConfigName)
		}
	}
	if _, err := lint.ReadConfig(name, rules.All()); err != nil {
		return misuse{err}
	}
	_, err := fmt.Fprintf(p.stdout, "%s can be read.\n", name)
	return err
}
