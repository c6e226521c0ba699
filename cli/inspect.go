package cli

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// inspected are catalogs and what was found in them.
type inspected struct {
	catalogs []*catalogs.Catalog
	findings []lint.Finding
	unopened error // about references that could not be opened
}

// inspect judges what can be opened: one reference after the other, unless something is asked of all of them together. What is
// not bad enough to be shown is judged as well.
func (p *program) inspect(ctx context.Context, c *cli.Context, o lint.Options, progress *progress) (inspected, error) {
	named := len(o.Packages) > 0 || len(o.Channels) > 0 // that these are there is looked up in all
	canWait := !named && len(p.bundles) == 0
	if c.IsSet("base") || c.Bool("fix") || o.Config.Complete || named {
		p.reading.Later = canWait && c.IsSet("base")
		return p.together(ctx, c, o, progress)
	}
	refs := c.Args().Slice()
	// Of what is not on disk only reading it says whether it can be opened.
	p.reading.Later = canWait && !slices.ContainsFunc(refs, func(ref string) bool { return !catalogs.IsPath(ref) })
	return p.inTurn(ctx, refs, o, progress)
}

// inTurn judges each reference when it is opened, and holds little of it afterwards.
func (p *program) inTurn(ctx context.Context, refs []string, o lint.Options, progress *progress) (in inspected, err error) {
	o.Forget, o.MinSeverity = true, lint.Off
	inspection := lint.Inspect(o)
	defer progress.end()
	for cats, unopened := range p.each(ctx, refs, progress) {
		in.catalogs, in.unopened = append(in.catalogs, cats...), errors.Join(in.unopened, unopened)
		if err := inspection.Add(ctx, cats...); err != nil {
			return in, err
		}
	}
	in.findings, err = inspection.End(ctx)
	return in, err
}

// together opens everything first.
func (p *program) together(ctx context.Context, c *cli.Context, o lint.Options, progress *progress) (in inspected, err error) {
	refs := c.Args().Slice()
	in.catalogs, in.unopened = p.open(ctx, refs, progress)
	if len(in.catalogs) == 0 {
		return in, nil
	}
	if c.IsSet("base") {
		if o.Base, err = p.compare(ctx, in.catalogs, c.String("base"), progress); err != nil {
			return in, err
		}
	}
	if _, none := noneChecked(in.catalogs); !none { // else that is what is wrong
		if err := knownSubjects(in.catalogs, o); err != nil {
			return in, err
		}
	}
	if c.Bool("fix") {
		if in.catalogs, err = p.fix(ctx, c, refs, in.catalogs, o); err != nil {
			return in, cmp.Or(in.unopened, err)
		}
	}
	o.MinSeverity = lint.Off
	in.findings, err = lint.Run(ctx, in.catalogs, o)
	return in, err
}

// open opens all references that it can; the error is about the others.
func (p *program) open(ctx context.Context, refs []string, progress *progress) (all []*catalogs.Catalog, unopened error) {
	defer progress.end()
	for cats, err := range p.each(ctx, refs, progress) {
		all, unopened = append(all, cats...), errors.Join(unopened, err)
	}
	return all, unopened
}

// each opens one reference after the other. Where there are several, their catalogs are named after them.
func (p *program) each(ctx context.Context, refs []string, progress *progress) iter.Seq2[[]*catalogs.Catalog, error] {
	return func(yield func([]*catalogs.Catalog, error) bool) {
		o := p.reading
		o.Progress = progress.add
		for _, ref := range refs {
			cats, err := p.opened(ctx, ref, o)
			for _, c := range cats {
				if len(refs) > 1 {
					c.Name = within(ref, c.Name)
				}
			}
			if !yield(cats, err) {
				return
			}
		}
	}
}
