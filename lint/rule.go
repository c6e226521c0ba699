package lint

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
)

// Scope determines how often Check of a rule is called.
type Scope int

const (
	PerPackage           Scope = iota // once for each package of each catalog
	PerCatalog                        // once for each catalog
	PerCatalogAndPackage              // once for each catalog, with no Package, and once for each package
	ReportedByRun                     // never: the engine reports the findings
)

// Rule checks a catalog for one kind of problem.
type Rule struct {
	ID         string   // "graph/multiple-heads": family/name
	Severity   Severity // default of its findings
	Gates      Gates    // default of its findings
	OtherGates Gates    // other gates that its findings can have
	Doc        string   // title in the first line, effect on a cluster, fix
	Reference  string   // source in OLM, opm or Kubernetes
	Scope      Scope
	EditsLast  bool // its edits depend on the result of other edits: they are applied when no others are left
	HasEdits   bool // some of its findings have Edits
	NeedsBase  bool // it is called only if there is a base: see Pass
	Check      func(*Pass)

	Asks preflight.Checks // the results that Check needs from Preflight
}

// Title returns the first line of Doc.
func (r *Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

// Why returns the part of Doc between title and fix: the effect on a cluster.
func (r *Rule) Why() string {
	why, _ := r.body()
	return why
}

// Fix returns the last sentences of Doc: the fix.
func (r *Rule) Fix() string {
	_, fix := r.body()
	return fix
}

// body splits Doc after its title. The fix begins at the last line that begins a sentence.
func (r *Rule) body() (why, fix string) {
	_, text, _ := strings.Cut(r.Doc, "\n")
	if i := strings.LastIndex(strings.TrimSpace(text), ".\n"); i >= 0 {
		return text[:i+1], strings.TrimSpace(text[i+2:])
	}
	return "", text
}

// Family returns the part of the ID before the slash.
func (r *Rule) Family() string {
	return familyOf(r.ID)
}

func familyOf(rule string) string {
	family, _, _ := strings.Cut(rule, "/")
	return family
}

// ReadsManifests reports whether the rule belongs to a family that reads the manifests of bundles, which takes most of the time.
func (r *Rule) ReadsManifests() bool { return readsManifests(r.ID) }

func readsManifests(rule string) bool {
	return slices.Contains([]string{"bundle", "csv", "object", "crd", "api"}, familyOf(rule))
}

// SkippedFor reports whether the rule need not run, since it reads manifests and none of its gates is requested.
func (r *Rule) SkippedFor(asked Gates) bool {
	return asked != 0 && r.ReadsManifests() && (r.Gates|r.OtherGates)&asked == 0
}

// Pass is the input of one call of a Check, and collects its findings.
type Pass struct {
	Catalog *catalogs.Catalog
	Package *catalogs.Package // nil in the call for the whole catalog
	Config  *Config

	// BaseCatalog and BasePackage are the published versions to compare with. BasePackage is nil if the base lacks the package.
	BaseCatalog     *catalogs.Catalog
	BasePackage     *catalogs.Package
	ChangedPackages []string // packages that differ from BaseCatalog

	Rule     *Rule
	running  []*Rule // all rules of the unit
	options  *Options
	cache    *cache
	indexes  *dependencyIndexes
	findings []Finding

	asksOthers bool // what differs between catalogs that have the package alike: see samePackages
}

// Graph returns the upgrade graph of a channel of the package. It is built once for all rules.
func (p *Pass) Graph(c *catalogs.Channel) *graph.Graph { return p.cache.graph(p.Package, c) }

// BaseGraph returns the upgrade graph of a channel of BasePackage. It is built once for all rules.
func (p *Pass) BaseGraph(c *catalogs.Channel) *graph.Graph { return p.cache.graph(p.BasePackage, c) }

// Preflight returns the manifests and CRDs of the bundles of the package, and the upgrades between them. Each result is computed
// once for all rules. Without a Package it has manifests only.
func (p *Pass) Preflight() *preflight.Package { return p.cache.preflight }

// Context returns the context of the run.
func (p *Pass) Context() context.Context { return p.indexes.ctx }

// Runs reports whether another rule runs as well, and is not off in a channel of the package, so that one of the two can report
// what both find.
func (p *Pass) Runs(rule, channel string) bool {
	return slices.ContainsFunc(p.running, func(r *Rule) bool {
		return r.ID == rule && p.Config.severity(Finding{Rule: rule, Severity: r.Severity, Subject: Subject{Package: p.Package.Name.Value, Channel: channel}}) > Off
	})
}

// Report adds a finding. It sets rule and catalog, and severity, gates and package if they are empty.
func (p *Pass) Report(f Finding) {
	f.Rule = p.Rule.ID
	f.Catalog = p.Catalog.Name
	if f.Severity == Off {
		f.Severity = p.Rule.Severity
	}
	if f.Gates == 0 {
		f.Gates = p.Rule.Gates
	}
	if f.Package == "" && p.Package != nil {
		f.Package = p.Package.Name.Value
	}
	for i := range f.Also {
		also := &f.Also[i].Subject
		also.Catalog, also.Package = cmp.Or(also.Catalog, f.Catalog), cmp.Or(also.Package, f.Package)
	}
	if !fixable(p.Catalog, f.Edits) {
		f.Edits = nil
	}
	p.findings = append(p.findings, f)
}

// cache has the values that the rules share in one unit. It is not safe for concurrent use; the rules of a unit run sequentially.
type cache struct {
	graphs       memo.Map[*catalogs.Channel, *graph.Graph]
	preflight    *preflight.Package
	dependencies memo.Map[*catalogs.Bundle, *catalogs.Dependencies]
	shared       memo.Map[any, any] // keyed by a nil pointer to the type: see Shared
	unreadable   []Finding          // errors of the dependency index
}

// Shared returns the one value of type T that all rules of a unit share, initially zero. A family of rules caches in it what
// several of them need.
func Shared[T any](p *Pass) *T {
	return p.cache.shared.Get((*T)(nil), func() any { return new(T) }).(*T)
}

// newCache returns the cache of a unit.
func newCache(u unit, config *Config, asked preflight.Checks, known *preflight.Cache, published *catalogs.Package) *cache {
	k := &cache{}
	k.preflight = preflight.New(u.pkg, preflight.Options{
		Graph:         func(c *catalogs.Channel) *graph.Graph { return k.graph(u.pkg, c) },
		OLM:           config.generations(config.openShift(u.catalog)),
		MigratesSince: config.MigratesSince(u.pkg),
		Checks:        asked,
		Published:     published,
		Cache:         known,
		Goroutines:    u.goroutines,
	})
	return k
}

// Dependencies returns what a bundle provides and requires, nothing if the catalog cannot be read again.
func (p *Pass) Dependencies(b *catalogs.Bundle) *catalogs.Dependencies {
	return p.cache.dependencies.Get(b, func() *catalogs.Dependencies {
		if known, err := bundled.Dependencies(b); err == nil {
			return known
		}
		return &catalogs.Dependencies{}
	})
}

func (k *cache) graph(p *catalogs.Package, c *catalogs.Channel) *graph.Graph {
	return k.graphs.Get(c, func() *graph.Graph { return graph.Of(p, c) })
}

// unreadManifests returns a finding for each bundle whose manifests could not be read.
func (k *cache) unreadManifests() []Finding {
	var all []Finding
	for _, u := range k.preflight.Unread() {
		all = append(all, Finding{Rule: ParseRuleID, Severity: Error, Gates: GateOPM, Pos: u.Bundle.Pos, Message: u.Err.Error(),
			Subject: Subject{Package: u.Bundle.Package.Value, Bundle: u.Bundle.Name.Value}})
	}
	return all
}

// EachChannel returns a Check that calls check for each channel.
func EachChannel(check func(*Pass, *catalogs.Channel, *graph.Graph)) func(*Pass) {
	return func(p *Pass) {
		for _, c := range p.Package.Channels {
			check(p, c, p.Graph(c))
		}
	}
}

// EachBundle returns a Check that calls check for each bundle, but those of a template of which nothing is known.
func EachBundle(check func(*Pass, *catalogs.Bundle)) func(*Pass) {
	return func(p *Pass) {
		for _, b := range p.Package.Bundles {
			if !b.Guessed {
				check(p, b)
			}
		}
	}
}
