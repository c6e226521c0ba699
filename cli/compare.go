package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// canWait reports whether catalogs may be left unread until their turn comes, or until it is known what has changed: not where
// names of what is in them have to be looked up, bundles are to get manifests, or files are to be mended. Without a base only
// what is on disk waits: of the rest it is not known before it is read whether it can be opened.
func (p *program) canWait(c *cli.Context, o *lint.Options) bool {
	if len(p.bundles) > 0 || len(o.Packages) > 0 || len(o.Channels) > 0 || c.Bool("fix") {
		return false
	}
	return c.IsSet("base") || !slices.ContainsFunc(c.Args().Slice(), func(ref string) bool { return !catalogs.IsPath(ref) })
}

// compare opens a base, matches its catalogs with others, and reads of all of them what is needed. It says what has nothing to
// be compared with.
func (p *program) compare(ctx context.Context, cats []*catalogs.Catalog, ref string, progress *progress) ([]catalogs.Pair, error) {
	defer progress.end()
	o := p.reading
	o.Progress = progress.add
	base, err := p.opened(ctx, ref, o)
	if err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	pairs, alone := catalogs.Pairs(cats, base)
	for i := range pairs {
		if pairs[i].Base == nil {
			fmt.Fprintf(p.stderr, "olmgraph: the base has nothing to compare catalog %q with\n", pairs[i].Now.Name)
		}
		if err := pairs[i].Read(ctx); err != nil {
			return nil, err
		}
	}
	for _, c := range alone {
		fmt.Fprintf(p.stderr, "olmgraph: catalog %q of the base has nothing that corresponds to it: whatever was in it is not compared\n", c.Name)
	}
	return pairs, nil
}
