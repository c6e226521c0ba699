package lint

import (
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
)

// afterReleases drops what is only wrong with a template until the release of a new bundle adds that to it: the template of a new operator has no
// bundles (operator-pipelines: add_bundle_to_fbc). What the release makes is judged by pipeline/release-config.
func (o *Options) afterReleases(ctx context.Context, cats []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	for _, c := range cats {
		if c.Template == nil || c.Template.Release == nil || !slices.ContainsFunc(all, func(f Finding) bool { return f.Catalog == c.Name }) {
			continue
		}
		_, after := c.Template.Release.Make(ctx)
		if after == nil {
			continue
		}
		after.Name = c.Name
		later := *o
		later.Base, later.same, later.counter, later.caches, later.Linted = nil, &samePackages{}, nil, nil, nil
		if pair := o.pairOf(c); pair != nil {
			later.Base = []compare.Pair{{Now: after, Base: pair.Base, Elsewhere: pair.Elsewhere, Changed: pair.Changed}}
		}
		left, err := later.findings(ctx, []*catalogs.Catalog{after})
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(f Finding) bool {
			return f.Catalog == c.Name && !slices.ContainsFunc(left, func(o Finding) bool { return o.Rule == f.Rule && o.Subject == f.Subject })
		})
	}
	return all, nil
}
