package mirror

import (
	"context"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// checkRequirements finds requirements that bundles of the whole catalogs meet, and none that is left; then the images that nobody needs.
func (r *Report) checkRequirements(ctx context.Context) error {
	var left []*catalogs.Catalog
	var of []int // the index of the catalog of each
	requiring := false
	for i, c := range r.Catalogs {
		if c.Left != nil {
			left, of = append(left, c.Left), append(of, i)
			requiring = requiring || mayRequire(c.Left)
		}
	}
	if !requiring {
		left = nil
	}
	index, err := indexDependencies(ctx, left)
	if err != nil {
		return err
	}
	unmet := unmetRequirements(index)
	if len(unmet.Keys()) > 0 {
		if err := r.reportUnmet(ctx, unmet, of); err != nil {
			return err
		}
	}
	r.checkImages(index, of)
	return nil
}

// indexDependencies indexes the requirements of catalogs.
func indexDependencies(ctx context.Context, all []*catalogs.Catalog) (*resolve.DependencyIndex, error) {
	var ready []*resolve.Catalog
	for _, c := range all {
		one, err := resolve.NewCatalog(ctx, c)
		if err != nil {
			return nil, err
		}
		ready = append(ready, one)
	}
	return resolve.NewDependencyIndex(ctx, ready...)
}

// unmetRequirement is a requirement of bundles of one package.
type unmetRequirement struct {
	requirement string
	catalog     int // in the index of what is left
	pkg         string
}

// unmetRequirements returns the bundles with a requirement without a provider, for each package with one.
func unmetRequirements(index *resolve.DependencyIndex) *memo.Groups[unmetRequirement, string] {
	all := &memo.Groups[unmetRequirement, string]{}
	for _, d := range index.Dependencies {
		if d.Operator == "not" || d.Costly || len(d.Providers()) > 0 {
			continue
		}
		for _, o := range d.Dependents {
			all.Add(unmetRequirement{d.Requirement.String(), o.Catalog(), o.Package()}, o.Name())
		}
	}
	return all
}

// reportUnmet reports the requirements that the whole catalogs meet. of has the index of each catalog that is left.
func (r *Report) reportUnmet(ctx context.Context, unmet *memo.Groups[unmetRequirement, string], of []int) error {
	var whole []*catalogs.Catalog
	for _, c := range r.Catalogs {
		whole = append(whole, c.Whole)
	}
	index, err := indexDependencies(ctx, whole)
	if err != nil {
		return err
	}
	for u, bundles := range unmet.All() {
		o, ok := index.Bundle(of[u.catalog], u.pkg, bundles[0])
		if !ok {
			continue
		}
		for _, d := range index.BundleDependencies(o) {
			if d.Requirement.String() == u.requirement && len(d.Providers()) > 0 && !r.hasInstalled(d.Providers()) {
				r.reportMissing(r.Catalogs[of[u.catalog]], u, bundles, d.Providers())
			}
		}
	}
	return nil
}

// hasInstalled reports whether the cluster has one of some bundles installed: OLM takes that first.
func (r *Report) hasInstalled(all []resolve.IndexedBundle) bool {
	return r.Cluster != nil && slices.ContainsFunc(all, func(o resolve.IndexedBundle) bool {
		return slices.ContainsFunc(r.Cluster.Subscriptions, func(s Subscription) bool { return s.Package == o.Package() && s.Installed.Name == o.Name() })
	})
}

func (r *Report) reportMissing(c *Catalog, u unmetRequirement, bundles []string, from []resolve.IndexedBundle) {
	names := find.Distinct(words.Map(from, resolve.IndexedBundle.Package))
	f := r.find(c, kindRequirement, Error, c.pos(u.pkg, ""), u.pkg, "", fmt.Sprintf("package %q requires %s, and nothing that is mirrored provides it: OLM cannot install %s",
		u.pkg, u.requirement, words.And(bundles)))
	f.Fix = "mirror package " + words.Or(names)
	f.Bundles = bundles
}

func mayRequire(c *catalogs.Catalog) bool {
	return slices.ContainsFunc(c.Packages, func(p *catalogs.Package) bool { return slices.ContainsFunc(p.Bundles, (*catalogs.Bundle).MayRequire) })
}
