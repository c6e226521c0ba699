// Package page writes a page that shows the packages of a catalog in a browser.
package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Page is one or more packages of a catalog, with their pictures.
type Page struct {
	Title    string
	Catalog  *catalogs.Catalog
	Packages []Package
	Findings []lint.Finding   // those about other catalogs or packages are left out
	OLM      graph.Generation // that the pictures are about, and which is asked first
	// Market is what the packages of the whole catalog require of each other, or nil where that is not known; Web and WebSVG
	// are its picture, if there is one.
	Dependencies      *resolve.DependencyIndex
	DependencyDiagram *diagram.Diagram
	DependencySVG     []byte
}

// Package is a package of a page.
type Package struct {
	PackageGraph *graph.PackageGraph
	// SVG is the picture of all channels; empty if it could not be drawn. The group of the channel Graphs[c] has the id
	// "c<c>", that of its entry e "e<c>-<e>"; an edge names both of its entries in data-from and data-to.
	SVG []byte
}

// pageData is what the page knows. A number in place of a string is an index into Texts, and one in place of an entry,
// its index in the channel.
type pageData struct {
	Title           string        `json:"title"`
	Catalog         string        `json:"catalog"`
	OLM             string        `json:"olm"`
	Texts           []string      `json:"texts"`
	Packages        []packageData `json:"packages"`
	Findings        []findingData `json:"findings"`
	DependencyNodes []int         `json:"web,omitempty"` // the packages that the nodes of the picture of requirements are, or -1
}

type packageData struct {
	Name        int           `json:"name"`
	Default     int           `json:"default"` // channel, or -1
	Deprecation *int          `json:"deprecation,omitempty"`
	Pos         place         `json:"pos,omitempty"`
	Drawn       bool          `json:"drawn"`
	Channels    []channelData `json:"channels"`
	Bundles     []bundleData  `json:"bundles"`            // first those that the catalog describes, then the names that it only uses
	Versions    [][]int       `json:"versions,omitempty"` // the bundles of each version that several have, in the order in which OLM v1 prefers them
	Needs       []needData    `json:"needs,omitempty"`
	Needed      []needData    `json:"needed,omitempty"`
}

// needData is a requirement that bundles of one package have and others meet: of this package and of others, or the other
// way round.
type needData struct {
	What   int   `json:"what"`
	Others []int `json:"others"`          // packages, of Needs: none if nothing in the catalog meets it
	Older  bool  `json:"older,omitempty"` // no head has it
}

type channelData struct {
	Name        int         `json:"name"`
	Deprecation *int        `json:"deprecation,omitempty"`
	Pos         place       `json:"pos,omitempty"`
	Head        int         `json:"head"`            // -1 if there is none, or several
	Error       string      `json:"error,omitempty"` // why OLM v0 cannot order it
	Entries     []entryData `json:"entries"`
	Newest      []int       `json:"newest"` // the entries that take part, newest version first
	Lowest      []int       `json:"lowest"` // those with a version, lowest first: what ranges are spans of
	// Gone are entries that the channel does not have: one for each name that it replaces or skips and the package has no more.
	Gone []int `json:"gone,omitempty"`
}

// entryData is an entry. One whose name stands before it in the channel takes no part: all that is known of it is Bundle.
type entryData struct {
	Bundle     int          `json:"bundle"`
	Pos        place        `json:"pos,omitempty"`
	Replaces   said         `json:"replaces,omitempty"`
	Skips      []said       `json:"skips,omitempty"`
	Range      said         `json:"range,omitempty"`
	Covers     []int        `json:"covers,omitempty"`     // begin and end, by turns, of the spans of Lowest that Range covers
	CoversGone []int        `json:"coversGone,omitempty"` // those of Gone that only Range takes over
	V0         *outcomeData `json:"v0,omitempty"`         // nil if OLM stays there by itself
	V1         *outcomeData `json:"v1,omitempty"`
	Head       bool         `json:"head,omitempty"`
	Skipped    bool         `json:"skipped,omitempty"`
	Stuck      []string     `json:"stuck,omitempty"`     // why OLM v0 goes no further
	StuckV1    bool         `json:"stuckV1,omitempty"`   // OLM v1 has no successor for it
	Refused    []int        `json:"refused,omitempty"`   // the bundle that OLM v1 chooses and does not install, and the property
	CRDs       [][]int      `json:"crds,omitempty"`      // name, versions, those that may be stored, what is new
	Unoffered  *int         `json:"unoffered,omitempty"` // the entry that skips it so that OLM v0 never offers it, -1 if it is off the order
}

// outcomeData is what OLM does with an entry by itself: where it goes next, why, and where that ends after how many hops.
type outcomeData struct {
	Next int    `json:"next"`
	Kind string `json:"kind"`
	Hops int    `json:"hops"`
	End  int    `json:"end"`
	Loop bool   `json:"loop,omitempty"`
}

type bundleData struct {
	Name        int     `json:"name"`
	Defined     bool    `json:"defined,omitempty"`
	Version     string  `json:"version,omitempty"`
	Rank        int     `json:"rank"`               // higher for higher versions, equal for equal ones; -1 if it has none
	Readable    bool    `json:"readable,omitempty"` // OLM v1 can read its version
	Gone        bool    `json:"gone,omitempty"`     // the package does not have it any more
	Refused     *int    `json:"refused,omitempty"`  // the property for which OLM v1 does not install it
	Equal       []int   `json:"equal,omitempty"`    // of the best of a version and release, the other bundles that have both
	Same        said    `json:"same,omitempty"`     // the version, where there are any
	Pos         place   `json:"pos,omitempty"`
	Image       *int    `json:"image,omitempty"`
	Images      [][]int `json:"images,omitempty"` // name and image
	Provides    []int   `json:"provides,omitempty"`
	Requires    []int   `json:"requires,omitempty"`
	Max         string  `json:"max,omitempty"`
	Deprecation *int    `json:"deprecation,omitempty"`
}

type findingData struct {
	Severity string `json:"severity"`
	Rule     int    `json:"rule"`
	Package  *int   `json:"package,omitempty"`
	Channel  *int   `json:"channel,omitempty"`
	Bundle   *int   `json:"bundle,omitempty"`
	CRD      string `json:"crd,omitempty"`
	Message  int    `json:"message"`
	Cure     int    `json:"fix"`
	Pos      place  `json:"pos,omitempty"`
}

// place is a file and a line; nil if they are not known.
type place []int

// said is a string and its place; nil if it is not there.
type said []int

// dataBuilder turns a page into data, each string kept once.
type dataBuilder struct {
	pageData
	at           map[string]int
	dependencies []resolve.PackageDependency
}

func dataOf(p *Page) (*pageData, error) {
	g := &dataBuilder{at: map[string]int{}}
	g.Title, g.OLM, g.Texts, g.Packages, g.Findings = p.Title, p.OLM.String(), []string{}, []packageData{}, []findingData{}
	if p.Catalog != nil {
		g.pageData.Catalog = p.Catalog.Name
	}
	if p.Dependencies != nil {
		g.dependencies = p.Dependencies.PackageDependencies()
	}
	if p.DependencyDiagram != nil {
		g.web(p.DependencyDiagram)
	}
	shown := map[string]bool{"": true}
	for i := range p.Packages {
		data, err := g.gatherPackage(&p.Packages[i])
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", p.Packages[i].PackageGraph.Package.Name.Value, err)
		}
		g.Packages = append(g.Packages, data)
		shown[p.Packages[i].PackageGraph.Package.Name.Value] = true
	}
	for i := range p.Findings {
		if f := &p.Findings[i]; f.Catalog == g.Catalog && shown[f.Package] {
			g.Findings = append(g.Findings, g.finding(f))
		}
	}
	return &g.pageData, nil
}

func (g *dataBuilder) text(s string) int {
	i, met := g.at[s]
	if !met {
		i = len(g.Texts)
		g.at[s] = i
		g.Texts = append(g.Texts, s)
	}
	return i
}

// some is text, or nil if there is none.
func (g *dataBuilder) some(s string) *int {
	if s == "" {
		return nil
	}
	i := g.text(s)
	return &i
}

func (g *dataBuilder) place(p catalogs.Pos) place {
	if !p.Known() {
		return nil
	}
	return place{g.text(p.File), p.Line}
}

func (g *dataBuilder) said(t catalogs.Text) said {
	if t.Value == "" {
		return nil
	}
	return append(said{g.text(t.Value)}, g.place(t.Pos)...)
}

func (g *dataBuilder) deprecation(p *catalogs.Package, schema, name string) *int {
	if d := p.Deprecation(schema, name); d != nil {
		i := g.text(d.Message.Value)
		return &i
	}
	return nil
}

func (g *dataBuilder) finding(f *lint.Finding) findingData {
	return findingData{Severity: f.Severity.String(), Rule: g.text(f.Rule), Package: g.some(f.Package), Channel: g.some(f.Channel),
		Bundle: g.some(f.Bundle), CRD: f.CRD, Message: g.text(f.Message), Cure: g.text(f.Fix), Pos: g.place(f.Pos)}
}

func (g *dataBuilder) gatherPackage(p *Package) (packageData, error) {
	pkg := p.PackageGraph.Package
	data := packageData{Name: g.text(pkg.Name.Value), Default: -1, Drawn: len(p.SVG) > 0, Pos: g.place(pkg.Pos),
		Deprecation: g.deprecation(pkg, catalogs.SchemaPackage, ""), Channels: []channelData{}, Bundles: []bundleData{}}
	ids, names := bundleIDs(p.PackageGraph)
	ranks := ranksOf(p.PackageGraph)
	versions, twins := p.PackageGraph.Extension(false).SameVersion()
	for _, names := range versions {
		data.Versions = append(data.Versions, idsOf(names, ids))
	}
	for _, name := range names {
		b, err := g.bundle(p.PackageGraph, name, ranks)
		if err != nil {
			return data, err
		}
		if b.Equal = idsOf(twins[name], ids); len(b.Equal) > 0 {
			b.Same = g.said(pkg.Bundle(name).Version)
		}
		data.Bundles = append(data.Bundles, b)
	}
	for i, c := range p.PackageGraph.Graphs {
		if c.Channel.Name.Value == pkg.DefaultChannel.Value {
			data.Default = i
		}
		data.Channels = append(data.Channels, g.channel(p.PackageGraph, c, ids))
	}
	g.needs(&data, pkg.Name.Value)
	return data, nil
}

// idsOf returns the numbers of names.
func idsOf(names []string, ids map[string]int) []int {
	var all []int
	for _, name := range names {
		all = append(all, ids[name])
	}
	return all
}

// bundleIDs numbers the names of a package: its bundles, the entries that have none, and what entries name that is gone.
func bundleIDs(a *graph.PackageGraph) (ids map[string]int, names []string) {
	ids = map[string]int{}
	add := func(name string) {
		if _, met := ids[name]; !met {
			ids[name] = len(names)
			names = append(names, name)
		}
	}
	for _, b := range a.Package.Bundles {
		add(b.Name.Value)
	}
	for _, c := range a.Graphs {
		for i := range c.Channel.Entries {
			add(c.Name(i))
		}
	}
	for _, name := range a.RemovedNames() {
		add(name)
	}
	return ids, names
}

// ranksOf orders the bundles that have a version by it, and what is gone by the version that its name ends in.
func ranksOf(a *graph.PackageGraph) map[string]int {
	type versioned struct {
		name string
		semver.Version
	}
	var sorted []versioned
	for _, b := range a.Package.Bundles {
		if b.Semver() != nil && a.Package.Bundle(b.Name.Value) == b {
			sorted = append(sorted, versioned{b.Name.Value, *b.Semver()})
		}
	}
	for _, name := range a.RemovedNames() {
		if v, ok := graph.VersionIn(name); ok {
			sorted = append(sorted, versioned{name, v})
		}
	}
	slices.SortStableFunc(sorted, func(a, b versioned) int { return a.Compare(b.Version) })
	ranks := map[string]int{}
	rank := 0
	for i, b := range sorted {
		if i > 0 && sorted[i-1].LT(b.Version) {
			rank++
		}
		ranks[b.name] = rank
	}
	return ranks
}

func (g *dataBuilder) bundle(a *graph.PackageGraph, name string, ranks map[string]int) (bundleData, error) {
	p := a.Package
	data := bundleData{Name: g.text(name), Rank: -1, Deprecation: g.deprecation(p, catalogs.SchemaBundle, name)}
	if rank, ok := ranks[name]; ok {
		data.Rank, data.Readable = rank, true
	}
	b := p.Bundle(name)
	if b == nil {
		if data.Gone = !a.Has(name); data.Gone {
			data.Version = graph.BundleNamed(name).Version
		}
		return data, nil
	}
	data.Defined, data.Version, data.Pos, data.Image = true, b.Version.Value, g.place(b.Pos), g.some(b.Image.Value)
	if r := graph.RefusalOf(b); r != nil {
		data.Refused = g.some(r.Property)
	}
	for _, image := range b.RelatedImages {
		data.Images = append(data.Images, []int{g.text(image.Name.Value), g.text(image.Image.Value)})
	}
	needs, err := b.Dependencies()
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

func (g *dataBuilder) channel(a *graph.PackageGraph, c *graph.Graph, ids map[string]int) channelData {
	name := c.Channel.Name.Value
	data := channelData{Name: g.text(name), Head: -1, Pos: g.place(c.Channel.Pos), Newest: c.ByVersion(), Lowest: byLowest(c),
		Deprecation: g.deprecation(a.Package, catalogs.SchemaChannel, name), Entries: make([]entryData, len(c.Channel.Entries))}
	if head, ok := c.Head(); ok {
		data.Head = head
	}
	_, err := c.Order()
	if err != nil {
		data.Error = err.Error()
	}
	covers := coversOf(c, data.Lowest)
	for i := range data.Entries {
		data.Entries[i].Bundle = ids[c.Name(i)]
	}
	for _, row := range c.Rows() {
		e := &data.Entries[row.Entry]
		g.entry(e, c, &row)
		e.Covers = covers[row.Entry]
		if err == nil && !c.Offers(row.Entry) {
			by, _ := c.SkippedBy(row.Entry)
			e.Unoffered = &by.To
		}
	}
	markStuck(data.Entries, a, c)
	g.gone(&data, a, c, ids)
	g.crds(data.Entries, a, c)
	return data
}

// crds says what the bundles bring of CRDs.
func (g *dataBuilder) crds(entries []entryData, a *graph.PackageGraph, c *graph.Graph) {
	for _, h := range preflight.New(a.Package, preflight.Options{}).VersionHistories(c.Channel) {
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

// gone adds the entries of what is gone.
func (g *dataBuilder) gone(data *channelData, a *graph.PackageGraph, c *graph.Graph, ids map[string]int) {
	x := a.Extension(false, c)
	v1 := a.RemovedRows(graph.Question{Extension: x})
	for i, row := range a.RemovedRows(graph.Question{Channel: c}) {
		at := len(data.Entries)
		e := entryData{Bundle: ids[row.Name], V0: outcomeOf(&row, c), V1: outcomeOf(&v1[i], c)}
		if r := v1[i].Refusal; r != nil {
			e.Refused = []int{g.text(r.Bundle), g.text(r.Property)}
		}
		for _, to := range c.CoveringInstalled(row.InstalledBundle) {
			data.Entries[to].CoversGone = append(data.Entries[to].CoversGone, at)
		}
		data.Entries, data.Gone = append(data.Entries, e), append(data.Gone, at)
	}
}

// outcomeOf is what becomes of something that is gone, nil if OLM does not upgrade it.
func outcomeOf(r *graph.InstalledRow, c *graph.Graph) *outcomeData {
	if r.Step == nil {
		return nil
	}
	end, _ := c.Index(r.End)
	return &outcomeData{Next: r.Step.Edge.To, Kind: r.Step.Edge.Kind.String(), Hops: r.Hops, End: end, Loop: r.Loop}
}

func (g *dataBuilder) entry(e *entryData, c *graph.Graph, row *graph.EntryRow) {
	entry := &c.Channel.Entries[row.Entry]
	e.Pos, e.Replaces, e.Range = g.place(entry.Pos), g.said(entry.Replaces), g.said(entry.SkipRange)
	for _, skip := range entry.Skips {
		e.Skips = append(e.Skips, append(said{g.text(skip.Value)}, g.place(skip.Pos)...))
	}
	e.Head, e.Skipped = row.Head, row.Skipped
	if row.Next.To >= 0 {
		e.V0 = &outcomeData{Next: row.Next.To, Kind: row.Next.Kind.String(), Hops: row.Hops, End: row.End, Loop: row.Loop}
	}
	if row.NextV1.To >= 0 {
		e.V1 = &outcomeData{Next: row.NextV1.To, Kind: row.NextV1.Kind.String(), Hops: row.HopsV1, End: row.EndV1}
	}
	if r := row.RefusalV1; r != nil {
		e.Refused = []int{g.text(r.Bundle), g.text(r.Property)}
	}
}

// markStuck says of the stuck entries of a channel why they are.
func markStuck(entries []entryData, a *graph.PackageGraph, c *graph.Graph) {
	for _, s := range c.Stuck() {
		entries[s.Entry].Stuck = wording.Stuck(a, c, &s)
	}
	for _, i := range c.DeadEndsV1() {
		entries[i].StuckV1 = true
	}
}

// byLowest returns the entries that have a version, lowest first: the order in which OLM v1's ways are looked for.
func byLowest(c *graph.Graph) []int {
	sorted := slices.DeleteFunc(slices.Clone(c.Entries()), func(i int) bool { return c.Version(i) == nil })
	slices.SortStableFunc(sorted, func(a, b int) int { return c.Version(a).Compare(*c.Version(b)) })
	return sorted
}

// coversOf returns, of each entry, the spans of the sorted entries that its skipRange takes over, where no other field does.
func coversOf(c *graph.Graph, sorted []int) [][]int {
	covers := make([][]int, len(c.Channel.Entries))
	for at, from := range sorted {
		for _, e := range c.Successors(from) {
			if e.Kind != graph.SkipRange {
				continue
			}
			spans := covers[e.To]
			if n := len(spans); n > 0 && spans[n-1] == at {
				spans[n-1]++
			} else {
				covers[e.To] = append(spans, at, at+1)
			}
		}
	}
	return covers
}
