package graph

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Extension is a ClusterExtension: what OLM v1 chooses of a package for it (operator-controller: resolve/catalog.go Resolve). Like
// a Graph it never changes and is safe for concurrent use.
type Extension struct {
	Package *catalogs.Package
	// Channels have the edges that count: those that the extension names, or all of the package.
	Channels      []*Graph
	NamesChannels bool // the extension names channels, and OLM v1 chooses bundles of these only

	releases ReleaseOrder

	bundles    []*catalogs.Bundle // that can be chosen, in the order of the catalog
	index      map[string]int     // of these, by name
	entries    [][]entryAt        // of each bundle
	versions   []*release         // of each bundle; nil where OLM v1 reads none
	deprecated []bool
	best       []int                    // the bundles, best first
	rank       []int                    // of each bundle, its place in best
	declaredBy map[string][]declaration // by name, the entries that replace or skip it: the first of each bundle, best bundle first
	withRange  map[string][]int         // the bundles with an entry of a skipRange
	ranges     map[string]*Range

	candidates    lazy[candidates]
	equalVersions lazy[equalBundles]
	chosenEdges   lazy[*automaticEdges]
	upgradeEdges  lazy[*automaticEdges]
}

// entryAt is an entry of a channel.
type entryAt struct {
	graph *Graph
	entry *catalogs.Entry
}

// Extension returns the ClusterExtension that names these channels, or none. With releases the feature gate BundleReleaseSupport of
// operator-controller is on: see bundleRelease.
func (pg *PackageGraph) Extension(releases bool, channels ...*Graph) *Extension {
	return pg.ExtensionFor(ReleaseOrder{Explicit: releases}, channels...)
}

// ExtensionFor is Extension for a release of operator-controller with that order.
func (pg *PackageGraph) ExtensionFor(releases ReleaseOrder, channels ...*Graph) *Extension {
	if len(channels) > 0 {
		return newExtension(pg.Package, channels, true, releases)
	}
	return newExtension(pg.Package, pg.Graphs, false, releases)
}

func newExtension(p *catalogs.Package, channels []*Graph, named bool, releases ReleaseOrder) *Extension {
	x := &Extension{Package: p, Channels: channels, NamesChannels: named, releases: releases, index: map[string]int{}, ranges: map[string]*Range{},
		declaredBy: map[string][]declaration{}, withRange: map[string][]int{}}
	places := map[string][]entryAt{}
	for _, g := range channels {
		for i := range g.Channel.Entries {
			e := &g.Channel.Entries[i]
			places[e.Name.Value] = append(places[e.Name.Value], entryAt{g, e})
			if text := e.SkipRange.Value; text != "" && x.ranges[text] == nil {
				x.ranges[text] = g.Range(i)
			}
		}
	}
	for _, b := range chosenBundles(p, places, named) {
		name := b.Name.Value
		x.index[name] = len(x.bundles)
		x.bundles = append(x.bundles, b)
		x.entries = append(x.entries, places[name])
		x.versions = append(x.versions, bundleRelease(b, releases))
		x.deprecated = append(x.deprecated, p.Deprecation(catalogs.SchemaBundle, name) != nil)
		x.best = append(x.best, len(x.best))
	}
	slices.SortStableFunc(x.best, x.compare)
	x.rank = make([]int, len(x.best))
	for at, i := range x.best {
		x.rank[i] = at
		x.indexEdges(i)
	}
	return x
}

// chosenBundles returns the first bundle of each name, in the order of the package; if channels are named those that have entries in them.
func chosenBundles(p *catalogs.Package, places map[string][]entryAt, named bool) []*catalogs.Bundle {
	if !named {
		return slices.DeleteFunc(slices.Clone(p.Bundles), func(b *catalogs.Bundle) bool { return p.Bundle(b.Name.Value) != b })
	}
	var at []int
	for name := range places {
		if i := p.BundleIndex(name); i >= 0 {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	return words.Map(at, func(i int) *catalogs.Bundle { return p.Bundles[i] })
}

// declaration is an entry of a bundle that replaces or skips a name.
type declaration struct {
	bundle int
	graph  *Graph
	kind   EdgeKind
	where  catalogs.Text
}

// indexEdges indexes what the entries of a bundle replace, skip and cover. It must be called for the best bundles first.
func (x *Extension) indexEdges(i int) {
	for _, at := range x.entries[i] {
		for kind, where := range declaredNames(at.entry) {
			if all := x.declaredBy[where.Value]; len(all) == 0 || all[len(all)-1].bundle != i {
				x.declaredBy[where.Value] = append(all, declaration{i, at.graph, kind, where})
			}
		}
		text := at.entry.SkipRange.Value
		if all := x.withRange[text]; x.ranges[text] != nil && (len(all) == 0 || all[len(all)-1] != i) {
			x.withRange[text] = append(all, i)
		}
	}
}

// findDeclaration returns the entry of a bundle that replaces or skips a name.
func (x *Extension) findDeclaration(bundle int, name string) (declaration, bool) {
	all := x.declaredBy[name]
	at, ok := slices.BinarySearchFunc(all, bundle, func(n declaration, bundle int) int { return x.rank[n.bundle] - x.rank[bundle] })
	if !ok {
		return declaration{}, false
	}
	return all[at], true
}

// ReleaseOrder says what orders bundles of one version. The zero value is what operator-controller v1.8 to v1.10 do by default: build
// metadata that could be a release is one.
type ReleaseOrder struct {
	Ignored   bool // nothing does: operator-controller before v1.8 (compare ByVersion)
	Explicit  bool // the feature gate BundleReleaseSupport is on: a release of the bundle's own takes the place of build metadata
	MaxLength int  // of a release, in bytes; 0: any (operator-registry: declcfg NewRelease, from operator-controller v1.11 on)
}

// release is a version and a release as OLM v1 orders them.
type release struct {
	version semver.Version
	release []semver.PRVersion // none is lower than any
}

// bundleRelease reads the version of a bundle, nil if OLM v1 cannot. Build metadata is the release, if it could be one; a release of the
// bundle's own takes its place where the feature gate BundleReleaseSupport is on, which it is not by default (operator-controller:
// bundleutil GetVersionAndRelease).
func bundleRelease(b *catalogs.Bundle, order ReleaseOrder) *release {
	v, err := semver.Parse(b.Version.Value)
	if err != nil {
		return nil
	}
	r := &release{version: v}
	explicit := order.Explicit && (b.Release.Value != "" || b.Release.Pos.IsKnown())
	text := strings.Join(v.Build, ".")
	if explicit {
		text = b.Release.Value
	}
	tooLong := order.MaxLength > 0 && len(text) > order.MaxLength
	switch {
	case text == "" || order.Ignored || tooLong && !explicit:
		return r
	case tooLong:
		return nil
	}
	if r.release, err = parseRelease(text); err != nil && explicit {
		return nil
	}
	return r
}

// parseRelease reads what pre-releases of versions are made of.
func parseRelease(text string) ([]semver.PRVersion, error) {
	var all []semver.PRVersion
	for part := range strings.SplitSeq(text, ".") {
		pr, err := semver.NewPRVersion(part)
		if err != nil {
			return nil, err
		}
		all = append(all, pr)
	}
	return all, nil
}

func (r *release) compare(s *release) int {
	if c := r.version.Compare(s.version); c != 0 {
		return c
	}
	if len(r.release) == 0 || len(s.release) == 0 {
		return cmp.Compare(len(r.release), len(s.release))
	}
	return semver.Version{Pre: r.release}.Compare(semver.Version{Pre: s.release})
}

// compare orders the better of two bundles first.
func (x *Extension) compare(a, b int) int {
	return cmp.Or(find.CompareFirst(!x.deprecated[a], !x.deprecated[b]), x.compareVersions(a, b))
}

// compareVersions orders the newer of two bundles first, and bundles without a version last.
func (x *Extension) compareVersions(a, b int) int {
	if v, w := x.versions[a], x.versions[b]; v != nil && w != nil {
		return w.compare(v)
	}
	return find.CompareFirst(x.versions[a] != nil, x.versions[b] != nil)
}

// byVersion returns the bundles, newest first, whether they are deprecated or not.
func (x *Extension) byVersion() []int {
	sorted := slices.Clone(x.best)
	slices.SortStableFunc(sorted, x.compareVersions)
	return sorted
}

// Best returns the name of the bundle that OLM v1 chooses where nothing is installed; "" if there is none.
func (x *Extension) Best() string {
	if len(x.best) == 0 {
		return ""
	}
	return x.name(x.best[0])
}

// RequestedBundles returns the bundles that OLM v1 installs if their version is requested and nothing is installed, best first: of several of
// one version the best.
func (x *Extension) RequestedBundles() []*catalogs.Bundle {
	var all []*catalogs.Bundle
	for _, i := range x.best {
		if equal := x.equalBundles().version[i]; len(equal) > 0 && equal[0] == i {
			all = append(all, x.bundles[i])
		}
	}
	return all
}

// Has reports whether OLM v1 can choose a bundle of that name.
func (x *Extension) Has(name string) bool {
	_, ok := x.index[name]
	return ok
}

func (x *Extension) name(i int) string { return x.bundles[i].Name.Value }

// candidates are the bundles from which edges are looked up: those of the extension, and perhaps another installed one.
type candidates struct {
	*versionIndex
	other  *installedV1      // behind the bundles; or nil
	covers map[string][]span // by skipRange, which of the versions it covers
}

// ownCandidates returns the bundles of the extension as candidates.
func (x *Extension) ownCandidates() candidates {
	return x.candidates.value(func() candidates { return x.candidatesWith(nil) })
}

// candidatesWith adds one that the extension does not have, behind its bundles.
func (x *Extension) candidatesWith(other *installedV1) candidates {
	versions := make([]*semver.Version, len(x.bundles), len(x.bundles)+1)
	for i, r := range x.versions {
		if r != nil {
			versions[i] = &r.version
		}
	}
	names := x.index
	if other != nil {
		names = maps.Clone(names)
		names[other.name] = len(versions)
		versions = append(versions, other.version())
	}
	c := candidates{newVersionIndex(names, versions), other, map[string][]span{}}
	for text, r := range x.ranges {
		if r != nil {
			c.covers[text] = r.spans(c.versions)
		}
	}
	return c
}

// equalBundles holds, of each bundle that has a version, those that are equal to it, itself included, best first.
type equalBundles struct {
	release [][]int // by version and release
	version [][]int // by version alone
	sorted  []int   // all of them, newest first
}

func (x *Extension) equalBundles() equalBundles {
	return x.equalVersions.value(func() equalBundles {
		sorted := slices.DeleteFunc(x.byVersion(), func(i int) bool { return x.versions[i] == nil })
		e := equalBundles{make([][]int, len(x.bundles)), make([][]int, len(x.bundles)), sorted}
		groupEqual(e.release, sorted, func(a, b int) bool { return x.versions[a].compare(x.versions[b]) == 0 })
		groupEqual(e.version, sorted, func(a, b int) bool { return x.versions[a].version.EQ(x.versions[b].version) })
		for at, i := range sorted { // of one version the deprecated are not the last yet, where releases differ
			if equal := e.version[i]; len(equal) > 1 && equal[0] == i && &equal[0] == &sorted[at] {
				e.version[i] = slices.SortedStableFunc(slices.Values(equal), x.compare)
				for _, twin := range equal {
					e.version[twin] = e.version[i]
				}
			}
		}
		return e
	})
}

// groupEqual gives each item of a sorted slice the part of the slice that is equal to it.
func groupEqual(parts [][]int, sorted []int, equal func(a, b int) bool) {
	for first := 0; first < len(sorted); {
		end := first + 1
		for end < len(sorted) && equal(sorted[first], sorted[end]) {
			end++
		}
		for _, i := range sorted[first:end] {
			parts[i] = sorted[first:end:end]
		}
		first = end
	}
}

// newEdgeAssignment assigns candidates.
func (x *Extension) newEdgeAssignment(c candidates) *edgeAssignment {
	all := newEdgeAssignment(c.versionIndex, len(c.versionOf), func(to int, each func(*catalogs.Entry, []span)) {
		for _, at := range x.entries[to] {
			each(at.entry, c.covers[at.entry.SkipRange.Value])
		}
	})
	all.sameVersion = func(to int, each func(Edge)) { x.equalTo(to, c.other, each) }
	return all
}

// equalTo calls a function with the edges into a bundle from candidates of the same version and release, itself included, if it is the
// best of the extension's: no other one is ever chosen because of its version alone.
func (x *Extension) equalTo(to int, other *installedV1, each func(Edge)) {
	equal := x.equalBundles().release[to]
	if len(equal) == 0 || equal[0] != to {
		return
	}
	for _, from := range equal {
		each(Edge{From: from, To: to, Kind: SameVersion, Where: x.bundles[to].Version})
	}
	if other != nil && other.release != nil && other.release.compare(x.versions[to]) == 0 {
		each(Edge{From: len(x.bundles), To: to, Kind: SameVersion, Where: x.bundles[to].Version})
	}
}

// Reads reports whether OLM v1 can read the version of a bundle.
func (o ReleaseOrder) Reads(b *catalogs.Bundle) bool { return bundleRelease(b, o) != nil }
