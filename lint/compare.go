package lint

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
)

// pairOf returns the pair of a catalog and its base, or nil if it has none.
func (o *Options) pairOf(c *catalogs.Catalog) *catalogs.Pair {
	i := slices.IndexFunc(o.Base, func(p catalogs.Pair) bool { return p.Now == c && p.Base != nil })
	if i < 0 {
		return nil
	}
	return &o.Base[i]
}

// hasBaseFor reports whether there is a base for a rule: for a package, whether the base defines it.
func (u *unit) hasBaseFor(r *Rule) bool {
	return u.base != nil && (r.Scope == PerCatalog || u.basePkg != nil && u.basePkg.Defined())
}

// concernsChange reports whether a finding about a catalog as a whole concerns a package that differs from the base, or no
// package. The changed package can also be in the Cause, as where two packages conflict. What was not read differs in no package; of a
// repository only folders that differ from the base are reported.
func (u *unit) concernsChange(f *Finding) bool {
	if u.base == nil || u.pkg != nil || f.Package == "" || slices.Contains([]string{"pipeline", "template"}, familyOf(f.Rule)) || slices.Contains(u.changed, f.Package) ||
		f.Rule == NoPackageRuleID || f.Rule == NoBundleRuleID {
		return true
	}
	return slices.ContainsFunc(u.changed, func(name string) bool { return slices.Contains(f.Cause, name) })
}

// newFindings leaves out the findings that the base has too, if OnlyNew is set: in a package that is new in its catalog, those that a
// catalog of the base for another OpenShift version has, as severe. Findings of rules that are always reported stay.
func (o *Options) newFindings(ctx context.Context, cats []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	if !o.OnlyNew {
		return all, nil
	}
	needed := neededOfBase(all)
	had := map[string]faultCounts{}
	elsewhere := map[string]map[Severity]faultCounts{}
	for _, c := range cats {
		i := slices.IndexFunc(o.Base, func(p catalogs.Pair) bool { return p.Now == c })
		if i < 0 {
			continue
		}
		old, moved, err := o.publishedFindings(ctx, &o.Base[i], needed[c.Name])
		if err != nil {
			return nil, err
		}
		had[c.Name], elsewhere[c.Name] = faultCounts{}, map[Severity]faultCounts{}
		for i := range old {
			if old[i].Suppressed == "" { // a finding that is no longer suppressed is new
				had[c.Name].add(&old[i])
			}
		}
		for severity := Info; severity <= Error; severity++ {
			elsewhere[c.Name][severity] = faultCounts{}
			for i := range moved {
				if moved[i].Suppressed == "" && moved[i].Severity >= severity {
					elsewhere[c.Name][severity].add(&moved[i])
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(f Finding) bool {
		return !AlwaysReported(f.Rule) && f.Suppressed == "" && !f.submitted && (had[f.Catalog].take(&f) || elsewhere[f.Catalog][f.Severity].take(&f))
	}), nil
}

// neededOfBase returns, by catalog, the rules with findings that the base may have too.
func neededOfBase(all []Finding) map[string]map[string]bool {
	needed := map[string]map[string]bool{}
	for i := range all {
		f := &all[i]
		if AlwaysReported(f.Rule) || f.Suppressed != "" {
			continue
		}
		if needed[f.Catalog] == nil {
			needed[f.Catalog] = map[string]bool{}
		}
		needed[f.Catalog][f.Rule] = true
	}
	return needed
}

// published returns the package of a unit as its base has it, if no finding is told that the base has too, suppressed or not; or else nil.
func (o *Options) published(u unit, config *Config) *catalogs.Package {
	if !o.OnlyNew || u.basePkg == nil || len(config.Suppressions) > 0 || len(u.catalog.Ignores()) > 0 || len(u.base.Ignores()) > 0 {
		return nil
	}
	return u.basePkg
}

// publishedFindings returns the findings of the needed rules in the packages of a base that have changed since, and in the packages
// that are only elsewhere.
func (o *Options) publishedFindings(ctx context.Context, pair *catalogs.Pair, needed map[string]bool) (old, elsewhere []Finding, err error) {
	if len(needed) == 0 {
		return nil, nil, nil
	}
	if pair.Base != nil {
		if old, err = o.baseFindings(ctx, pair, needed); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range pair.Elsewhere {
		var names []string
		for _, p := range c.Packages {
			names = append(names, p.Name.Value)
		}
		found, err := o.baseFindings(ctx, &catalogs.Pair{Now: pair.Now, Base: c, Changed: names}, needed)
		if err != nil {
			return nil, nil, err
		}
		elsewhere = append(elsewhere, slices.DeleteFunc(found, func(f Finding) bool { return f.Package == "" })...)
	}
	return old, elsewhere, nil
}

// baseFindings returns the findings of the needed rules in the packages of a base that have changed since.
func (o *Options) baseFindings(ctx context.Context, pair *catalogs.Pair, needed map[string]bool) ([]Finding, error) {
	base := *o
	base.needed, base.Linted = needed, nil
	base.OnlyNew, base.MinSeverity, base.Baseline, base.same = false, Off, nil, o.sameOld
	base.Config, base.ConfigOf = o.configOf(pair.Now.Name), nil
	base.Base = []catalogs.Pair{{Now: pair.Base, Base: pair.Now.Unlinted(), Changed: pair.Changed}}
	base.Rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return r.NeedsBase })
	return Run(ctx, []*catalogs.Catalog{pair.Base}, base)
}

// preflightCaches keeps what is known of the manifests of packages, for those of the same name in the base.
type preflightCaches struct {
	mutex sync.Mutex
	free  map[string][]*preflight.Cache // by the name of the package
	bytes int                           // of JSON in them, as it is kept
}

// maxCached bounds how many bytes of JSON are kept, some of them compressed.
const maxCached = 64 << 20

// take returns a cache for the package of a unit, nil if there is none.
func (c *preflightCaches) take(u unit) *preflight.Cache {
	if c == nil || u.pkg == nil {
		return nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	name := u.pkg.Name.Value
	last := len(c.free[name]) - 1
	if last < 0 {
		return &preflight.Cache{}
	}
	taken := c.free[name][last]
	c.free[name] = c.free[name][:last]
	c.bytes -= taken.Bytes()
	return taken
}

// giveBack keeps a cache that was taken, unless there are too many bytes.
func (c *preflightCaches) giveBack(u unit, taken *preflight.Cache) {
	if taken == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.bytes+taken.Bytes() > maxCached {
		return
	}
	c.bytes += taken.Bytes()
	c.free[u.pkg.Name.Value] = append(c.free[u.pkg.Name.Value], taken)
}

// Published reports whether the base has a bundle of that name.
func (p *Pass) Published(bundle string) bool {
	return p.BasePackage != nil && p.BasePackage.Bundle(bundle) != nil
}

// Submitted reports whether a bundle is in a folder that the base does not have: the pipelines judge those.
func (p *Pass) Submitted(b *catalogs.Bundle) bool {
	if p.BaseCatalog == nil || !isSubmitted(p.Catalog) || p.Published(b.Name.Value) {
		return false
	}
	return p.Catalog.Form != catalogs.Repository || p.Catalog.IsNewFile(b.Folder().Pos.File, p.BaseCatalog)
}

// Introduced returns what opm rejects, and what the rules on templates and upgrade graphs find, in a catalog and not in what it was before: from
// warnings on, the most severe first.
func (p *Pass) Introduced(now, before *catalogs.Catalog) ([]Finding, error) {
	o := *p.options
	o.Rules = slices.DeleteFunc(slices.Clone(o.allRules()), func(r Rule) bool {
		judges := r.Family() == "graph" || r.Family() == "template" || r.Family() == "catalog" && r.Gates&GateOPM != 0
		return r.NeedsBase || r.ID == DriftRuleID || !judges
	})
	o.Config, o.ConfigOf, o.Base = p.Config, nil, []catalogs.Pair{{Now: now, Base: before}}
	for _, pkg := range now.Packages {
		o.Base[0].Changed = append(o.Base[0].Changed, pkg.Name.Value)
	}
	o.OnlyNew, o.MinSeverity, o.Gates, o.Packages, o.Baseline, o.Linted, o.Progress, o.ForgetCatalogs, o.needed, o.same = true, Warning, 0, nil, nil, nil, nil, false, nil, nil
	found, err := Run(p.Context(), []*catalogs.Catalog{now}, o)
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return found, err
}

// markSubmitted notes whether the bundle of a finding about its contents is submitted, or published already.
func (p *Pass) markSubmitted(f *Finding) {
	if p.BaseCatalog == nil || p.Package == nil || f.Gates&GatePipelines == 0 || !readsManifests(f.Rule) {
		return
	}
	if b := p.Package.Bundle(f.Bundle); b != nil {
		f.submitted = p.Submitted(b)
		f.published = !f.submitted && (isSubmitted(p.Catalog) || p.Published(b.Name.Value))
	}
}
