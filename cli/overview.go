package cli

import (
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
)

const overviewHelp = `examples:
  olmgraph catalog/               the packages, their heads and worst findings, and what to do next
  olmgraph catalog/ prometheus    the channels of a package, likewise
  olmgraph quay.io/operatorhubio/catalog:latest

CATALOG is a folder, a file, an image, or - for standard input. Names of commands come first: olmgraph lint is the command, and
olmgraph ./lint a folder. Findings are those of olmgraph lint with all rules. They do not change the exit status.

exit status: 0; 2 misuse; 3 the catalog could not be opened or read completely, or is not a catalog.`

// overviewName is the name of the command for which only a catalog is typed.
const overviewName = "overview"

func overviewCommand() command {
	return command{
		name:     overviewName,
		hidden:   true,
		usage:    "show what is in a catalog, its worst problems, and what to do next",
		args:     "CATALOG [PACKAGE]",
		help:     overviewHelp,
		flags:    []cli.Flag{configFlag(), colorFlag()},
		synonyms: map[string]string{"show": "", "describe": "", "inspect": "", "info": "", "stats": "", "summary": ""},
		takes:    takes{catalog: true, ranges: true, arguments: []argumentKind{packageArgument}},
		answer:   runOverview,
	}
}

func runOverview(c *cli.Context, o *opener, to outputs) error {
	ref, pkg := c.Args().Get(0), c.Args().Get(1)
	if c.NArg() > 2 {
		return suggestCommand(misusef("olmgraph CATALOG takes one package, and versions are for path"), append([]string{pathName}, c.Args().Slice()...)...)
	}
	cats, err := o.openFor(c.Context, ref, pkg, true)
	switch {
	case err != nil:
		return err
	case pkg != "" && len(withPackage(cats, pkg)) == 0:
		return o.noPackage(pkg, ref, cats)
	}
	out := render.Overview{Ref: ref, Refs: references(ref, cats), Package: pkg, Catalogs: cats, Command: commandLine}
	if out.Findings, err = overviewFindings(c, o, cats, pkg); err != nil {
		return err
	}
	return render.WriteOverview(o.stdout, out, o.style(c))
}

// overviewFindings lints the catalogs with all rules, as lint does.
func overviewFindings(c *cli.Context, o *opener, cats []*catalogs.Catalog, pkg string) ([]lint.Finding, error) {
	options, _, err := lintOptions(c, c.Args().Slice()[:1], nil)
	if err != nil {
		return nil, err
	}
	options.ConfigOf = nil // all catalogs are of one reference
	if pkg != "" {
		options.Packages = []string{pkg}
	}
	options.Progress, options.ForReport = o.progress.showChecked, true
	return lint.Run(c.Context, cats, options)
}
