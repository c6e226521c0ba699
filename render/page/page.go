// Package page writes an HTML page that shows the packages of a catalog.
package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Page shows packages of a catalog, with their pictures.
type Page struct {
	Title    string
	Catalog  *catalogs.Catalog
	Packages []Package
	Findings []lint.Finding    // those about other catalogs or packages are ignored
	Versions map[string]string // the OpenShift versions of Others, by the names of their catalogs
	OLM      graph.Generation  // of the pictures
	// Dependencies are those of all packages of the catalog, or nil if they are not known.
	Dependencies *resolve.DependencyIndex
	Change       *Change // of a page of a change: what changed; its packages are those that differ
	// Roots are the references of the catalogs, as the user gave them. Positions are shown relative to them.
	Roots   []string
	Command Command
}

// Command is how the user names what the page shows, for commands that give the same answer.
type Command struct {
	Catalog  string   `json:"catalog"`
	Base     string   `json:"base,omitempty"`
	Packages []string `json:"packages,omitempty"` // none: all
	Flags    []string `json:"flags,omitempty"`    // of all commands that read the catalog
	Lint     []string `json:"lint,omitempty"`     // of lint and render
	// Of catalogs for several OpenShift versions: the newest, of which the page is, and the flags that select the versions.
	Newest   string   `json:"newest,omitempty"`
	All      []string `json:"all,omitempty"` // the versions, the newest first
	Versions []string `json:"versions,omitempty"`
}

// Package is a package of a page.
type Package struct {
	PackageGraph *graph.PackageGraph
	Judgement    *Judgement // of the package; nil: HTML makes it
	// SVG is the picture of all channels, or empty. The group of the channel Graphs[c] has the id "c<c>", that of its entry e
	// "e<c>-<e>"; an edge has the ids of its ends in data-from and data-to.
	SVG       []byte
	NoPicture string // why SVG is empty; "" if it is not known
	// FoldedSVG has one node for versions that do the same, with their IDs in data-members. It is shown first; empty if it is like SVG.
	FoldedSVG []byte
	// VersionsSVG is the picture of its channels in the catalogs for several OpenShift versions, or empty.
	VersionsSVG []byte
	// Of a page of a change: Before is the package before it, nil if it is new, and ChangeSVG the picture of both, empty if the package is
	// new or removed. IDs of what only Before has begin with "r" there. Removed says that the package is no longer there: PackageGraph and
	// SVG are empty.
	Before          *State
	ChangeSVG       []byte
	FoldedChangeSVG []byte
	Removed         bool
	OpenShift       string // of a page of a change in several OpenShift versions: the one that is shown
	// Others are the package in the catalogs for other OpenShift versions, by version, where it differs: without channels where it is not.
	Others map[string]*State
}

// pageData is the data of the page. Numbers in place of strings are indexes into Texts; those in place of entries are indexes
// in the channel.
type pageData struct {
	Title    string        `json:"title"`
	Catalog  string        `json:"catalog"`
	OLM      string        `json:"olm"`
	Texts    []string      `json:"texts"`
	Packages []packageData `json:"packages"`
	Findings []findingData `json:"findings"`
	Change   *changeData   `json:"change,omitempty"`
	Command  Command       `json:"command"`
}

type packageData struct {
	Name        int                     `json:"name"`
	Default     int                     `json:"default"` // channel, or -1
	Deprecation *int                    `json:"deprecation,omitempty"`
	Pos         position                `json:"pos,omitempty"`
	Drawn       bool                    `json:"drawn"`
	NoPicture   string                  `json:"noPicture,omitempty"`
	Channels    []channelData           `json:"channels"`
	Bundles     []bundleData            `json:"bundles"` // first the bundles of the catalog, then names that only entries use
	Requires    []requirementData       `json:"requires,omitempty"`
	RequiredBy  []requirementData       `json:"requiredBy,omitempty"`
	Readiness   *readinessData          `json:"readiness,omitempty"`
	Before      *packageData            `json:"before,omitempty"` // before the change
	OpenShift   string                  `json:"openShift,omitempty"`
	Others      map[string]*packageData `json:"others,omitempty"`  // in the catalogs for other OpenShift versions, where it differs
	Removed     bool                    `json:"removed,omitempty"` // by the change: all but Name and Before is empty
}

// readinessData says whether a release of OLM v1 installs the package.
type readinessData struct {
	Release  string            `json:"release"`
	Verdict  readiness.Verdict `json:"verdict"`
	Chosen   int               `json:"chosen"` // the name of the bundle that it chooses
	Blockers []detail          `json:"blockers,omitempty"`
	NotKnown []int             `json:"notKnown,omitempty"`
}

// requirementData is a requirement and other packages: its providers in Requires, the dependents in RequiredBy.
type requirementData struct {
	What   int   `json:"what"`
	Others []int `json:"others"`          // packages; in Requires none if nothing in the catalog provides it
	Older  bool  `json:"older,omitempty"` // no head has the requirement
}

type channelData struct {
	Name        int         `json:"name"`
	Deprecation *int        `json:"deprecation,omitempty"`
	Pos         position    `json:"pos,omitempty"`
	Head        int         `json:"head"`            // -1 if there is none, or several
	Error       string      `json:"error,omitempty"` // why OLM v0 cannot order it
	Entries     []entryData `json:"entries"`
	Newest      []int       `json:"newest"` // entries, newest version first, without duplicates
	// Removed are the indexes of entries that the channel does not have: one for each name that it replaces or skips and that is no
	// longer in the package.
	Removed []int `json:"removed,omitempty"`
}

// entryData is an entry. A duplicate in the channel has only Bundle.
type entryData struct {
	Bundle    int          `json:"bundle"`
	Pos       position     `json:"pos,omitempty"`
	Replaces  located      `json:"replaces,omitempty"`
	Skips     []located    `json:"skips,omitempty"`
	Range     located      `json:"range,omitempty"`
	V0        *outcomeData `json:"v0,omitempty"` // nil without an automatic upgrade
	V1        *outcomeData `json:"v1,omitempty"`
	Head      bool         `json:"head,omitempty"`
	Skipped   bool         `json:"skipped,omitempty"`
	Stuck     []string     `json:"stuck,omitempty"`     // why OLM v0 does not upgrade it
	StuckV1   bool         `json:"stuckV1,omitempty"`   // OLM v1 has no successor for it
	Refused   []int        `json:"refused,omitempty"`   // the bundle that OLM v1 chooses and does not install, and the property
	CRDs      [][]int      `json:"crds,omitempty"`      // name, versions, versions that may be stored, changes
	Unoffered *int         `json:"unoffered,omitempty"` // why OLM v0 never offers it
}

// outcomeData is the automatic upgrade of an entry, the number of upgrades, and the last entry.
type outcomeData struct {
	Next int    `json:"next"`
	Kind string `json:"kind"`
	Hops int    `json:"hops"`
	End  int    `json:"end"`
	Loop bool   `json:"loop,omitempty"`
	// Notes are which versions the upgrade skips, and why it fails on a cluster where only the older bundle was installed.
	Notes []int `json:"notes,omitempty"`
}

type bundleData struct {
	Name        int      `json:"name"`
	Defined     bool     `json:"defined,omitempty"`
	Version     string   `json:"version,omitempty"`
	Readable    bool     `json:"readable,omitempty"` // OLM v1 can read its version
	Removed     bool     `json:"removed,omitempty"`  // no longer in the package
	Pos         position `json:"pos,omitempty"`
	Image       *int     `json:"image,omitempty"`
	Images      [][]int  `json:"images,omitempty"` // name and image
	Provides    []int    `json:"provides,omitempty"`
	Requires    []int    `json:"requires,omitempty"`
	Max         string   `json:"max,omitempty"`
	Deprecation *int     `json:"deprecation,omitempty"`
}

type findingData struct {
	Severity string   `json:"severity"`
	Rule     int      `json:"rule"`
	Gates    []string `json:"gates"`
	In       *int     `json:"in,omitempty"`   // those of several OpenShift versions that have it
	Gone     bool     `json:"gone,omitempty"` // the change does away with it
	OCP      string   `json:"ocp,omitempty"`  // the other OpenShift version in whose catalog it is
	Package  *int     `json:"package,omitempty"`
	Channel  *int     `json:"channel,omitempty"`
	Also     []int    `json:"also,omitempty"` // other channels
	Bundle   *int     `json:"bundle,omitempty"`
	CRD      string   `json:"crd,omitempty"`
	Message  int      `json:"message"`
	Fix      int      `json:"fix"`
	Pos      position `json:"pos,omitempty"`
	Details  []detail `json:"details,omitempty"`
}

// detail is a message, and its file and line if they are known.
type detail []int

// position is a file and a line; nil if it is not known.
type position []int

// located is a string and its position; nil if it is absent.
type located []int

// dataBuilder builds the data of a page. Texts has each string once.
type dataBuilder struct {
	pageData
	at           map[string]int
	index        *resolve.DependencyIndex // or nil
	dependencies []resolve.PackageDependency
	places       places
}

func newPageData(p *Page) (*pageData, error) {
	p.judge()
	g := &dataBuilder{at: map[string]int{}, index: p.Dependencies, places: newPlaces(p.Roots)}
	g.Title, g.OLM, g.Texts, g.Packages, g.Findings = p.Title, p.OLM.String(), []string{}, []packageData{}, []findingData{}
	if p.Catalog != nil {
		g.pageData.Catalog = p.Catalog.Name
	}
	if p.Dependencies != nil {
		g.dependencies = p.Dependencies.PackageDependencies()
	}
	shown := map[string]bool{"": true}
	for i := range p.Packages {
		data, err := g.packageAndBefore(&p.Packages[i])
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", p.Packages[i].PackageGraph.Package.Name.Value, err)
		}
		g.Packages = append(g.Packages, data)
		shown[p.Packages[i].PackageGraph.Package.Name.Value] = true
	}
	for i := range p.Findings {
		f := &p.Findings[i]
		in, other := g.findingCatalogs(p.Change, f), p.Versions[f.Catalog]
		if (in != nil || f.Catalog == g.Catalog || other != "" && f.Package != "") && shown[f.Package] {
			data := g.finding(f)
			data.In, data.OCP = in, other
			g.Findings = append(g.Findings, data)
		}
	}
	if p.Change != nil {
		g.change(p.Change)
	}
	g.pageData.Command = p.Command
	return &g.pageData, nil
}

// sentence returns the index of a text that may have positions.
func (g *dataBuilder) sentence(s string) int { return g.text(g.places.shorten(s)) }

func (g *dataBuilder) text(s string) int {
	i, met := g.at[s]
	if !met {
		i = len(g.Texts)
		g.at[s] = i
		g.Texts = append(g.Texts, s)
	}
	return i
}

// optionalText returns the index of s, or nil if s is "".
func (g *dataBuilder) optionalText(s string) *int {
	if s == "" {
		return nil
	}
	i := g.text(s)
	return &i
}

func (g *dataBuilder) position(p catalogs.Pos) position {
	if !p.IsKnown() {
		return nil
	}
	return position{g.text(g.places.file(p.File)), p.Line}
}

func (g *dataBuilder) locatedText(t catalogs.Text) located {
	if t.Value == "" {
		return nil
	}
	return append(located{g.text(t.Value)}, g.position(t.Pos)...)
}

func (g *dataBuilder) deprecation(p *catalogs.Package, schema, name string) *int {
	if d := p.Deprecation(schema, name); d != nil {
		i := g.text(d.Message.Value)
		return &i
	}
	return nil
}

func (g *dataBuilder) finding(f *lint.Finding) findingData {
	var also []int
	for _, o := range f.Also {
		if channel := g.text(o.Channel); o.Channel != "" && o.Channel != f.Channel && !slices.Contains(also, channel) {
			also = append(also, channel)
		}
	}
	var details []detail
	for _, d := range f.Details {
		details = append(details, append(detail{g.sentence(d.Message)}, g.position(d.Pos)...))
	}
	return findingData{Severity: f.Severity.String(), Rule: g.text(f.Rule), Gates: f.Gates.Names(), Package: g.optionalText(f.Package), Channel: g.optionalText(f.Channel), Also: also,
		Bundle: g.optionalText(f.Bundle), CRD: f.CRD, Message: g.sentence(f.Message), Fix: g.sentence(f.Fix), Pos: g.position(f.Pos), Details: details}
}

// packageAndBefore returns the data of a package, and those before a change and in other catalogs.
func (g *dataBuilder) packageAndBefore(p *Package) (packageData, error) {
	data, err := g.buildPackage(p)
	data.Removed, data.OpenShift = p.Removed, p.OpenShift
	if p.Before != nil && err == nil {
		data.Before, err = g.state(p.Before)
	}
	for _, version := range slices.Sorted(maps.Keys(p.Others)) {
		if data.Others == nil {
			data.Others = map[string]*packageData{}
		}
		if err == nil {
			data.Others[version], err = g.state(p.Others[version])
		}
	}
	return data, err
}

// state returns the data of a package in another catalog, of whose other packages nothing is known.
func (g *dataBuilder) state(p *State) (*packageData, error) {
	then := *g
	then.dependencies, then.index = nil, nil
	data, err := then.buildPackage(&Package{PackageGraph: p.PackageGraph, SVG: p.SVG, Judgement: p.Judgement})
	g.Texts = then.Texts
	return &data, err
}

func (g *dataBuilder) buildPackage(p *Package) (packageData, error) {
	pkg := p.PackageGraph.Package
	data := packageData{Name: g.text(pkg.Name.Value), Default: -1, Drawn: len(p.SVG) > 0, NoPicture: p.NoPicture, Pos: g.position(pkg.Pos),
		Deprecation: g.deprecation(pkg, catalogs.SchemaPackage, ""), Channels: []channelData{}, Bundles: []bundleData{}}
	ids, names := bundleIDs(p.PackageGraph)
	for _, name := range names {
		b, err := g.bundle(p.PackageGraph, name)
		if err != nil {
			return data, err
		}
		data.Bundles = append(data.Bundles, b)
	}
	for i, c := range p.PackageGraph.Graphs {
		if c.Channel.Name.Value == pkg.DefaultChannel.Value {
			data.Default = i
		}
		data.Channels = append(data.Channels, g.channel(p.PackageGraph, c, ids))
	}
	g.requirements(&data, pkg.Name.Value)
	for i, c := range p.PackageGraph.Graphs {
		g.crds(data.Channels[i].Entries, c, p.Judgement.histories[c.Channel])
		g.addFailing(data.Channels[i].Entries, c, p.Judgement.Failing)
	}
	data.Readiness = g.readiness(p.Judgement.readiness)
	return data, p.Judgement.err
}

// readiness returns whether the newest release of OLM v1 installs a package; nil if it was not asked.
func (g *dataBuilder) readiness(p *readiness.Package) *readinessData {
	if p == nil {
		return nil
	}
	data := &readinessData{Release: readiness.NewestRelease().String(), Verdict: p.Verdict(), Chosen: g.text(p.Choice.Name)}
	for _, o := range p.Obstacles() {
		data.Blockers = append(data.Blockers, append(detail{g.sentence(o.Text)}, g.position(o.Pos)...))
	}
	for _, what := range p.Choice.NotKnown {
		data.NotKnown = append(data.NotKnown, g.text(what))
	}
	return data
}

// bundleIDs numbers all that users of a package may have installed.
func bundleIDs(a *graph.PackageGraph) (ids map[string]int, names []string) {
	ids = map[string]int{}
	for i, one := range a.Origins(nil, "").All {
		ids[one.Name] = i
		names = append(names, one.Name)
	}
	return ids, names
}

func (g *dataBuilder) bundle(a *graph.PackageGraph, name string) (bundleData, error) {
	p := a.Package
	data := bundleData{Name: g.text(name), Deprecation: g.deprecation(p, catalogs.SchemaBundle, name)}
	b := p.Bundle(name)
	if b == nil {
		if data.Removed = !a.Has(name); data.Removed {
			data.Version = graph.ParseBundleName(name).Version
			_, data.Readable = graph.VersionIn(name)
		}
		return data, nil
	}
	data.Defined, data.Version, data.Readable = true, b.Version.Value, b.Semver() != nil
	data.Pos, data.Image = g.position(b.Pos), g.optionalText(b.Image.Value)
	for _, image := range b.RelatedImages {
		data.Images = append(data.Images, []int{g.text(image.Name.Value), g.text(image.Image.Value)})
	}
	needs, err := g.bundleDependencies(b)
	if err != nil {
		return data, err
	}
	for _, api := range needs.Provides {
		data.Provides = append(data.Provides, g.text(api.String()))
	}
	for i := range needs.Requires {
		data.Requires = append(data.Requires, g.text(needs.Requires[i].String()))
	}
	data.Max = needs.MaxOpenShift.Value
	return data, nil
}

// bundleDependencies returns the dependencies of a bundle, from the index if it has them.
func (g *dataBuilder) bundleDependencies(b *catalogs.Bundle) (*catalogs.Dependencies, error) {
	if g.index != nil {
		if known := g.index.BundleFacts(0, b); known != nil {
			return known.Dependencies(), nil
		}
	}
	return bundled.Dependencies(b)
}

func (g *dataBuilder) channel(a *graph.PackageGraph, c *graph.Graph, ids map[string]int) channelData {
	name := c.Channel.Name.Value
	data := channelData{Name: g.text(name), Head: -1, Pos: g.position(c.Channel.Pos), Newest: c.ByVersion(),
		Deprecation: g.deprecation(a.Package, catalogs.SchemaChannel, name), Entries: make([]entryData, len(c.Channel.Entries))}
	if head, ok := c.Head(); ok {
		data.Head = head
	}
	_, err := c.Order()
	if err != nil {
		data.Error = g.places.shorten(err.Error())
	}
	for i := range data.Entries {
		data.Entries[i].Bundle = ids[c.Name(i)]
	}
	for _, row := range c.Rows() {
		e := &data.Entries[row.Entry]
		g.entry(e, a, c, &row)
		if err == nil && !c.Offers(row.Entry) {
			by, _ := c.SkippedBy(row.Entry)
			why := g.sentence(wording.NeverOffered(a, c, c.Name(row.Entry), by))
			e.Unoffered = &why
		}
	}
	addStuckReasons(data.Entries, a, c, g.places)
	g.removedEntries(&data, a, c, ids)
	return data
}

// addFailing adds why automatic upgrades of OLM v0 fail.
func (g *dataBuilder) addFailing(entries []entryData, c *graph.Graph, all map[[2]string][]judge.Reason) {
	for i := range c.Channel.Entries {
		if v0 := entries[i].V0; v0 != nil {
			for _, r := range all[[2]string{c.Name(i), c.Name(v0.Next)}] {
				v0.Notes = append(v0.Notes, g.text("fails: "+r.String()))
			}
		}
	}
}

// crds adds the CRDs of the bundles.
func (g *dataBuilder) crds(entries []entryData, c *graph.Graph, histories []judge.CRDHistory) {
	for _, h := range histories {
		for i := range h.Revisions {
			s := &h.Revisions[i]
			changed, _ := wording.CRDChanges(s)
			entry, ok := c.Index(s.Bundle)
			if ok && (s.InBundle || len(s.Changes) > 0) {
				entries[entry].CRDs = append(entries[entry].CRDs,
					[]int{g.text(h.Name), g.text(wording.CRDVersions(s)), g.text(strings.Join(s.Stored, ", ")), g.text(text.Dash(changed))})
			}
		}
	}
}

// removedEntries adds entries for bundles that are no longer in the package.
func (g *dataBuilder) removedEntries(data *channelData, a *graph.PackageGraph, c *graph.Graph, ids map[string]int) {
	v1 := a.UnlistedRows(graph.Question{Extension: a.Extension(false, c)})
	for i, row := range a.UnlistedRows(graph.Question{Channel: c}) {
		at := len(data.Entries)
		e := entryData{Bundle: ids[row.Name], V0: removedOutcome(&row, c), V1: removedOutcome(&v1[i], c)}
		if r := v1[i].Refusal; r != nil {
			e.Refused = []int{g.text(r.Bundle), g.text(r.Property)}
		}
		data.Entries, data.Removed = append(data.Entries, e), append(data.Removed, at)
	}
}

// removedOutcome returns the automatic upgrade of a removed bundle, nil if it has none.
func removedOutcome(r *graph.InstalledRow, c *graph.Graph) *outcomeData {
	if r.Step == nil {
		return nil
	}
	end, _ := c.Index(r.End)
	return &outcomeData{Next: r.Step.Edge.To, Kind: r.Step.Edge.Kind.String(), Hops: r.Hops, End: end, Loop: r.Loop}
}

// jump returns which versions an upgrade skips, if it skips some.
func (g *dataBuilder) jump(a *graph.PackageGraph, c *graph.Graph, e graph.Edge) []int {
	if said := wording.VersionJump(a, c.Name(e.From), c.Name(e.To)); said != "" {
		return []int{g.text(said)}
	}
	return nil
}

func (g *dataBuilder) entry(e *entryData, a *graph.PackageGraph, c *graph.Graph, row *graph.EntryRow) {
	entry := &c.Channel.Entries[row.Entry]
	e.Pos, e.Replaces, e.Range = g.position(entry.Pos), g.locatedText(entry.Replaces), g.locatedText(entry.SkipRange)
	for _, skip := range entry.Skips {
		e.Skips = append(e.Skips, append(located{g.text(skip.Value)}, g.position(skip.Pos)...))
	}
	e.Head, e.Skipped = row.Head, row.Skipped
	if row.Next.To >= 0 {
		e.V0 = &outcomeData{Next: row.Next.To, Kind: row.Next.Kind.String(), Hops: row.Hops, End: row.End, Loop: row.Loop, Notes: g.jump(a, c, row.Next)}
	}
	if row.NextV1.To >= 0 {
		e.V1 = &outcomeData{Next: row.NextV1.To, Kind: row.NextV1.Kind.String(), Hops: row.HopsV1, End: row.EndV1, Notes: g.jump(a, c, row.NextV1)}
	}
	if r := row.RefusalV1; r != nil {
		e.Refused = []int{g.text(r.Bundle), g.text(r.Property)}
	}
}

// addStuckReasons adds to stuck entries why they are stuck.
func addStuckReasons(entries []entryData, a *graph.PackageGraph, c *graph.Graph, at places) {
	for _, s := range c.Stuck() {
		for _, why := range wording.Stuck(a, c, &s) {
			entries[s.Entry].Stuck = append(entries[s.Entry].Stuck, at.shorten(why))
		}
	}
	for _, i := range c.DeadEndsV1() {
		entries[i].StuckV1 = true
	}
}
