package lint

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
)

// FormatLimitRule tells what the form of a catalog leaves out.
const FormatLimitRule = "catalog/form"

// appliesTo reports whether a rule is about a catalog of that form. What makes opm refuse a file-based catalog says nothing about
// manifests, and the other way round.
func (r *Rule) appliesTo(c *catalogs.Catalog) bool {
	manifests := c.Form == catalogs.PackageManifests || c.Form == catalogs.BundleFolder || c.Form == catalogs.Repository ||
		c.Form == catalogs.ConfigMap
	listed := c.Form == catalogs.ListBundles || c.Edgeless() // OLM was served it, so that it is no source that opm reads
	switch r.Family() {
	case "catalog":
		return !manifests && !listed || AlwaysReported(r.ID) || r.ID == FormatLimitRule
	case "manifest":
		return manifests || c.Attached > 0
	case "version", "config":
		return true
	}
	return !c.Edgeless()
}

// ParseRule is reported whatever is selected: what could not be read was not judged.
const ParseRule = "catalog/parse"

// NoPackageRule is reported whatever is selected: nothing was judged, or not all of it.
const NoPackageRule = "catalog/no-package"

// AlwaysReported reports whether the findings of a rule say that something was not judged: they are errors that nothing switches off,
// hides or suppresses.
func AlwaysReported(rule string) bool { return rule == ParseRule || rule == NoPackageRule }

// Options say what to look for, and in what.
type Options struct {
	Rules       []Rule   // those to run
	Known       []Rule   // all that suppressions may name, and that files with fixes are checked with; nil: Rules
	Gates       Gates    // only findings that one of these minds; 0: all
	MinSeverity Severity // only findings at least this bad
	Packages    []string // only these; none: all
	Channels    []string // only findings about these, or about no channel; none: all
	Config      *Config
	Base        []catalogs.Pair // what catalogs are compared with: then only packages that differ are judged
	OnlyNew     bool            // only what a catalog with a base has, and its base has not
	Baseline    *Baseline       // findings that are accepted; nil: none
	Release     bool            // catalogs, once they are judged: see Catalog.Forget
	Today       string          // the day on which suppressions expire, as 2027-01-31; "": never
}

func (o *Options) known() []Rule {
	if o.Known == nil {
		return o.Rules
	}
	return o.Known
}

// Run calls the rules on catalogs and returns the findings: see Inspection.
func Run(ctx context.Context, cats []*catalogs.Catalog, o Options) ([]Finding, error) {
	i := Inspect(o)
	if err := i.Add(ctx, cats...); err != nil {
		return nil, err
	}
	return i.End(ctx)
}

// Inspection calls the rules on catalogs, which may come one after the other. It ends early only if the context does, or where
// a catalog that waits to be read (catalogs.Options.Later) cannot be.
type Inspection struct {
	options    *Options
	suppressor *suppressor
	pending    []*catalogs.Catalog // that are to be judged together
	bytes      int64               // of these
	findings   []Finding
}

// Inspect begins one.
func Inspect(o Options) *Inspection {
	if o.Config == nil {
		o.Config = &Config{}
	}
	return &Inspection{options: &o, suppressor: newSuppressor(&o)}
}

// batchBytes is how many bytes of catalogs are judged at the same time where they are forgotten: work for all processors.
const batchBytes = 16 << 20

// Add takes the next catalogs. With Options.Forget they are judged, and forgotten, as soon as there is enough to do.
func (i *Inspection) Add(ctx context.Context, cats ...*catalogs.Catalog) error {
	for _, c := range cats {
		if err := c.Read(ctx); err != nil {
			return err
		}
		i.pending = append(i.pending, c)
		i.bytes += c.Stats.Bytes
		if i.options.Release && i.bytes > batchBytes {
			if err := i.checkPending(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// End judges what is left, and returns the findings in the order of the catalogs, then by package and place. The same catalogs
// give the same slice.
func (i *Inspection) End(ctx context.Context) ([]Finding, error) {
	if err := i.checkPending(ctx); err != nil {
		return nil, err
	}
	if i.options.Baseline != nil {
		i.options.Baseline.Accept(i.findings)
	}
	return append(i.findings, i.suppressor.ownFindings()...), nil
}

// checkPending judges what is held, and forgets it if it may.
func (i *Inspection) checkPending(ctx context.Context) error {
	cats := i.pending
	found, err := i.options.findings(ctx, cats)
	if err != nil {
		return err
	}
	i.suppressor.readComments(cats)
	i.suppressor.mark(found)
	if found, err = i.options.newFindings(ctx, cats, found); err != nil {
		return err
	}
	i.findings, i.pending, i.bytes = append(i.findings, found...), nil, 0
	if i.options.Release {
		for _, c := range cats {
			c.Forget()
		}
	}
	return nil
}

// findings calls the rules on catalogs at the same time.
func (o *Options) findings(ctx context.Context, cats []*catalogs.Catalog) ([]Finding, error) {
	var units []unit
	for _, c := range cats {
		units = append(units, o.units(c)...)
	}
	results := make([][]Finding, len(units))
	m := &dependencyIndexes{Ctx: ctx, catalogs: cats, complete: o.Config.Complete}
	inParallel(len(units), func(i int) {
		results[i] = units[i].run(ctx, o, m)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []Finding
	for i, c := 0, 0; c < len(cats); c++ {
		first := len(all)
		for ; i < len(units) && units[i].catalog == cats[c]; i++ {
			all = append(all, results[i]...)
		}
		slices.SortStableFunc(all[first:], compareFindings)
	}
	return all, nil
}

// units are a catalog as a whole, and the packages of it that are to be judged.
func (o *Options) units(c *catalogs.Catalog) []unit {
	pair := o.pairOf(c)
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

func (o *Options) selects(f *Finding) bool {
	if AlwaysReported(f.Rule) {
		return true
	}
	return (o.Gates == 0 || f.Gates&o.Gates != 0) &&
		f.Severity >= o.MinSeverity &&
		(f.Package == "" || o.selectsPackage(f.Package)) &&
		(f.Channel == "" || len(o.Channels) == 0 || slices.Contains(o.Channels, f.Channel))
}

// unit is a catalog as a whole, or one package of it.
type unit struct {
	catalog *catalogs.Catalog
	pkg     *catalogs.Package
	base    *catalogs.Catalog // or nil
	basePkg *catalogs.Package // or nil
	changed []string          // of a catalog that has a base, the packages that differ
}

func (u unit) run(ctx context.Context, o *Options, m *dependencyIndexes) []Finding {
	var kept []Finding
	var asked preflight.Checks
	called := u.rulesToRun(o)
	for _, r := range called {
		asked |= r.Asks
	}
	shared := newFacts(u, o.Config, asked)
	for _, r := range called {
		if ctx.Err() != nil {
			return nil
		}
		pass := &Pass{Catalog: u.catalog, Package: u.pkg, Config: o.Config, BaseCatalog: u.base, Base: u.basePkg, Changed: u.changed,
			Rule: r, cache: shared, Indexes: m}
		r.Check(pass)
		for _, f := range pass.findings {
			f.Severity = o.Config.severityForOLMs(&f, pass.OpenShift(), o.Gates)
			f.Severity = o.Config.severity(f)
			if minds := f.Gates & o.Gates; minds != 0 && minds&^f.Harmless == 0 {
				f.Severity = min(f.Severity, Warning)
			}
			if f.Severity > Off && o.selects(&f) && u.changedBy(&f) {
				kept = append(kept, f)
			}
		}
	}
	for _, f := range append(shared.unreadable, shared.unreadManifests()...) {
		f.Catalog = u.catalog.Name
		kept = append(kept, f)
	}
	return kept
}

// rulesToRun are the rules that are called for u.
func (u unit) rulesToRun(o *Options) []*Rule {
	var all []*Rule
	for i := range o.Rules {
		r := &o.Rules[i]
		if !r.appliesTo(u.catalog) || r.SkippedFor(o.Gates) || r.NeedsBase && !u.hasBaseFor(r) {
			continue
		}
		if r.Scope == PerRun || r.Scope != PerBoth && (r.Scope == PerCatalog) != (u.pkg == nil) {
			continue
		}
		all = append(all, r)
	}
	return all
}

// inParallel calls do for 0 to n-1 on as many goroutines as there are processors.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
