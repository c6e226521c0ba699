package lint

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/openshift"
)

// Scope determines how often Check of a rule is called.
type Scope int

const (
	perPackage           Scope = iota // once for each package of each catalog
	PerCatalog                        // once for each catalog
	PerCatalogAndPackage              // once for each catalog, with no Package, and once for each package
	AcrossVersions                    // once for each package of catalogs for several OpenShift versions: see Pass.Versions
	ReportedByRun                     // never: the engine reports the findings
)

// Part is a part of a catalog that rules judge.
type Part int

const (
	UpgradeGraph Part = iota // edges, and what becomes of users
	Objects                  // of a file-based catalog, as opm reads them
	Versions                 // of bundles
	Deprecations
	Contents  // of bundles: their manifests
	Folders   // bundle folders and package manifests
	Images    // where bundles come from
	Templates // from which catalogs are made
	Pipelines // what configures the pipeline of a repository
	judgement // what decides how catalogs are judged
)

// Unchecked is a reason why a part of a catalog was not checked.
type Unchecked int

const (
	Unread           Unchecked = iota + 1 // it cannot be read
	RejectedTemplate                      // opm makes no catalog of the template
	NoPackage                             // there is none
	NotInForm                             // the form of the catalog does not have it
	UnknownBundles                        // a template does not say what they are
	UnreadInBase                          // it cannot be read, and is the same in the base
	NoBundle                              // a folder of a repository is no bundle folder
	NotLooked                             // a file could not be read for a reason that is not in it, or a rule failed
)

// AlwaysReported reports whether findings are errors that cannot be disabled, filtered or suppressed.
func (u Unchecked) AlwaysReported() bool {
	return u == Unread || u == RejectedTemplate || u == NoPackage || u == NotLooked
}

// Family returns rules with what all rules of the family have in common: part, scope, base, and how they rest.
func Family(common Rule, all []Rule) []Rule {
	for i := range all {
		r := &all[i]
		r.Part, r.Scope = cmp.Or(r.Part, common.Part), cmp.Or(r.Scope, common.Scope)
		r.InfoIfPublished = cmp.Or(r.InfoIfPublished, common.InfoIfPublished)
		r.NeedsBase = r.NeedsBase || common.NeedsBase
		if row := judge.FindRow(r.ID); row != nil && r.Gates == 0 {
			r.Gates = row.Gates
		}
	}
	return all
}

// Rule checks a catalog for one kind of problem.
type Rule struct {
	ID         string   // "graph/multiple-heads": family/name
	Part       Part     // that it judges
	Severity   Severity // default of its findings
	Gates      Gates    // default of its findings: of a row of judge those of the row
	OtherGates Gates    // other gates that its findings can have
	Doc        string   // title in the first line, effect on a cluster, fix
	Reference  string   // source in OLM, opm or Kubernetes
	Scope      Scope
	EditsLast  bool // its edits depend on the result of other edits: they are applied when no others are left
	HasEdits   bool // some of its findings have Edits
	NeedsBase  bool // it is called only if there is a base: see Pass
	Expands    bool // it expands all templates
	Check      func(*Pass)

	// InfoIfPublished is the highest severity of findings that are infos if they are about bundles that a repository has in the base, which nobody may
	// change any more: see Pass.infoIfPublished. Off is none.
	InfoIfPublished Severity
	// OfChanges says that it reports changes themselves, which are often intended, and what to do about them: see Finding.Changes.
	OfChanges bool
	// Unchecked is the reason why something was not checked, if it reports that.
	Unchecked Unchecked

	// NeedsManifests says that it finds nothing in the part of a ClusterServiceVersion that a catalog without manifests has of a bundle.
	NeedsManifests bool

	Asks judge.Checks // the results that Check needs from Judge
}

// Title returns the first line of Doc.
func (r *Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

// Effect returns the part of Doc between title and fix: the effect on a cluster.
func (r *Rule) Effect() string {
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
	family, _, _ := strings.Cut(r.ID, "/")
	return family
}

// ReadsManifests reports whether the rule reads the manifests of bundles, which takes most of the time.
func (r *Rule) ReadsManifests() bool { return r.Part == Contents }

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

	// Versions is a package in catalogs for several OpenShift versions, in the scope AcrossVersions; Catalog is the newest of them then.
	Versions *openshift.Versions

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

// Judge returns the manifests and CRDs of the bundles of the package, and the upgrades between them. Each result is computed
// once for all rules. Without a Package it has manifests only.
func (p *Pass) Judge() *judge.Package { return p.cache.judge }

// Catalogs returns the catalogs that are linted together.
func (p *Pass) Catalogs() []*catalogs.Catalog {
	p.asksOthers = true
	return p.indexes.catalogs
}

// Context returns the context of the run.
func (p *Pass) Context() context.Context { return p.indexes.ctx }

// Runs reports whether another rule runs as well, and is not off in a channel of the package, so that one of the two can report
// what both find.
func (p *Pass) Runs(rule, channel string) bool {
	return slices.ContainsFunc(p.running, func(r *Rule) bool {
		return r.ID == rule && p.Config.severity(Finding{Rule: rule, Severity: r.Severity, Subject: Subject{Package: p.Package.Name.Value, Channel: channel}}) > Off
	})
}

// check calls Check. A panic is a finding of RuleFailed beside those that there are.
func (p *Pass) check() {
	failed := parallel.Try(func() { p.Rule.Check(p) })
	if failed == nil {
		return
	}
	f := RuleFailed.finding(p.Catalog.Pos(), fmt.Sprintf("rule %s failed, and has not checked all: %s", p.Rule.ID, failed), "report it at https://github.com/olmgraph/olmgraph/issues, with the package")
	f.Catalog, f.Cause = p.Catalog.Name, []string{p.Rule.ID}
	switch {
	case p.Package != nil:
		f.Package, f.Pos = p.Package.Name.Value, catalogs.KnownPos(p.Package.Pos, f.Pos)
	case p.Versions != nil:
		f.Package = p.Versions.Package
	}
	p.findings = append(p.findings, f)
}

// inStore matches the names of files in bundle images that were pulled, which are no files of a repository.
var inStore = regexp.MustCompile(`^oci(-archive)?:`)

// Report adds a finding. It sets rule and catalog, and severity, gates and package if they are empty. In the place of a manifest in a bundle
// image that was pulled it puts that of the image in the catalog.
func (p *Pass) Report(f Finding) {
	f.Rule, f.part, f.ofChanges, f.Unchecked = p.Rule.ID, p.Rule.Part, p.Rule.OfChanges, cmp.Or(f.Unchecked, p.Rule.Unchecked)
	if p.Versions == nil || f.Catalog == "" {
		f.Catalog = p.Catalog.Name
	}
	if f.Severity == Off {
		f.Severity = p.Rule.Severity
	}
	if f.Gates == 0 {
		f.Gates = p.Rule.Gates
	}
	if f.Package == "" && p.Package != nil {
		f.Package = p.Package.Name.Value
	}
	f.Message, f.Fix = oneLine(f.Message), oneLine(f.Fix)
	for _, all := range [][]Related{f.Details, f.Related} {
		for i := range all {
			all[i].Message = oneLine(all[i].Message)
		}
	}
	for i := range f.Also {
		also := &f.Also[i].Subject
		also.Catalog, also.Package = cmp.Or(also.Catalog, f.Catalog), cmp.Or(also.Package, f.Package)
	}
	if p.Package != nil && inStore.MatchString(f.Pos.File) {
		if b := p.Package.Bundle(f.Bundle); b != nil && b.Image.Pos.IsKnown() && !inStore.MatchString(b.Image.Pos.File) {
			f.Pos, f.Related = b.Image.Pos, slices.Insert(f.Related, 0, Related{Pos: f.Pos, Message: "in its image"})
		}
	}
	if !fixable(p.Catalog, f.Edits) {
		f.Edits = nil
	}
	if len(f.Edits) > 0 {
		f.MadeOf = repo.TemplateFor(p.Catalog, f.Edits[0].Pos.File)
	}
	if f.MadeOf != "" {
		f.Fix = "make the file again from " + f.MadeOf + "; if the finding stays, change the template: " + f.Fix
	}
	p.findings = append(p.findings, f)
}

// longestSentence is the number of bytes of the longest sentence of a finding.
const longestSentence = 2000

// oneLine returns a sentence as one line that is not too long: names in catalogs have line breaks, and any length.
func oneLine(s string) string {
	if len(s) > longestSentence {
		s = strings.ToValidUTF8(s[:longestSentence], "") + "…"
	}
	return strings.ReplaceAll(s, "\n", " ")
}

// cache has the values that the rules share in one unit. It is not safe for concurrent use; the rules of a unit run sequentially.
type cache struct {
	graphs       memo.Map[*catalogs.Channel, *graph.Graph]
	judge        *judge.Package
	dependencies func(*catalogs.Bundle) *catalogs.Dependencies
	shared       memo.Map[any, any] // keyed by a nil pointer to the type: see SharedValue
	unreadable   []Finding          // errors of the dependency index
}

// SharedValue returns the one value of type T that all rules of a unit share, initially zero. A family of rules caches in it what
// several of them need.
func SharedValue[T any](p *Pass) *T {
	return p.cache.shared.Get((*T)(nil), func() any { return new(T) }).(*T)
}

// newCache returns the cache of a unit.
func newCache(u unit, config *Config, asked judge.Checks, known *judge.Cache, published *catalogs.Package, indexes *dependencyIndexes,
	results *judge.Results) *cache {
	k := &cache{dependencies: indexes.dependencies(u.catalog)}
	k.judge = judge.New(u.pkg, judge.Options{
		Graph:         func(c *catalogs.Channel) *graph.Graph { return k.graph(u.pkg, c) },
		Dependencies:  k.dependencies,
		OLM:           config.generations(config.openShift(u.catalog)),
		MigratesSince: config.MigratesSince(u.pkg),
		Checks:        asked,
		Published:     published,
		Base:          u.basePkg,
		OpenShift:     u.catalog.OpenShift,
		Cache:         known,
		Results:       results,
		Goroutines:    u.goroutines,
	})
	return k
}

// Dependencies returns what a bundle provides and requires, nothing if the catalog cannot be read again.
func (p *Pass) Dependencies(b *catalogs.Bundle) *catalogs.Dependencies {
	return p.cache.dependencies(b)
}

// dependencies returns a function that reads what bundles of a catalog provide and require, once each.
func (d *dependencyIndexes) dependencies(c *catalogs.Catalog) func(*catalogs.Bundle) *catalogs.Dependencies {
	var read memo.Map[*catalogs.Bundle, *catalogs.Dependencies]
	return func(b *catalogs.Bundle) *catalogs.Dependencies {
		return read.Get(b, func() *catalogs.Dependencies {
			if known := d.bundleFacts(c, b); known != nil {
				return known.Dependencies()
			}
			return bundled.KnownDependencies(b)
		})
	}
}

func (k *cache) graph(p *catalogs.Package, c *catalogs.Channel) *graph.Graph {
	return k.graphs.Get(c, func() *graph.Graph { return graph.New(p, c) })
}

// unreadManifests returns a finding for each bundle whose manifests could not be read.
func (k *cache) unreadManifests() []Finding {
	var all []Finding
	for _, u := range k.judge.Unread() {
		f := Parse.finding(u.Bundle.Pos, u.Err.Error(), "")
		f.Subject = Subject{Package: u.Bundle.Package.Value, Bundle: u.Bundle.Name.Value}
		all = append(all, f)
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

// EachProblem returns a Check that reports the problems of a kind which were found when a catalog was read. Fix is for those that have none.
func EachProblem(kind catalogs.ProblemKind, fix string) func(*Pass) {
	return EachProblemAs(fix, func(problem *catalogs.Problem, _ *Finding) bool { return problem.Kind == kind })
}

// EachProblemAs returns a Check that reports the problems for which as is true: of the catalog when it is called for that, of the manifests of the
// bundles when it is called for a package. as completes the finding.
func EachProblemAs(fix string, as func(*catalogs.Problem, *Finding) bool) func(*Pass) {
	return func(p *Pass) { p.ReportProblems(p.problems(), fix, as) }
}

// ReportProblems reports those of some problems for which as is true, which completes the finding.
func (p *Pass) ReportProblems(all []catalogs.Problem, fix string, as func(*catalogs.Problem, *Finding) bool) {
	for i := range all {
		problem := &all[i]
		f := Finding{
			Subject: Subject{Package: problem.Package, Bundle: problem.Bundle},
			Cause:   append([]string{problem.Bundle, problemField(problem)}, problem.Cause...),
			Pos:     problem.Pos,
			Message: problem.Message,
			Fix:     cmp.Or(problem.Fix, fix),
		}
		if problem.Unreadable {
			f.Unchecked = NotLooked
		}
		if as(problem, &f) {
			p.Report(f)
		}
	}
}

// packageProblems caches the problems in the manifests of the bundles of a package.
type packageProblems struct {
	memo.Map[*catalogs.Package, []catalogs.Problem]
}

// problems returns the problems of the catalog, or what opm would reject in the manifests of the bundles of the package.
func (p *Pass) problems() []catalogs.Problem {
	if p.Package == nil {
		return p.Catalog.Problems
	}
	return SharedValue[packageProblems](p).Get(p.Package, func() []catalogs.Problem {
		var all []catalogs.Problem
		for _, b := range p.Package.Bundles {
			all = append(all, fbc.CheckManifestProperties(b)...)
		}
		return all
	})
}

// problemField returns the path of the field of a problem. A field that is a description, for example "an entry", gives "".
func problemField(p *catalogs.Problem) string {
	if strings.Contains(p.Field, " ") {
		return ""
	}
	return judge.FieldPath(p.Field)
}
