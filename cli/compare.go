package cli

import (
	"context"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// canWait reports whether a catalog may be left unread until its turn comes, or until it is known what has changed: not where
// names of what is in it have to be looked up, or bundles are to get manifests.
func (p *program) canWait(o *lint.Options) bool {
	return len(p.bundles) == 0 && len(o.Packages) == 0 && len(o.Channels) == 0
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
