package lint

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
)

// Scope says how often a rule's Check is called.
type Scope int

const (
	PerPackage Scope = iota // once for each package of each catalog
	PerCatalog              // once for each catalog
	PerBoth                 // once for each catalog, with no Package, and once for each package
	PerRun                  // never: Run itself reports it
)

// Rule is one thing that can be wrong with a catalog.
type Rule struct {
	ID         string   // "graph/multiple-heads": family/name, stable for ever
	Severity   Severity // where a finding does not say otherwise
	Gates      Gates    // likewise
	OtherGates Gates    // further ones that a finding can have
	Doc        string   // first line a title; then why it hurts on a cluster; then what to do
	Reference  string   // where OLM or Kubernetes says so
	Scope      Scope
	EditsLast  bool // its edits depend on what those of other rules change: they are made when there are no others left
	HasEdits   bool // some of its findings have a Fix
	NeedsBase  bool // it is called only where there is a base: see Pass
	Check      func(*Pass)

	Asks preflight.Checks // of the schemas of all CRDs
}

// Title is the first line of the rule's documentation.
func (r *Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

// Why says why it hurts on a cluster: what stands in the rule's documentation between title and fix.
func (r *Rule) Why() string {
	why, _ := r.body()
	return why
}

// Fix says what to do: the end of the rule's documentation.
func (r *Rule) Fix() string {
	_, mend := r.body()
	return mend
}

// body cuts the documentation behind its title: what to do begins with the last line that begins a sentence.
func (r *Rule) body() (why, mend string) {
	_, text, _ := strings.Cut(r.Doc, "\n")
	if i := strings.LastIndex(strings.TrimSpace(text), ".\n"); i >= 0 {
		return text[:i+1], strings.TrimSpace(text[i+2:])
	}
	return "", text
}

// Family is the part of the ID before the slash.
func (r *Rule) Family() string {
	return familyOf(r.ID)
}

func familyOf(rule string) string {
	family, _, _ := strings.Cut(rule, "/")
	return family
}

// ReadsManifests reports whether a rule is of a family that reads bundles again, which is most of the work.
func (r *Rule) ReadsManifests() bool {
	return slices.Contains([]string{"bundle", "csv", "object", "crd", "api"}, r.Family())
}

// SkippedFor reports whether a rule need not be called, since nothing that it finds matters to the gates that are asked for.
func (r *Rule) SkippedFor(asked Gates) bool {
	return asked != 0 && r.ReadsManifests() && (r.Gates|r.OtherGates)&asked == 0
}

// Pass is one call of one rule: what it looks at, and where it reports.
type Pass struct {
	Catalog *catalogs.Catalog
	Package *catalogs.Package // nil where the rule is called once per catalog
	Config  *Config

	// BaseCatalog and Base are what was published before, for rules that compare; Base is nil if it did not have the package.
	BaseCatalog *catalogs.Catalog
	Base        *catalogs.Package
	Changed     []string // the packages that differ, where there is a BaseCatalog

	Rule     *Rule
	cache    *cache
	Indexes  *dependencyIndexes
	findings []Finding
}

// Graph returns the upgrade graph of a channel of the package; it is built once for all rules.
func (p *Pass) Graph(c *catalogs.Channel) *graph.Graph { return p.cache.graph(p.Package, c) }

// BaseGraph returns the upgrade graph of a channel of the base; it is built once for all rules.
func (p *Pass) BaseGraph(c *catalogs.Channel) *graph.Graph { return p.cache.graph(p.Base, c) }

// Preflight returns what is known of the manifests and CRDs of the package's bundles and of the upgrades between them; each answer is
// computed once for all rules. In a rule that is called once per catalog it knows manifests only.
func (p *Pass) Preflight() *preflight.Package { return p.cache.preflight }

// Report adds a finding. What it leaves empty is filled in: rule, severity, gates, catalog and package.
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
	if !fixable(p.Catalog, f.Edits) {
		f.Edits = nil
	}
	p.findings = append(p.findings, f)
}

// cache are what several rules ask of one package. They are not safe for concurrent use: the rules of a package run one
// after the other.
type cache struct {
	graphs       memo.Map[*catalogs.Channel, *graph.Graph]
	preflight    *preflight.Package
	dependencies memo.Map[*catalogs.Bundle, *catalogs.Dependencies]
	shared       memo.Map[any, any] // by the nil pointer to its type: see Shared
	unreadable   []Finding          // what could not be read again for the market
}

// Shared returns a value that all rules which are called for a package share, one for each type. It is the zero value at first. A family
// of rules keeps in it what several of them compute.
func Shared[T any](p *Pass) *T {
	return p.cache.shared.Get((*T)(nil), func() any { return new(T) }).(*T)
}

// newFacts returns what is known before a rule is called.
func newFacts(u unit, config *Config, asked preflight.Checks) *cache {
	f := &cache{}
	f.preflight = preflight.New(u.pkg, preflight.Options{
		Graph:         func(c *catalogs.Channel) *graph.Graph { return f.graph(u.pkg, c) },
		OLM:           config.generations(config.openShift(u.catalog)),
		MigratesSince: config.MigratesSince(u.pkg),
		Checks:        asked,
	})
	return f
}

// Dependencies returns what a bundle provides and requires; nothing where that cannot be read again.
func (p *Pass) Dependencies(b *catalogs.Bundle) *catalogs.Dependencies {
	return p.cache.dependencies.Get(b, func() *catalogs.Dependencies {
		if known, err := b.Dependencies(); err == nil {
			return known
		}
		return &catalogs.Dependencies{}
	})
}

func (f *cache) graph(p *catalogs.Package, c *catalogs.Channel) *graph.Graph {
	return f.graphs.Get(c, func() *graph.Graph { return graph.Of(p, c) })
}

// unreadManifests reports the bundles whose manifests could not be read.
func (f *cache) unreadManifests() []Finding {
	var all []Finding
	for _, u := range f.preflight.Unread() {
		all = append(all, Finding{Rule: ParseRule, Severity: Error, Gates: GateOPM, Pos: u.Bundle.Pos, Message: u.Err.Error(),
			Subject: Subject{Package: u.Bundle.Package.Value, Bundle: u.Bundle.Name.Value}})
	}
	return all
}

// EachChannel makes a Check of a question about one channel.
func EachChannel(check func(*Pass, *catalogs.Channel, *graph.Graph)) func(*Pass) {
	return func(p *Pass) {
		for _, c := range p.Package.Channels {
			check(p, c, p.Graph(c))
		}
	}
}

// EachBundle makes a Check of a question about one bundle.
func EachBundle(check func(*Pass, *catalogs.Bundle)) func(*Pass) {
	return func(p *Pass) {
		for _, b := range p.Package.Bundles {
			check(p, b)
		}
	}
}
