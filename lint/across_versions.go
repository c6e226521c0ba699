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
	"github.com/olmgraph/olmgraph/graph/plan"
)

// seriesOfCatalogs has what rules of the scope AcrossVersions need of catalogs that were linted: those for the OpenShift versions of a repository, by
// a name that they have in common.
type seriesOfCatalogs map[string][]openshift.Version

// seriesOf returns what catalogs for the versions of OpenShift have in common in their names.
func seriesOf(c *catalogs.Catalog) string { return strings.ReplaceAll(c.Name, c.OpenShift, "*") }

// remember adds what is needed of a catalog, which may be forgotten then. Of a repository it is not known that all was published.
func (s seriesOfCatalogs) remember(c *catalogs.Catalog) {
	if c == nil || c.OpenShift == "" || c.Edgeless() || c.Form == catalogs.Repository || c.Template != nil {
		return
	}
	minor, err := plan.ParseMinor(c.OpenShift)
	if err != nil {
		return
	}
	v := openshift.Version{Minor: minor, Catalog: c, Packages: map[string]*catalogs.Package{}}
	for _, p := range c.Packages {
		if p.Defined() {
			v.Packages[p.Name.Value] = withoutContents(p)
		}
	}
	name := seriesOf(c)
	s[name] = append(s[name], v)
}

// withoutContents returns a package with its graph alone.
func withoutContents(p *catalogs.Package) *catalogs.Package {
	light := map[*catalogs.Bundle]*catalogs.Bundle{}
	var bundles []*catalogs.Bundle
	for _, b := range p.Bundles {
		one := *b
		one.RelatedImages, one.Embedded, one.Folder = nil, nil, nil
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
	return p.With(channels, bundles)
}

// scopes reports whether a rule of a scope runs.
func (o *Options) scopes(scope Scope) bool {
	return slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.Scope == scope })
}

// rememberVersions keeps what rules of the scope AcrossVersions need.
func (l *Linter) rememberVersions(cats []*catalogs.Catalog) {
	if !l.options.scopes(AcrossVersions) {
		return
	}
	for _, c := range cats {
		l.versions.remember(c)
		i := slices.IndexFunc(l.options.Base, func(p compare.Pair) bool { return p.Now == c })
		if i < 0 {
			continue
		}
		pair := &l.options.Base[i]
		l.baseVersions.remember(pair.Base)
		for _, name := range pair.Changed {
			l.changed[name] = true
		}
	}
}

// acrossVersions returns the findings of the rules of the scope AcrossVersions; with a base of the packages that differ from it in some catalog, and
// with OnlyNew those that the base does not have.
func (l *Linter) acrossVersions(ctx context.Context) ([]Finding, error) {
	found, err := l.options.findAcross(ctx, l.versions, l.changed)
	if err != nil || !l.options.OnlyNew {
		return found, err
	}
	before, err := l.options.findAcross(ctx, l.baseVersions, l.changed)
	had := map[string]bool{}
	for i := range before {
		for _, print := range before[i].fingerprints() {
			had[print] = true
		}
	}
	return slices.DeleteFunc(found, func(f Finding) bool {
		return !slices.ContainsFunc(f.fingerprints(), func(print string) bool { return !had[print] })
	}), err
}

func (o *Options) findAcross(ctx context.Context, all seriesOfCatalogs, changed map[string]bool) (found []Finding, err error) {
	for _, series := range slices.Sorted(maps.Keys(all)) {
		versions := slices.SortedStableFunc(slices.Values(all[series]), func(a, b openshift.Version) int { return cmp.Compare(a.Minor, b.Minor) })
		if len(versions) < 2 {
			continue
		}
		names := map[string]bool{}
		for _, v := range versions {
			for name := range v.Packages {
				names[name] = o.selectsPackage(name) && (len(o.Base) == 0 || changed[name])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !names[name] {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			found = append(found, o.findInVersions(openshift.Versions{Package: name, All: versions})...)
		}
	}
	return found, nil
}

// findInVersions calls the rules for a package.
func (o *Options) findInVersions(of openshift.Versions) (kept []Finding) {
	for i := range o.Rules {
		r := &o.Rules[i]
		if r.Scope != AcrossVersions || r.SkippedFor(o.Gates) {
			continue
		}
		pass := &Pass{Catalog: of.All[len(of.All)-1].Catalog, Rule: r, options: o, cache: &cache{}, Versions: &of}
		r.Check(pass)
		for _, f := range pass.findings {
			f.Package = of.Package
			if f.Severity = o.configOf(f.Catalog).severity(f); f.Severity > Off && o.selects(&f) {
				kept = append(kept, f)
			}
		}
	}
	return kept
}
