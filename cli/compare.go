package cli

import (
	"context"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
)

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
	if err := needEdges(ref, base...); err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	pairs, alone := catalogs.Pairs(cats, base)
	for i := range pairs {
		if pairs[i].Base == nil {
			p.say("the base has nothing to compare catalog %q with", pairs[i].Now.Name)
		}
		if err := pairs[i].Read(ctx); err != nil {
			return nil, err
		}
	}
	if found, none := noneChecked(base); none {
		return nil, fmt.Errorf("base: %w", notCatalog(ref, found))
	}
	for _, c := range alone {
		p.say("catalog %q of the base has nothing that corresponds to it: whatever was in it is not compared", c.Name)
	}
	return pairs, nil
}
