package lint

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/graph/openshift"
)

// seriesOfCatalogs has what rules of the scope AcrossVersions need of catalogs that were linted: those for the OpenShift versions of a repository, by
// a name that they have in common.
type seriesOfCatalogs map[string][]openshift.Version

// catalogSeries returns what catalogs for the versions of OpenShift have in common in their names.
func catalogSeries(c *catalogs.Catalog) string { return strings.ReplaceAll(c.Name, c.OpenShift, "*") }

// remember adds what is needed of a catalog to a series; the catalog may be forgotten then.
func (s seriesOfCatalogs) remember(name string, c *catalogs.Catalog) {
	if !isForVersion(c) {
		return
	}
	if v, ok := openshift.NewVersion(c); ok {
		for pkg, p := range v.Packages {
			if v.Packages[pkg] = withoutContents(p); !p.IsDefined() {
				delete(v.Packages, pkg)
			}
		}
		s[name] = append(s[name], v)
	}
}

// isForVersion reports whether a catalog is one for an OpenShift version, of which it is known that all was published: of a repository it is not.
func isForVersion(c *catalogs.Catalog) bool {
	return c != nil && c.OpenShift != "" && !c.Edgeless() && c.Form != catalogs.Repository && c.Template == nil
}

// withoutContents returns a package with its graph alone.
func withoutContents(p *catalogs.Package) *catalogs.Package {
	light := map[*catalogs.Bundle]*catalogs.Bundle{}
	var bundles []*catalogs.Bundle
	for _, b := range p.Bundles {
		one := *b
		one.RelatedImages, one.Folder = nil, nil
		light[b] = &one
		bundles = append(bundles, &one)
	}
	var channels []*catalogs.Channel
	for _, c := range p.Channels {
		one := *c
		one.Entries = slices.Clone(c.Entries)
		for i := range one.Entries {
			one.Entries[i].Bundle = light[one.Entries[i].Bundle]
		}
		channels = append(channels, &one)
	}
	return p.WithContents(channels, bundles)
}

// Runs reports whether a rule of a scope runs.
func (o *Options) Runs(scope Scope) bool {
	return slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.Scope == scope })
}

// rememberVersions keeps what rules of the scope AcrossVersions need. Of a catalog without a base all packages differ.
func (l *Linter) rememberVersions(cats []*catalogs.Catalog) {
	if !l.options.Runs(AcrossVersions) {
		return
	}
	for _, c := range cats {
		series := catalogSeries(c)
		l.versions.remember(series, c)
		changed := c.PackageNames()
		if pair := l.options.basePair(c); pair != nil {
			l.baseVersions.remember(series, pair.Base)
			changed = pair.Changed
		}
		for _, name := range changed {
			l.changed[name] = true
		}
	}
}

// acrossVersions returns the findings of the rules of the scope AcrossVersions; with a base of the packages that differ from it in some catalog, and
// with OnlyNew those that the same series of catalogs does not have in the base.
func (l *Linter) acrossVersions(ctx context.Context) (all []Finding, err error) {
	for _, series := range slices.Sorted(maps.Keys(l.versions)) {
		found := l.options.findAcross(l.versions[series], l.changed)
		if l.options.OnlyNew {
			had := map[string]bool{}
			for _, f := range l.options.findAcross(l.baseVersions[series], l.changed) {
				for _, print := range f.fingerprints() {
					had[print] = true
				}
			}
			found = slices.DeleteFunc(found, func(f Finding) bool {
				return !slices.ContainsFunc(f.fingerprints(), func(print string) bool { return !had[print] })
			})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// findAcross returns the findings in the catalogs of a series.
func (o *Options) findAcross(all []openshift.Version, changed map[string]bool) (found []Finding) {
	if len(all) < 2 {
		return nil
	}
	versions := slices.SortedStableFunc(slices.Values(all), func(a, b openshift.Version) int { return cmp.Compare(a.Minor, b.Minor) })
	names := map[string]bool{}
	for _, v := range versions {
		for name := range v.Packages {
			if o.selectsPackage(name) && (len(o.Base) == 0 || changed[name]) {
				names[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		found = append(found, o.findInVersions(openshift.Versions{Package: name, All: versions})...)
	}
	return found
}

// findInVersions calls the rules for a package.
func (o *Options) findInVersions(of openshift.Versions) (kept []Finding) {
	for i := range o.Rules {
		r := &o.Rules[i]
		if r.Scope != AcrossVersions || r.SkippedFor(o.Gates) {
			continue
		}
		pass := &Pass{Catalog: of.All[len(of.All)-1].Catalog, Rule: r, options: o, cache: &cache{}, Versions: &of}
		pass.check()
		for _, f := range pass.findings {
			f.Package = of.Package
			if f.Severity = o.catalogConfig(f.Catalog).severity(f); f.Severity > Off && o.selects(&f) {
				kept = append(kept, f)
			}
		}
	}
	return kept
}

// severalVersions reports whether catalogs are for several OpenShift versions, so that rules of the scope AcrossVersions run.
func severalVersions(cats []*catalogs.Catalog) bool {
	known := map[string]bool{}
	for _, c := range cats {
		if isForVersion(c) {
			if known[catalogSeries(c)] {
				return true
			}
			known[catalogSeries(c)] = true
		}
	}
	return false
}

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
		if pair := o.basePair(c); pair != nil {
			later.Base = []compare.Pair{{Now: after, Base: pair.Base, Elsewhere: pair.Elsewhere, Changed: pair.Changed}}
		}
		left, err := later.runRulesOn(ctx, []*catalogs.Catalog{after})
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(f Finding) bool {
			return f.Catalog == c.Name && !slices.ContainsFunc(left, func(o Finding) bool { return o.Rule == f.Rule && o.Subject == f.Subject })
		})
	}
	return all, nil
}
