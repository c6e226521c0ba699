package lint

import (
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// pairOf returns what a catalog is compared with, or nil.
func (o *Options) pairOf(c *catalogs.Catalog) *catalogs.Pair {
	i := slices.IndexFunc(o.Base, func(p catalogs.Pair) bool { return p.Now == c && p.Base != nil })
	if i < 0 {
		return nil
	}
	return &o.Base[i]
}

// hasBaseFor reports whether there is something to compare with: for a package, that it was published.
func (u *unit) hasBaseFor(r *Rule) bool {
	return u.base != nil && (r.Scope == PerCatalog || u.basePkg != nil && u.basePkg.Defined())
}

// concernsChange reports whether what was found in a catalog as a whole has to do with a package that differs from the base, or
// with none: two packages can be at odds with each other, and the finding is about the other one.
func (u *unit) concernsChange(f *Finding) bool {
	if u.base == nil || u.pkg != nil || f.Package == "" || slices.Contains(u.changed, f.Package) {
		return true
	}
	return slices.ContainsFunc(u.changed, func(name string) bool { return slices.Contains(f.Cause, name) })
}

// newFindings leaves out what the base has as well, if that is wanted. What cannot be read stays: it was not judged.
func (o *Options) newFindings(ctx context.Context, cats []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	if !o.OnlyNew {
		return all, nil
	}
	had := map[string]faultCounts{}
	for _, c := range cats {
		pair := o.pairOf(c)
		if pair == nil {
			continue
		}
		old, err := o.baseFindings(ctx, pair)
		if err != nil {
			return nil, err
		}
		had[c.Name] = faultCounts{}
		for i := range old {
			if old[i].Suppressed == "" { // else it counts as new once nothing suppresses it any more
				had[c.Name].add(&old[i])
			}
		}
	}
	return slices.DeleteFunc(all, func(f Finding) bool {
		return !AlwaysReported(f.Rule) && f.Suppressed == "" && had[f.Catalog].take(&f)
	}), nil
}

// baseFindings judges those packages of a base that were changed since.
func (o *Options) baseFindings(ctx context.Context, pair *catalogs.Pair) ([]Finding, error) {
	of := *o
	of.OnlyNew, of.MinSeverity, of.Baseline = false, Off, nil
	of.Base = []catalogs.Pair{{Now: pair.Base, Base: &catalogs.Catalog{}, Changed: pair.Changed}}
	of.Rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return r.NeedsBase })
	return Run(ctx, []*catalogs.Catalog{pair.Base}, of)
}

// Published reports whether the base is known to have a bundle of that name.
func (p *Pass) Published(bundle string) bool {
	return p.BasePackage != nil && p.BasePackage.Bundle(bundle) != nil
}
