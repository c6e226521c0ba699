package lint

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/olmgraph/olmgraph/catalogs"
)

// ParseRule is reported whatever is selected: what could not be read was not judged.
const ParseRule = "catalog/parse"

// Options say what to look for, and in what.
type Options struct {
	Rules       []Rule   // those to run
	Gates       Gates    // only findings that one of these minds; 0: all
	MinSeverity Severity // only findings at least this bad
	Packages    []string // only these; none: all
	Channels    []string // only findings about these, or about no channel; none: all
	Config      *Config
	Base        []catalogs.Pair // what catalogs are compared with: then only packages that differ are judged
	New         bool            // only what a catalog with a base has, and its base has not
	Baseline    *Baseline       // findings that are accepted; nil: none
	Today       string          // the day on which suppressions expire, as 2027-01-31; "": never
}

// Run calls the rules on the catalogs and returns the findings in the order of the catalogs, then by package and
// place. The same input gives the same slice. Catalogs that wait to be read (catalogs.Options.Later) are read some at a time and
// forgotten again, so that many take no more memory than a few. It ends early only if ctx does, or where one cannot be read.
func Run(ctx context.Context, cats []*catalogs.Catalog, o Options) ([]Finding, error) {
	if o.Config == nil {
		o.Config = &Config{}
	}
	s := newSuppressor(&o)
	var all []Finding
	for len(cats) > 0 {
		n, read, err := o.readSome(ctx, cats)
		if err != nil {
			return nil, err
		}
		found, err := o.judge(ctx, cats[:n], s)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		for _, c := range read {
			c.Forget()
		}
		cats = cats[n:]
	}
	if o.Baseline != nil {
		o.Baseline.Accept(all)
	}
	return append(all, s.wrong()...), nil
}

// together is how many bytes of catalogs that wait to be read are judged at the same time: work for all processors.
const together = 16 << 20

// readSome reads those of the first n catalogs that wait, where n is as many as are judged at the same time: all of them where
// they belong together.
func (o *Options) readSome(ctx context.Context, cats []*catalogs.Catalog) (n int, read []*catalogs.Catalog, err error) {
	bytes := int64(0)
	for n, c := range cats {
		if bytes > together && !o.Config.Complete {
			return n, read, nil
		}
		if !c.Waits() {
			continue
		}
		if err := c.Read(ctx); err != nil {
			return 0, nil, err
		}
		read = append(read, c)
		bytes += c.Stats.Bytes
	}
	return len(cats), read, nil
}

// judge calls the rules on catalogs at the same time.
func (o *Options) judge(ctx context.Context, cats []*catalogs.Catalog, s *suppressor) ([]Finding, error) {
	var units []unit
	for _, c := range cats {
		units = append(units, o.units(c)...)
	}
	results := make([][]Finding, len(units))
	m := &markets{ctx: ctx, catalogs: cats, complete: o.Config.Complete}
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
	s.readComments(cats)
	s.mark(all)
	return o.fresh(ctx, cats, all)
}

// units are a catalog as a whole, and the packages of it that are to be judged.
func (o *Options) units(c *catalogs.Catalog) []unit {
	pair := o.pair(c)
	whole := unit{catalog: c}
	if pair != nil {
		whole.base, whole.changed = pair.Base, pair.Changed
	}
	units := []unit{whole}
	for _, p := range c.Packages {
		u := unit{catalog: c, pkg: p, base: whole.base}
		if name := p.Name.Value; !o.wants(name) || pair != nil && !slices.Contains(pair.Changed, name) {
			continue
		}
		if pair != nil {
			u.basePkg = pair.Base.Package(p.Name.Value)
		}
		units = append(units, u)
	}
	return units
}

func (o *Options) wants(pkg string) bool {
	return len(o.Packages) == 0 || slices.Contains(o.Packages, pkg)
}

func (o *Options) keeps(f *Finding) bool {
	if f.Rule == ParseRule {
		return true
	}
	return (o.Gates == 0 || f.Gates&o.Gates != 0) &&
		f.Severity >= o.MinSeverity &&
		(f.Package == "" || o.wants(f.Package)) &&
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

func (u unit) run(ctx context.Context, o *Options, m *markets) []Finding {
	var kept []Finding
	var shared facts
	for i := range o.Rules {
		r := &o.Rules[i]
		if ctx.Err() != nil {
			return nil
		}
		if !r.applies(u.catalog) || r.spares(o.Gates) || r.Compares && !u.compares(r) {
			continue
		}
		if r.Scope == PerRun || r.Scope != PerBoth && (r.Scope == PerCatalog) != (u.pkg == nil) {
			continue
		}
		pass := &Pass{Catalog: u.catalog, Package: u.pkg, Config: o.Config, BaseCatalog: u.base, Base: u.basePkg, changed: u.changed,
			rule: r, facts: &shared, markets: m}
		r.Check(pass)
		for _, f := range pass.findings {
			f.Severity = o.Config.severity(f)
			if minds := f.Gates & o.Gates; minds != 0 && minds&^f.Mild == 0 {
				f.Severity = min(f.Severity, Warning)
			}
			if f.Severity > Off && o.keeps(&f) && u.concerns(&f) {
				kept = append(kept, f)
			}
		}
	}
	for _, f := range shared.unread {
		f.Catalog = u.catalog.Name
		kept = append(kept, f)
	}
	return kept
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
