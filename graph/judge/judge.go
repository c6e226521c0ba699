// Package judge determines what stops, endangers or conditions the installation of a bundle and an upgrade: in the bundle alone, between two of
// them, and on a given cluster. It also knows what upgrades do to CustomResourceDefinitions, and which versions may be stored. It assigns no
// severities.
package judge

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
)

// Options are settings for a Package.
type Options struct {
	// Graph returns the graph of a channel of the package; nil: graph.New.
	Graph func(*catalogs.Channel) *graph.Graph
	// Dependencies returns what a bundle provides; nil: bundled.KnownDependencies.
	Dependencies func(*catalogs.Bundle) *catalogs.Dependencies
	// OLM are the generations of OLM that users of the package may have; none: all.
	OLM []graph.Generation
	// MigratesSince is the version from which on the operator migrates the objects of its CRDs to their storage version; nil: never.
	MigratesSince *semver.Version
	// Kubernetes is the version of the cluster, as 1.29; "": not known.
	Kubernetes string
	// Checks are computed together: see Checks.
	Checks Checks
	// Published is the package as the base has it, if only faults that it does not have are told; nil: all are. See MayHaveNewFaults.
	Published *catalogs.Package
	// Base is the package as it was published, and OpenShift the version that the catalog is for: see graph.Origins. Either may be unknown.
	Base      *catalogs.Package
	OpenShift string
	// Cache has what is known already; nil: nothing.
	Cache *Cache
	// Results are for a Package without Cache; nil: none are known.
	Results *Results
	// Goroutines compute Checks: at least one.
	Goroutines int
}

// Package has the manifests, CRDs and upgrades of one package. What is decoded and compared is cached, except schemas. It is not
// safe for concurrent use.
type Package struct {
	pkg     *catalogs.Package
	options Options
	graphs  memo.Map[*catalogs.Channel, *graph.Graph]

	*Cache
	manifests    memo.Map[*catalogs.Bundle, []*bundled.Manifest]
	unread       []Unread
	crdManifests memo.Map[*catalogs.Bundle, []*bundled.Manifest]
	crds         memo.Map[*catalogs.Bundle, []*CRD]

	provided    memo.Map[*catalogs.Bundle, map[string][]string]
	reasons     memo.Map[*catalogs.Bundle, []*Reason]
	installable memo.Map[*catalogs.Bundle, bool]
	upgrades    func() []Upgrade
	origins     func() *graph.Origins
	stored      func() []*StoredVersion
	ordered     func() *bundlesByVersion
	published   func() map[*bundled.Object]bool
	prepared    bool // options.Checks were computed
}

// New returns a Package. Manifests are read when they are needed.
func New(pkg *catalogs.Package, o Options) *Package {
	p := &Package{pkg: pkg, options: o, Cache: cmp.Or(o.Cache, &Cache{results: o.Results})}
	p.results = cmp.Or(p.results, &Results{})
	if len(o.OLM) == 0 {
		p.options.OLM = []graph.Generation{graph.V0, graph.V1}
	}
	if o.Dependencies == nil {
		p.options.Dependencies = bundled.KnownDependencies
	}
	p.upgrades = sync.OnceValue(p.allUpgrades)
	p.origins = sync.OnceValue(p.findOrigins)
	p.stored = sync.OnceValue(p.storedVersions)
	p.ordered = sync.OnceValue(func() *bundlesByVersion { return newBundlesByVersion(pkg) })
	p.published = sync.OnceValue(p.publishedCRDs)
	return p
}

func (p *Package) graph(c *catalogs.Channel) *graph.Graph {
	if p.options.Graph != nil {
		return p.options.Graph(c)
	}
	return p.graphs.Get(c, func() *graph.Graph { return graph.New(p.pkg, c) })
}

func (p *Package) findOrigins() *graph.Origins {
	a := graph.PackageGraph{Package: p.pkg}
	for _, c := range p.pkg.Channels {
		if p.pkg.Channel(c.Name.Value) == c {
			a.Graphs = append(a.Graphs, p.graph(c))
		}
	}
	return a.Origins(p.options.Base, p.options.OpenShift)
}

// Unread is a bundle whose manifests could not be read again.
type Unread struct {
	Bundle *catalogs.Bundle
	Err    error
}

// Unread returns the bundles whose manifests could not be read when they were needed.
func (p *Package) Unread() []Unread { return p.unread }

// Manifests returns the objects in a bundle, as far as they can be read: see Unread. A text of several bundles is decoded once.
func (p *Package) Manifests(b *catalogs.Bundle) []*bundled.Manifest {
	return p.manifests.Get(b, func() []*bundled.Manifest {
		all, err := p.reader.Read(b)
		if err != nil {
			p.unread = append(p.unread, Unread{b, err})
		}
		return all
	})
}

// Objects returns the objects in a bundle that could be parsed.
func (p *Package) Objects(b *catalogs.Bundle) []*bundled.Manifest {
	return slices.DeleteFunc(slices.Clone(p.Manifests(b)), func(m *bundled.Manifest) bool { return m.Fault != "" })
}

// CSV returns the ClusterServiceVersion of a bundle, the first one if it has several, or nil.
func (p *Package) CSV(b *catalogs.Bundle) *csv.CSV {
	all := p.Manifests(b)
	i := slices.IndexFunc(all, func(m *bundled.Manifest) bool { return m.Kind == csv.Kind })
	if i < 0 {
		return nil
	}
	object := all[i].Object
	return &csv.CSV{Document: p.csvs.Get(object, func() *csv.Document { return csv.Decode(object) }), Manifest: all[i]}
}

// Upgrade is an upgrade from one bundle to another that some user of a channel may make now.
type Upgrade struct {
	graph.Upgrade
	From, To *catalogs.Bundle
	Channel  string // "" if it is in several
}

// Upgrades returns the upgrades of the package without transitive ones (graph.DirectUpgrades), each pair of bundles once for all
// channels.
func (p *Package) Upgrades() []Upgrade { return p.upgrades() }

func (p *Package) allUpgrades() []Upgrade {
	var all []Upgrade
	seen := map[[2]*catalogs.Bundle]int{}
	for _, c := range p.pkg.Channels {
		for _, u := range p.graph(c).DirectUpgrades() {
			from, to := c.Entries[u.From].Bundle, c.Entries[u.To].Bundle
			if from == nil || to == nil {
				continue
			}
			u, ok := p.restrictOLM(u, from, to)
			if !ok {
				continue
			}
			pair := [2]*catalogs.Bundle{from, to}
			if i, again := seen[pair]; again {
				all[i].V0 = all[i].V0 || u.V0
				all[i].V1 = all[i].V1 || u.V1
				all[i].Channel = ""
				continue
			}
			seen[pair] = len(all)
			all = append(all, Upgrade{Upgrade: u, Channel: c.Name.Value, From: from, To: to})
		}
	}
	return all
}

// restrictOLM returns an upgrade without the generations of OLM that no user of the package has, and reports whether one is left. OLM
// v1 does not upgrade between bundles that it does not install.
func (p *Package) restrictOLM(u graph.Upgrade, from, to *catalogs.Bundle) (graph.Upgrade, bool) {
	u.V0 = u.V0 && slices.Contains(p.options.OLM, graph.V0)
	u.V1 = u.V1 && slices.Contains(p.options.OLM, graph.V1) && p.installableV1(from) && p.installableV1(to)
	return u, u.V0 || u.V1
}

// installableV1 reports whether a bundle is made for OLM v1 with the default feature gates of its newest release (operator-controller: resolve
// NoDependencyValidation). One that is only broken counts as well: once that is fixed, OLM v1 upgrades to it.
func (p *Package) installableV1(b *catalogs.Bundle) bool {
	return p.installable.Get(b, func() bool {
		return graph.V1Refusal(b) == nil && !slices.ContainsFunc(rows, func(r *Row) bool { return r.notForV1 && slices.ContainsFunc(p.Find(r, b), newest.Rejects) })
	})
}

// Between returns the bundles whose version is between those of two others, the newest first: those of the package, and of its repository
// for other OpenShift versions. What the newest of them has already was decided before the release of the second bundle.
func (p *Package) Between(from, to *catalogs.Bundle) []*catalogs.Bundle {
	first, end := p.ordered().between(from, to)
	return p.ordered().all[first:end]
}

// bundlesByVersion are the bundles of a package and of its repository for other OpenShift versions.
type bundlesByVersion struct {
	all  []*catalogs.Bundle // the newest first
	bare []int              // of each: itself, or a later one up to which no manifests are known; asked for as late as possible: it can pull an image
}

func newBundlesByVersion(p *catalogs.Package) *bundlesByVersion {
	all := slices.DeleteFunc(slices.Concat(p.Bundles, p.Elsewhere), func(b *catalogs.Bundle) bool { return b.Semver() == nil })
	slices.SortStableFunc(all, func(a, b *catalogs.Bundle) int { return b.Semver().Compare(*a.Semver()) })
	o := &bundlesByVersion{all, make([]int, len(all)+1)}
	for i := range o.bare {
		o.bare[i] = i
	}
	return o
}

// between returns where the bundles between two others begin and end.
func (o *bundlesByVersion) between(from, to *catalogs.Bundle) (first, end int) {
	low, high := from.Semver(), to.Semver()
	if low == nil || high == nil {
		return 0, 0
	}
	first = sort.Search(len(o.all), func(i int) bool { return o.all[i].Semver().LT(*high) })
	return first, max(first, sort.Search(len(o.all), func(i int) bool { return o.all[i].Semver().LE(*low) }))
}

// newestBetween returns the newest of the bundles between those of an upgrade of which the manifests are known, nil if there is none.
func (o *bundlesByVersion) newestBetween(from, to *catalogs.Bundle) *catalogs.Bundle {
	at, end := o.between(from, to)
	for at < end {
		switch b := o.all[at]; {
		case o.bare[at] > at:
			o.bare[at] = o.bare[o.bare[at]]
			at = o.bare[at]
		case b.HasManifests():
			return b
		default:
			o.bare[at] = at + 1
		}
	}
	return nil
}
