package cli

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render"
)

const listHelp = `examples:
  olmgraph list catalog/                       the packages, with their default channels and heads
  olmgraph list catalog/ channels              the channels of all packages
  olmgraph list catalog/ bundles prometheus    the bundles of a package: what each is upgraded to by itself

CATALOG is a folder, a file, or - for standard input. STUCK counts entries that OLM v0 never upgrades; NEXT is what OLM v0
upgrades a bundle to by itself, and HOPS how many upgrades follow each other. JSON has more fields.

exit status: 0; 2 misuse; 3 the catalog could not be opened, is no catalog, or something in it could not be read and may be
missing.`

func (p *program) listCommand() *cli.Command {
	return &cli.Command{
		Name:        "list",
		Usage:       "list the packages, channels or bundles of a catalog",
		UsageText:   "[flags] CATALOG [packages|channels|bundles] [PACKAGE]",
		Description: listHelp,
		Flags: []cli.Flag{
			choiceFlag("format", "text", "`FORMAT`", "text", "json"),
			colorFlag(),
		},
		Action: func(c *cli.Context) error { return p.list(c.Context, c) },
	}
}

func (p *program) list(ctx context.Context, c *cli.Context) error {
	l := render.Listing{What: render.Listings()[0], Package: c.Args().Get(2)}
	switch {
	case c.NArg() == 0:
		return misusef("no catalog to list: give a folder, a file, or - for standard input")
	case c.NArg() > 3:
		return misusef("list wants a catalog, what to list, and one package: olmgraph list CATALOG bundles PACKAGE")
	case c.NArg() > 1:
		if l.What = c.Args().Get(1); !slices.Contains(render.Listings(), l.What) {
			return misusef("cannot list %q%s", l.What, didYouMean(l.What, render.Listings()))
		}
	}
	style, err := p.style(c.String("color"))
	if err != nil {
		return err
	}
	format := c.String("format")
	if format != "text" && format != "json" {
		return misusef("no format %q%s", format, didYouMean(format, []string{"text", "json"}))
	}
	if l.Catalogs, err = p.openFor(ctx, c.Args().First(), l.Package, false); err != nil {
		return err
	}
	if format == "json" {
		err = render.ListJSON(p.stdout, l)
	} else {
		err = render.List(p.stdout, l, style)
	}
	return err
}
