package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// checkedCatalogs is what a run of lint comes to: what the catalogs say, and of which references it could not be found out.
type checkedCatalogs struct {
	catalogs   []*catalogs.Catalog
	findings   []lint.Finding
	openErrors error // about references that could not be opened
}

// lint judges what can be opened: one reference after the other, unless a flag is about all of them together. Findings that are not
// severe enough to be shown are among the result.
func (o *opener) lint(c *cli.Context, options lint.Options) (checkedCatalogs, error) {
	named := len(options.Packages) > 0 || len(options.Channels) > 0 // whether these exist is looked up in all catalogs
	later := !named && len(o.bundles) == 0
	open, refs := o.options, c.Args().Slice()
	if c.IsSet("base") || c.Bool("fix") || options.Config.Complete || named {
		open.Deferred = later && c.IsSet("base")
		return o.lintTogether(c, open, options)
	}
	// What is not on disk has to be read to know whether it can be opened.
	open.Deferred = later && !slices.ContainsFunc(refs, func(ref string) bool { return !catalogs.IsPath(ref) })
	return o.lintEach(c.Context, refs, open, options)
}

// lintEach judges each reference when it is opened, and holds little of it afterwards.
func (o *opener) lintEach(ctx context.Context, refs []string, open catalogs.Options, options lint.Options) (run checkedCatalogs, err error) {
	options.ForgetCatalogs, options.MinSeverity = true, lint.Off
	linter := lint.NewLinter(options)
	defer o.progress.end()
	for cats, unopened := range o.openEach(ctx, refs, open) {
		run.catalogs, run.openErrors = append(run.catalogs, cats...), errors.Join(run.openErrors, unopened)
		if err := linter.Add(ctx, cats...); err != nil {
			return run, err
		}
	}
	run.findings, err = linter.Finish(ctx)
	return run, err
}

// lintTogether opens everything first.
func (o *opener) lintTogether(c *cli.Context, open catalogs.Options, options lint.Options) (run checkedCatalogs, err error) {
	ctx, refs := c.Context, c.Args().Slice()
	run.catalogs, run.openErrors = o.openAll(ctx, refs, open)
	if len(run.catalogs) == 0 {
		return run, nil
	}
	if c.IsSet("base") {
		if options.Base, err = o.openPairs(ctx, run.catalogs, c.String("base"), open); err != nil {
			return run, err
		}
	}
	if _, none := firstForeign(run.catalogs); !none { // else that is what is wrong
		if err := checkSubjects(run.catalogs, options); err != nil {
			return run, err
		}
	}
	if c.Bool("fix") {
		if run.catalogs, err = o.fix(c, run.catalogs, options); err != nil {
			return run, cmp.Or(run.openErrors, err)
		}
	}
	options.MinSeverity = lint.Off
	run.findings, err = lint.Run(ctx, run.catalogs, options)
	return run, err
}
