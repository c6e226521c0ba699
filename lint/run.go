// Package lint runs rules on catalogs and returns their findings. Rules declare what they check (Rule) and report through a Pass.
// The package also has the configuration, suppressions, baselines, fingerprints and fixes; the rules themselves are in
// lint/rules.
package lint

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// appliesTo reports whether the rule applies to the form of a catalog. The rules on file-based catalogs do not apply to
// manifests, nor the other way round.
func (r *Rule) appliesTo(c *catalogs.Catalog) bool {
	manifests := isSubmitted(c)
	listed := c.Form == catalogs.ListBundles || c.Edgeless() // served to OLM: not a source that opm reads
	switch r.Part {
	case Objects:
		return !manifests && !listed || r.Unchecked != 0
	case Folders:
		return manifests
	case Pipelines:
		return c.Form == catalogs.Repository
	case Templates:
		return c.Template != nil || c.Form == catalogs.Repository || c.Templates != nil
	case Versions, judgement:
		return true
	}
	return !c.Edgeless()
}

// Options select the rules to run and the findings to report.
type Options struct {
	Rules          []Rule   // to run
	AllRules       []Rule   // that suppressions may name, and that check the result of fixes; nil: Rules
	Gates          Gates    // only findings with one of these gates; 0: all
	MinSeverity    Severity // only findings of at least this severity
	Packages       []string // only these; if empty, all
	Channels       []string // only findings about these or no channel; if empty, all
	Config         *Config
	ConfigOf       func(catalog string) *Config // the configuration of a catalog, by its name; nil: Config for all
	Base           []compare.Pair               // catalogs with their bases: only packages that differ are linted
	Removed        []compare.Removed            // catalogs of the base without a counterpart
	OnlyNew        bool                         // only findings that the base does not have
	ForReport      bool                         // in the order of a report; what several catalogs, or several CRDs in an upgrade, have alike is one finding
	Record         func([]Finding) error        // writes a baseline of findings, and marks them as accepted; may be nil
	TrustChanges   bool                         // comments that the base does not have count
	Changed        []catalogs.Pos               // files that decide how catalogs are judged, and that count as the base has them
	Baseline       *Baseline                    // accepted findings; may be nil
	Dependencies   *DependencyIndex             // for rules that need that of exactly its catalogs; nil: each is built
	ForgetCatalogs bool                         // free each catalog after it was linted: see catalogs.Catalog.Forget
	Progress       func(done, total int)        // is called after each package, one call at a time, with how many are linted, of those known so far
	Today          string                       // the current date, for example 2027-01-31, to expire suppressions; "": they do not expire
	// Linted is called after the rules of each package, several calls at a time, with what they read of it.
	Linted func(*catalogs.Catalog, *catalogs.Package, *judge.Package)

	counter *counter        // set by NewLinter
	results *judge.Results  // set by NewLinter
	caches  *manifestCaches // of packages that are linted several times; may be nil
	same    *samePackages   // set by NewLinter
	sameOld *samePackages   // same of the bases
	needed  map[string]bool // IDs of the rules whose findings are needed; nil: all
}

// catalogConfig returns the configuration of a catalog: Config if that has none of its own, as one of the base alone.
func (o *Options) catalogConfig(catalog string) *Config {
	if o.ConfigOf != nil {
		if config := o.ConfigOf(catalog); config != nil {
			return config
		}
	}
	return o.Config
}

// allRules returns AllRules, by default Rules.
func (o *Options) allRules() []Rule {
	if o.AllRules == nil {
		return o.Rules
	}
	return o.AllRules
}

// Run lints catalogs and returns the findings in the order of Linter.Finish.
func Run(ctx context.Context, cats []*catalogs.Catalog, o Options) ([]Finding, error) {
	l := NewLinter(o)
	if err := l.Add(ctx, cats...); err != nil {
		return nil, err
	}
	return l.Finish(ctx)
}

// Linter lints catalogs, which can be added one by one. Its methods return an error only if the context is done, or that of Options.Record.
type Linter struct {
	options    *Options
	suppressor *suppressor
	pending    []*catalogs.Catalog // to be linted together
	bytes      int64               // of pending
	findings   []Finding
	names      []string // of all catalogs

	versions, baseVersions seriesOfCatalogs
	changed                map[string]bool // packages that differ from the base in some catalog
}

// counter counts the packages that are linted, and reports them to Options.Progress.
type counter struct {
	report      func(done, total int)
	mutex       sync.Mutex
	done, total int
}

// add adds packages that are linted, and packages that are to be.
func (c *counter) add(done, more int) {
	if c.report == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.done, c.total = c.done+done, c.total+more
	c.report(c.done, c.total)
}

// NewLinter returns a Linter without catalogs.
func NewLinter(o Options) *Linter {
	if o.Config == nil {
		o.Config = &Config{}
	}
	o.counter = &counter{report: o.Progress}
	if o.results == nil {
		o.results = &judge.Results{}
	}
	if o.same == nil {
		o.same, o.sameOld = &samePackages{}, &samePackages{}
	}
	if o.OnlyNew || len(o.Base) > 1 {
		o.caches = newManifestCaches()
	}
	return &Linter{options: &o, suppressor: newSuppressor(&o), versions: seriesOfCatalogs{}, baseVersions: seriesOfCatalogs{}, changed: map[string]bool{}}
}

// batchBytes is the size of the catalogs that are linted concurrently with Options.ForgetCatalogs, enough to use all processors.
const batchBytes = 16 << 20

// Add adds catalogs. With Options.ForgetCatalogs, they are linted and forgotten in batches.
func (l *Linter) Add(ctx context.Context, cats ...*catalogs.Catalog) error {
	for _, c := range cats {
		if (c.Supply != nil || c.Form == catalogs.Repository) && l.options.caches == nil { // other catalogs have the same manifests
			l.options.caches = newManifestCaches()
			l.options.caches.once = true
		}
		l.pending, l.names = append(l.pending, c), append(l.names, c.Name)
		if c.Supply == nil && c.Form != catalogs.Repository {
			l.bytes += c.Stats.Bytes
		}
		if l.options.ForgetCatalogs && l.bytes > batchBytes {
			if err := l.lintPending(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish lints the remaining catalogs and returns all findings as the stages leave them: by catalog in the order they were added, or in the order of a
// report. The same catalogs give the same findings.
func (l *Linter) Finish(ctx context.Context) ([]Finding, error) {
	if err := l.lintPending(ctx); err != nil {
		return nil, err
	}
	_, whole := l.stages()
	all, err := pass(ctx, whole, nil, l.findings)
	l.findings, l.suppressor = nil, nil
	return all, err
}

// lintPending lints the pending catalogs, and forgets them with Options.ForgetCatalogs.
func (l *Linter) lintPending(ctx context.Context) error {
	cats := l.pending
	together, _ := l.stages()
	found, err := pass(ctx, together, cats, nil)
	if err != nil {
		return err
	}
	l.rememberVersions(cats)
	l.findings, l.pending, l.bytes = append(l.findings, found...), nil, 0
	if l.options.ForgetCatalogs {
		for _, c := range cats {
			c.Forget()
		}
	}
	return nil
}

// runRulesOn lints catalogs concurrently.
func (o *Options) runRulesOn(ctx context.Context, cats []*catalogs.Catalog) ([]Finding, error) {
	var units []unit
	for _, c := range cats {
		units = append(units, o.units(c)...)
	}
	results := make([][]Finding, len(units))
	indexes := &dependencyIndexes{ctx: ctx, catalogs: cats, complete: o.Config.Complete, known: o.Dependencies}
	packages := len(units) - len(cats)
	if o.counter != nil {
		o.counter.add(0, packages)
	}
	jobs := o.jobs(units)
	parallel.Each(len(jobs), func(job int) {
		for _, i := range jobs[job] {
			units[i].goroutines = max(1, runtime.GOMAXPROCS(0)/max(1, len(jobs)-len(cats)))
			results[i] = units[i].run(ctx, o, indexes)
			units[i].countSeen()
			if o.counter != nil && units[i].pkg != nil {
				o.counter.add(1, 0)
			}
		}
		o.caches.drop(units[jobs[job][0]])
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []Finding
	for i, c := 0, 0; c < len(cats); c++ {
		first := len(all)
		cats[c].Stats.Seen, cats[c].Stats.Unseen = 0, 0
		registries := map[string]bool{}
		for ; i < len(units) && units[i].catalog == cats[c]; i++ {
			cats[c].Stats.Seen, cats[c].Stats.Unseen = cats[c].Stats.Seen+units[i].seen, cats[c].Stats.Unseen+units[i].unseen
			maps.Copy(registries, units[i].registries)
			all = append(all, results[i]...)
		}
		cats[c].UnseenIn = slices.Sorted(maps.Keys(registries))
		slices.SortStableFunc(all[first:], compareFindings)
	}
	return all, nil
}

// jobs returns the indexes of units to run one after the other: those of packages of the same name, if what is known of one is kept for
// the next, and each of the others.
func (o *Options) jobs(units []unit) [][]int {
	var all [][]int
	named := map[string]int{}
	for i, u := range units {
		if u.pkg == nil || o.caches == nil {
			all = append(all, []int{i})
			continue
		}
		job, ok := named[u.pkg.Name.Value]
		if !ok {
			job = len(all)
			named[u.pkg.Name.Value] = job
			all = append(all, nil)
		}
		all[job] = append(all[job], i)
	}
	return all
}

// units returns the units of a catalog: the catalog as a whole and each selected package.
func (o *Options) units(c *catalogs.Catalog) []unit {
	pair := o.basePair(c)
	whole := unit{catalog: c}
	if pair != nil {
		whole.base, whole.changed = pair.Base, pair.Changed
	}
	units := []unit{whole}
	for _, p := range c.Packages {
		u := unit{catalog: c, pkg: p, base: whole.base}
		if name := p.Name.Value; !o.selectsPackage(name) || pair != nil && !slices.Contains(pair.Changed, name) {
			continue
		}
		if pair != nil {
			u.basePkg = pair.Base.Package(p.Name.Value)
		}
		units = append(units, u)
	}
	return units
}

func (o *Options) selectsPackage(pkg string) bool {
	return len(o.Packages) == 0 || slices.Contains(o.Packages, pkg)
}

// selects reports whether a finding is to be reported.
func (o *Options) selects(f *Finding) bool {
	if f.Unchecked.AlwaysReported() {
		return true
	}
	return (o.Gates == 0 || f.Gates&o.Gates != 0) &&
		f.Severity >= o.MinSeverity &&
		(f.Package == "" || o.selectsPackage(f.Package)) &&
		(f.Channel == "" || len(o.Channels) == 0 || slices.Contains(o.Channels, f.Channel))
}

// unit is what is linted at once: a catalog as a whole, or one package of it.
type unit struct {
	catalog *catalogs.Catalog
	pkg     *catalogs.Package
	base    *catalogs.Catalog // or nil
	basePkg *catalogs.Package // or nil
	changed []string          // the packages that differ from base

	goroutines   int             // for the checks of CRDs: see judge.Options
	seen, unseen int             // bundles with and without manifests
	registries   map[string]bool // of the images of those without
}

// countSeen counts the bundles of the package with and without manifests.
func (u *unit) countSeen() {
	if u.pkg == nil {
		return
	}
	u.registries = map[string]bool{}
	for _, b := range u.pkg.Bundles {
		if b.HasManifests() {
			u.seen++
		} else {
			u.unseen++
			if r := catalogs.ImageRegistry(b.Image.Value); r != "" {
				u.registries[r] = true
			}
		}
	}
}

func (u unit) run(ctx context.Context, o *Options, indexes *dependencyIndexes) []Finding {
	var kept []Finding
	var asked judge.Checks
	rules := u.rulesToRun(o)
	for _, r := range rules {
		if o.needsRule(r) {
			asked |= r.Asks
		}
	}
	config := o.catalogConfig(u.catalog.Name)
	same := o.same.find(u, config)
	same.mutex.Lock()
	defer same.mutex.Unlock()
	known := o.caches.take(u)
	defer o.caches.giveBack(u, known)
	values := newCache(u, config, asked, known, o.publishedPackage(u, config), indexes, o.results)
	for _, r := range rules {
		if ctx.Err() != nil {
			return nil
		}
		if !o.needsRule(r) {
			continue
		}
		pass := &Pass{Catalog: u.catalog, Package: u.pkg, Config: config, BaseCatalog: u.base, BasePackage: u.basePkg, ChangedPackages: u.changed,
			Rule: r, running: rules, options: o, cache: values, indexes: indexes}
		for _, f := range same.ruleFindings(pass) {
			pass.markSubmitted(&f)
			u.setSeverity(o, config, r, &f)
			if f.Severity > Off && o.selects(&f) && u.concernsChange(&f) {
				kept = append(kept, f)
			}
		}
	}
	for _, f := range append(values.unreadable, values.unreadManifests()...) {
		f.Catalog = u.catalog.Name
		kept = append(kept, f)
	}
	if o.Linted != nil && u.pkg != nil && ctx.Err() == nil {
		o.Linted(u.catalog, u.pkg, values.judge)
	}
	return kept
}

// setSeverity sets the severity of a finding from that of its rule: what users of the OLM that they have meet of it, whether its bundle is published,
// what the configuration says, and which gates are requested.
func (u *unit) setSeverity(o *Options, config *Config, r *Rule, f *Finding) {
	f.Severity = config.severityForUsers(f, u.catalog, config.openShift(u.catalog), o.Gates)
	if f.Severity <= f.infoUpTo {
		f.Severity = min(f.Severity, Info)
	}
	f.Severity = config.severity(*f)
	if r.NeedsBase && u.basePkg != nil && u.basePkg.Assumed {
		f.Severity = min(f.Severity, Warning)
	}
	f.submitted = f.submitted && f.Severity == Error
	if requested := f.Gates & o.Gates; requested != 0 && requested&^f.WarningGates == 0 {
		f.Severity = min(f.Severity, Warning)
	}
}

// needsRule reports whether the findings of a rule are needed.
func (o *Options) needsRule(r *Rule) bool { return o.needed == nil || o.needed[r.ID] }

// rulesToRun returns the rules that apply to u.
func (u unit) rulesToRun(o *Options) []*Rule {
	var all []*Rule
	for i := range o.Rules {
		r := &o.Rules[i]
		if !r.appliesTo(u.catalog) || r.SkippedFor(o.Gates) || r.NeedsBase && !u.hasBaseFor(r) {
			continue
		}
		if r.Scope >= AcrossVersions || r.Scope != PerCatalogAndPackage && (r.Scope == PerCatalog) != (u.pkg == nil) {
			continue
		}
		all = append(all, r)
	}
	return all
}

// RulesRun returns the rules that run on at least one of the catalogs, and that its configuration does not disable, without those that
// always run.
func (o *Options) RulesRun(cats []*catalogs.Catalog) []*Rule {
	var all []*Rule
	for i := range o.Rules {
		r := &o.Rules[i]
		if r.Scope == AcrossVersions && !severalVersions(cats) {
			continue
		}
		if r.Scope != ReportedByRun && !r.Unchecked.AlwaysReported() && !r.SkippedFor(o.Gates) && slices.ContainsFunc(cats, func(c *catalogs.Catalog) bool {
			return r.appliesTo(c) && (!r.NeedsBase || o.basePair(c) != nil) && !o.catalogConfig(c.Name).disables(r)
		}) {
			all = append(all, r)
		}
	}
	return all
}
