package lint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// basePair returns the pair of a catalog and its base, or nil if it has none.
func (o *Options) basePair(c *catalogs.Catalog) *compare.Pair {
	return find.Pointer(o.Base, func(p compare.Pair) bool { return p.Now == c && p.Base != nil })
}

// hasBaseFor reports whether there is a base for a rule: for a package, whether the base defines it.
func (u *unit) hasBaseFor(r *Rule) bool {
	return u.base != nil && (r.Scope == PerCatalog || u.basePkg != nil && u.basePkg.IsDefined())
}

// concernsChange reports whether a finding about a catalog as a whole concerns a package that differs from the base, or no
// package. The changed package can also be in the Cause, as where two packages conflict. What was not read differs in no package; of a
// repository only folders that differ from the base are reported.
func (u *unit) concernsChange(f *Finding) bool {
	if u.base == nil || u.pkg != nil || f.Package == "" || f.part == Pipelines || f.part == Templates || slices.Contains(u.changed, f.Package) ||
		f.Unchecked == NoPackage || f.Unchecked == NoBundle {
		return true
	}
	return slices.ContainsFunc(u.changed, func(name string) bool { return slices.Contains(f.Cause, name) })
}

// newFindings leaves out the findings that the base has too, if OnlyNew is set: in a package that is new in its catalog, those that a
// catalog of the base for another OpenShift version has, as severe. An error about a bundle that the base does not have is new, whatever other
// bundles have it; advice that is repeated with each release is not. What could not be read, and is the same in the base, becomes one finding
// of its own.
func (o *Options) newFindings(ctx context.Context, cats []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	if !o.OnlyNew {
		return all, nil
	}
	needed := neededOfBase(all)
	bases := map[string]*knownFindings{}
	for _, c := range cats {
		i := slices.IndexFunc(o.Base, func(p compare.Pair) bool { return p.Now == c })
		if i < 0 {
			continue
		}
		old, moved, err := o.publishedFindings(ctx, &o.Base[i], needed[c.Name])
		if err != nil {
			return nil, err
		}
		bases[c.Name] = newKnownFindings(&o.Base[i], old, moved)
	}
	var unchecked []Finding
	all = slices.DeleteFunc(all, func(f Finding) bool {
		known := bases[f.Catalog]
		switch {
		case known == nil || f.Suppressed != "":
			return false
		case f.Unchecked.AlwaysReported():
			same := f.Unchecked != NotLooked && known.hasUnread(&f)
			if same {
				unchecked = append(unchecked, f)
			}
			return same
		}
		return !(f.Severity == Error && (f.submitted || known.isAdded(&f))) && known.has(&f)
	})
	for i := range all {
		if known := bases[all[i].Catalog]; known != nil {
			known.sayNew(&all[i])
		}
	}
	var misplaced []string
	for i := range all {
		if f := &all[i]; f.Misplaced {
			misplaced = append(misplaced, f.Bundle)
		}
	}
	all = slices.DeleteFunc(all, func(f Finding) bool { return f.Severity < Error && slices.ContainsFunc(misplaced, f.isAbout) })
	if len(unchecked) > 0 {
		all = append(all, uncheckedFinding(unchecked))
	}
	return all, nil
}

// catalogChanges returns the findings about catalogs of the base that have no counterpart, one for those with the same configuration, and about
// those that have another name.
func (o *Options) catalogChanges() (all []Finding) {
	type kind struct {
		*Config
		withPackages bool
	}
	var removed memo.Groups[kind, compare.Removed]
	for _, r := range o.Removed {
		removed.Add(kind{o.catalogConfig(r.Base.Name), r.WithPackages}, r)
	}
	for k, gone := range removed.All() {
		all = o.addOwn(all, k.Config, removedFinding(gone, o.TrustChanges))
	}
	for _, p := range o.Base {
		if p.Renamed {
			f := CatalogRemoved.finding(p.Now.Pos(), fmt.Sprintf("catalog %s of the base is named %s now: they are compared", catalogName(p.Base), catalogName(p.Now)),
				"publish it under the new name, or restore the old one")
			f.Catalog, f.Cause, f.Severity = p.Now.Name, []string{p.Base.Name, p.Now.Name}, Warning
			f.Related = []Related{{Pos: p.Base.Pos(), Message: "where it was"}}
			all = o.addOwn(all, o.catalogConfig(p.Now.Name), f)
		}
	}
	return all
}

// addOwn adds a finding of a rule whose findings the engine reports itself, unless the rule does not run or the configuration disables it.
func (o *Options) addOwn(all []Finding, config *Config, f Finding) []Finding {
	f.Severity = config.severity(f)
	runs := slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.ID == f.Rule })
	if runs && f.Severity > Off && o.selects(&f) {
		all = append(all, f)
	}
	return all
}

func removedFinding(gone []compare.Removed, trusted bool) Finding {
	f := CatalogRemoved.finding(gone[0].Pos, "", "")
	if trusted || gone[0].WithPackages {
		f.Severity = Warning
	}
	n := len(gone)
	var names, versions []string
	for _, r := range gone {
		names = append(names, catalogName(r.Base))
		f.Faults = append(f.Faults, r.Base.Name)
		f.Details = append(f.Details, Related{Pos: r.Base.Pos(), Message: fmt.Sprintf("catalog %s was here", catalogName(r.Base))})
		if r.Base.OpenShift != "" {
			versions = append(versions, r.Base.OpenShift)
		}
	}
	f.Cause = OncePerPackage()
	if f.Catalog = gone[0].Base.Name; n == 1 {
		f.Related, f.Details = f.Details, nil
	}
	clusters := "clusters that have " + words.Plural(n, "it", "them")
	if len(versions) == n {
		clusters = "clusters of OpenShift " + words.And(versions)
	}
	f.Message = fmt.Sprintf("%s %s of the base %s no counterpart: %s keep %s operators, and never get another version", words.Plural(n, "catalog", "catalogs"),
		words.And(names), words.Plural(n, "has", "have"), clusters, words.Plural(n, "its", "their"))
	if gone[0].WithPackages {
		f.Message += "; its packages were removed from all other catalogs too"
	}
	f.Fix = fmt.Sprintf("restore %s; to retire %[1]s, let a reviewer accept the change with --trust-changes, or set the severity of %s in the %s of the base first",
		words.Plural(n, "it", "them"), f.Rule, ConfigName)
	return f
}

// catalogName names a catalog in a sentence.
func catalogName(c *catalogs.Catalog) string { return strconv.Quote(cmp.Or(c.Name, c.Pos().File)) }

// isAbout reports whether a finding is about a bundle, or names it.
func (f *Finding) isAbout(bundle string) bool {
	return slices.ContainsFunc(f.places(), func(s Subject) bool { return s.Bundle == bundle }) || slices.Contains(f.Faults, bundle) || slices.Contains(f.Cause, bundle)
}

// uncheckedFinding returns the finding about parts of the catalogs that were not checked, and that are the same in the base.
func uncheckedFinding(parts []Finding) Finding {
	f := UncheckedInBase.finding(parts[0].Pos, "this was not checked, and is the same in the base: "+parts[0].Message, parts[0].Fix)
	f.Catalog, f.Cause = parts[0].Catalog, OncePerPackage()
	if len(parts) > 1 {
		f.Message = fmt.Sprintf("%d parts of the catalogs were not checked, and are the same in the base; the first: %s", len(parts), parts[0].Message)
	}
	for i := range parts {
		f.Details = append(f.Details, Related{Pos: parts[i].Pos, Message: parts[i].Message})
	}
	return f
}

// knownFindings are the findings of the base of a catalog.
type knownFindings struct {
	pair      *compare.Pair
	had       faultCounts
	elsewhere map[Severity]faultCounts // in a package that is new in the catalog, at least as severe
	unread    faultCounts              // of rules that are always reported
	inChannel map[string]bool          // faults in some channel: see faultsInChannels
}

func newKnownFindings(pair *compare.Pair, old, moved []Finding) *knownFindings {
	k := &knownFindings{pair: pair, had: faultCounts{}, elsewhere: map[Severity]faultCounts{Info: {}, Warning: {}, Error: {}}, unread: faultCounts{}, inChannel: map[string]bool{}}
	for i := range old {
		switch f := &old[i]; {
		case f.Unchecked.AlwaysReported():
			k.unread[unreadKey(f, pair.Base)]++
		case f.Suppressed == "": // a finding that is no longer suppressed is new
			k.had.add(f)
			for _, fault := range f.faultsInChannels() {
				k.inChannel[fault] = true
			}
		}
	}
	for i := range moved {
		for severity, counts := range k.elsewhere {
			if moved[i].Suppressed == "" && moved[i].Severity >= severity {
				counts.add(&moved[i])
			}
		}
	}
	return k
}

// has reports whether the base has a finding that is not about what is always reported. Each of its findings answers for one. A channel that the
// base does not have repeats what the others have.
func (k *knownFindings) has(f *Finding) bool {
	return k.had.take(f) || k.elsewhere[f.Severity].take(f) || k.isRepeated(f)
}

// isRepeated reports whether a finding about a new channel has only faults that the base has in another channel.
func (k *knownFindings) isRepeated(f *Finding) bool {
	faults := f.faultsInChannels()
	if len(faults) == 0 || k.pair.Base == nil || k.pair.Base.Package(f.Package) == nil || k.pair.Base.Package(f.Package).Channel(f.Channel) != nil {
		return false
	}
	return !slices.ContainsFunc(faults, func(fault string) bool { return !k.inChannel[fault] })
}

// faultsInChannels identifies the faults of a finding about a channel, without the channel.
func (f *Finding) faultsInChannels() (all []string) {
	faults := f.Faults
	if len(faults) == 0 && f.Bundle != "" {
		faults = []string{f.Bundle}
	}
	for _, fault := range faults {
		if f.Channel != "" {
			all = append(all, fmt.Sprintf("%q %q %q", f.Rule, f.Package, fault))
		}
	}
	return all
}

// hasUnread reports whether the base has the finding about what was not read, and the same file.
func (k *knownFindings) hasUnread(f *Finding) bool {
	key := unreadKey(f, k.pair.Now)
	if k.pair.Base == nil || k.unread[key] == 0 || !compare.SameFile(k.pair.Now, f.Pos.File, k.pair.Base) {
		return false
	}
	k.unread[key]--
	return true
}

// unreadKey identifies a finding about what was not read.
func unreadKey(f *Finding, c *catalogs.Catalog) string {
	return f.Fingerprint() + "\x00" + c.SourcePath(f.Pos.File)
}

// isAdded reports whether a finding is about a bundle that the base does not have, in any of its catalogs. One whose faults are bundles, as those that
// OLM never upgrades, is about these.
func (k *knownFindings) isAdded(f *Finding) bool {
	now := k.pair.Now.Package(f.Package)
	if now == nil || len(f.Faults) > 0 && !slices.ContainsFunc(f.Faults, func(fault string) bool { return now.Bundle(fault) == nil }) {
		return false
	}
	return slices.ContainsFunc(f.places(), func(s Subject) bool {
		return s.Bundle != "" && now.Bundle(s.Bundle) != nil &&
			!slices.ContainsFunc(append(slices.Clone(k.pair.Elsewhere), k.pair.Base), func(c *catalogs.Catalog) bool {
				return c != nil && c.Package(f.Package) != nil && c.Package(f.Package).Bundle(s.Bundle) != nil
			})
	})
}

// sayNew says of a finding whose faults are bundles, of which the base has some, which are new.
func (k *knownFindings) sayNew(f *Finding) {
	now := k.pair.Now.Package(f.Package)
	var fresh []string
	for _, fault := range f.Faults {
		if now == nil || now.Bundle(fault) == nil {
			return
		}
		if k.had[f.fingerprint(fault)] == 0 {
			fresh = append(fresh, fault)
		}
	}
	if len(fresh) > 0 && len(fresh) < len(f.Faults) {
		f.Message += "; not so in the base: " + words.QuoteSome(fresh)
	}
}

// neededOfBase returns, by catalog, the rules with findings that the base may have too.
func neededOfBase(all []Finding) map[string]map[string]bool {
	needed := map[string]map[string]bool{}
	for i := range all {
		f := &all[i]
		if f.Suppressed != "" {
			continue
		}
		if needed[f.Catalog] == nil {
			needed[f.Catalog] = map[string]bool{}
		}
		needed[f.Catalog][f.Rule] = true
	}
	return needed
}

// publishedPackage returns the package of a unit as its base has it, if no finding is told that the base has too, suppressed or not; or else nil.
func (o *Options) publishedPackage(u unit, config *Config) *catalogs.Package {
	if !o.OnlyNew || u.basePkg == nil || len(config.Suppressions) > 0 || len(u.catalog.Ignores()) > 0 || len(u.base.Ignores()) > 0 {
		return nil
	}
	return u.basePkg
}

// publishedFindings returns the findings of the needed rules in the packages of a base that have changed since, and in the packages
// that are only elsewhere.
func (o *Options) publishedFindings(ctx context.Context, pair *compare.Pair, needed map[string]bool) (old, elsewhere []Finding, err error) {
	if len(needed) == 0 {
		return nil, nil, nil
	}
	if pair.Base != nil {
		if old, err = o.baseFindings(ctx, pair, needed); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range pair.Elsewhere {
		found, err := o.baseFindings(ctx, &compare.Pair{Now: pair.Now, Base: c, Changed: c.PackageNames()}, needed)
		if err != nil {
			return nil, nil, err
		}
		elsewhere = append(elsewhere, slices.DeleteFunc(found, func(f Finding) bool { return f.Package == "" })...)
	}
	return old, elsewhere, nil
}

// nestedOptions returns the options of a run within this one, whose findings are not reported as such.
func (o *Options) nestedOptions() Options {
	n := *o
	n.MinSeverity, n.OnlyNew, n.ForReport, n.Baseline, n.Record, n.Removed, n.Linted = Off, false, false, nil, nil, nil, nil
	return n
}

// baseFindings returns the findings of the needed rules in the packages of a base that have changed since.
func (o *Options) baseFindings(ctx context.Context, pair *compare.Pair, needed map[string]bool) ([]Finding, error) {
	base := o.nestedOptions()
	base.needed, base.same, base.TrustChanges, base.Changed = needed, o.sameOld, true, nil
	base.Config, base.ConfigOf = o.catalogConfig(pair.Now.Name), nil
	unlinted := &catalogs.Catalog{Templates: pair.Now.Templates} // from which all differs but the templates
	base.Base = []compare.Pair{{Now: pair.Base, Base: unlinted, Changed: pair.Changed}}
	base.Rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return r.NeedsBase })
	return Run(ctx, []*catalogs.Catalog{pair.Base}, base)
}

// manifestCaches keeps what is known of the manifests of packages, for those of the same name in the base.
type manifestCaches struct {
	mutex sync.Mutex
	free  map[string][]*judge.Cache // by the name of the package
	bytes int                       // of JSON in them, as it is kept
	once  bool                      // the packages of a name are linted one after the other, and not again
}

// drop forgets what is known of the package of a unit, if it is not linted again.
func (c *manifestCaches) drop(u unit) {
	if c == nil || !c.once || u.pkg == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, known := range c.free[u.pkg.Name.Value] {
		c.bytes -= known.Bytes()
	}
	delete(c.free, u.pkg.Name.Value)
}

func newManifestCaches() *manifestCaches {
	return &manifestCaches{free: map[string][]*judge.Cache{}}
}

// maxCached bounds how many bytes of JSON are kept, some of them compressed.
const maxCached = 64 << 20

// take returns a cache for the package of a unit, nil if there is none.
func (c *manifestCaches) take(u unit) *judge.Cache {
	if c == nil || u.pkg == nil {
		return nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	name := u.pkg.Name.Value
	last := len(c.free[name]) - 1
	if last < 0 {
		return &judge.Cache{}
	}
	taken := c.free[name][last]
	c.free[name] = c.free[name][:last]
	c.bytes -= taken.Bytes()
	return taken
}

// giveBack keeps a cache that was taken, unless there are too many bytes.
func (c *manifestCaches) giveBack(u unit, taken *judge.Cache) {
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

// IsPublished reports whether the base has a bundle of that name.
func (p *Pass) IsPublished(bundle string) bool {
	return p.BasePackage != nil && p.BasePackage.Bundle(bundle) != nil
}

// IsSubmitted reports whether a bundle is in a folder that the base does not have: the pipelines judge those.
func (p *Pass) IsSubmitted(b *catalogs.Bundle) bool {
	if p.BaseCatalog == nil || !isSubmitted(p.Catalog) || p.IsPublished(b.Name.Value) {
		return false
	}
	return p.Catalog.Form != catalogs.Repository || compare.IsNewFile(p.Catalog, b.Folder.Pos.File, p.BaseCatalog)
}

// IntroducedFindings returns what opm rejects, and what the rules on templates and upgrade graphs find, in a catalog and not in what it was before: from
// warnings on, the most severe first.
func (p *Pass) IntroducedFindings(now, before *catalogs.Catalog) ([]Finding, error) {
	o := p.options.nestedOptions()
	o.Rules = slices.DeleteFunc(slices.Clone(o.allRules()), func(r Rule) bool {
		judges := r.Part == UpgradeGraph || r.Part == Templates || r.Part == Objects && r.Gates&GateOPM != 0
		return r.Expands || !judges
	})
	o.Config, o.ConfigOf, o.Base = p.Config, nil, []compare.Pair{{Now: now, Base: before}}
	for _, pkg := range now.Packages {
		o.Base[0].Changed = append(o.Base[0].Changed, pkg.Name.Value)
	}
	o.OnlyNew, o.MinSeverity, o.Gates, o.Packages, o.Progress, o.ForgetCatalogs, o.needed, o.same = true, Warning, 0, nil, nil, false, nil, nil
	found, err := Run(p.Context(), []*catalogs.Catalog{now}, o)
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return found, err
}

// infoIfPublished returns up to which severity a finding is an Info, because it is about bundles that nobody may change any more: those of a repository
// that are all in the base, unless only what is new is asked for and a cluster rejects what the change edits; and in a catalog, and in a repository without
// a base, those that newer ones have replaced, whose users have upgraded unless something rejects it.
func (p *Pass) infoIfPublished(f *Finding) Severity {
	switch repository := p.Catalog.Form == catalogs.Repository; {
	case p.Package == nil || p.Rule.InfoIfPublished == Off:
	case repository && p.BaseCatalog != nil && f.allBundles(p.isPublished):
		if p.options.OnlyNew && f.Gates&(GateOLMv0|GateAPIServer) != 0 && !compare.SameFile(p.Catalog, f.Pos.File, p.BaseCatalog) {
			return Off
		}
		return p.Rule.InfoIfPublished
	case p.Rule.Part != UpgradeGraph && f.allBundles(func(name string) bool {
		return p.isReplaced(name) && (p.BaseCatalog == nil || !repository && p.IsPublished(name))
	}):
		return Warning
	}
	return Off
}

// allBundles reports whether all bundles of a finding are as wanted.
func (f *Finding) allBundles(wanted func(string) bool) bool {
	return wanted(f.Bundle) && !slices.ContainsFunc(f.Also, func(o Occurrence) bool { return o.Bundle != "" && !wanted(o.Bundle) })
}

// isPublished reports whether the base has a bundle, in a folder of its own if both have folders.
func (p *Pass) isPublished(name string) bool {
	b := p.Package.Bundle(name)
	return b != nil && p.IsPublished(name) && !p.IsSubmitted(b)
}

// isReplaced reports whether a bundle is in a channel, and the head of none.
func (p *Pass) isReplaced(name string) bool {
	listed := false
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		i, in := g.Index(name)
		if heads := g.Heads(); in && (len(heads) == 0 || slices.Contains(heads, i)) {
			return false
		}
		listed = listed || in
	}
	return listed
}

// markSubmitted notes whether the bundle of a finding about its contents is submitted, or published already, as all of a repository are without
// a base.
func (p *Pass) markSubmitted(f *Finding) {
	f.infoUpTo = p.infoIfPublished(f)
	switch {
	case p.Package == nil || f.Gates&GatePipelines == 0 || !p.Rule.ReadsManifests():
		return
	case p.BaseCatalog == nil:
		f.unbased = p.Catalog.Form == catalogs.Repository && f.Bundle != ""
		if f.published = f.unbased; f.published && f.Fix != "" {
			f.Fix = "for the next release: " + f.Fix
		}
		return
	}
	if b := p.Package.Bundle(f.Bundle); b != nil {
		f.submitted = p.IsSubmitted(b)
		f.published = !f.submitted && (isSubmitted(p.Catalog) || p.IsPublished(b.Name.Value))
	}
}
