package resolve

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph"
)

// Catalog is a catalog whose properties have been read, for use in any number of namespaces. It is safe for concurrent use.
type Catalog struct {
	*catalogs.Catalog
	packages  map[string]*catalogPackage
	bundles   []*bundle            // in the order of packages
	byName    map[string][]*bundle // in the order of packages
	byAPI     map[catalogs.API][]*bundle
	byPackage map[string][]*bundle // and by what their properties name
	meetings  sync.Map             // by the key of a requirement: the bundles that meet it
}

// catalogPackage is a package of a catalog.
type catalogPackage struct {
	name     string
	channels []*channel // the default one first, then by name, as in OLM
}

// channel is a channel of a package, with its entries by their index in the graph.
type channel struct {
	pkg       *catalogPackage
	name      string
	isDefault bool
	graph     *graph.Graph
	entries   []*entry
}

// entry is a bundle in a channel.
type entry struct {
	channel *channel
	index   int
	bundle  *bundle
}

// bundle is a bundle of a catalog, in whatever channels it is; or one that is installed.
type bundle struct {
	name     string
	pkg      string
	version  *semver.Version
	facts    *catalogs.Facts
	requires []*predicate
	faults   []catalogs.RequirementFault
	entries  []*entry
	source   *bundleSpecification // nil if the catalog has no such bundle

	decode     sync.Once
	properties []map[string]any
}

// NewCatalog reads the properties of all bundles of a catalog. The error is the context's, or of a source that has changed since it
// was opened.
func NewCatalog(ctx context.Context, c *catalogs.Catalog) (*Catalog, error) {
	out := &Catalog{Catalog: c, packages: map[string]*catalogPackage{}, byName: map[string][]*bundle{}, byAPI: map[catalogs.API][]*bundle{}, byPackage: map[string][]*bundle{}}
	for _, p := range c.Packages {
		out.add(p)
	}
	if err := out.readFacts(ctx); err != nil {
		return nil, err
	}
	terms := &requirementCompiler{}
	for _, b := range out.bundles {
		terms.readRequirements(b)
		for _, api := range find.Distinct(b.facts.Provides) {
			out.byAPI[api] = append(out.byAPI[api], b)
		}
		names := []string{b.pkg}
		for _, p := range b.facts.Packages {
			names = append(names, p.Name)
		}
		for _, name := range find.Distinct(names) {
			out.byPackage[name] = append(out.byPackage[name], b)
		}
	}
	return out, nil
}

// add adds the channels of a package; the properties of their bundles are read later.
func (c *Catalog) add(p *catalogs.Package) {
	own := &catalogPackage{name: p.Name.Value}
	bundles := map[string]*bundle{}
	for _, g := range graph.NewPackageGraph(p).Graphs {
		name := g.Channel.Name.Value
		ch := &channel{pkg: own, name: name, isDefault: name == p.DefaultChannel.Value, graph: g, entries: make([]*entry, len(g.Channel.Entries))}
		for _, i := range g.Entries() {
			b := bundles[g.Name(i)]
			if b == nil {
				b = &bundle{name: g.Name(i), pkg: own.name, version: g.Version(i)}
				if from := p.Bundle(b.name); from != nil {
					b.source = &bundleSpecification{of: from}
				}
				bundles[b.name] = b
				c.bundles = append(c.bundles, b)
				c.byName[b.name] = append(c.byName[b.name], b)
			}
			ch.entries[i] = &entry{channel: ch, index: i, bundle: b}
			b.entries = append(b.entries, ch.entries[i])
		}
		own.channels = append(own.channels, ch)
	}
	slices.SortStableFunc(own.channels, func(a, b *channel) int {
		return cmp.Or(find.CompareFirst(a.isDefault, b.isDefault), cmp.Compare(a.name, b.name))
	})
	c.packages[own.name] = own
}

// readFacts reads all bundles, several at a time.
func (c *Catalog) readFacts(ctx context.Context) error {
	errs := make([]error, len(c.bundles))
	parallel.Each(len(errs), func(i int) {
		if ctx.Err() == nil {
			errs[i] = c.bundles[i].read()
		}
	})
	return cmp.Or(ctx.Err(), cmp.Or(errs...))
}

// read reads the facts of a bundle. An entry without a bundle, which opm rejects, provides its package and nothing else.
func (b *bundle) read() (err error) {
	facts, own := &catalogs.Facts{}, catalogs.PackageProperty{Name: b.pkg}
	if b.source != nil {
		if facts, err = bundled.Facts(b.source.of); err != nil {
			return err
		}
		own.Version = b.source.of.Version.Value
	}
	b.facts = factsFromServer(facts, own)
	return nil
}

// Package returns a package, nil if the catalog, which may be nil, does not have it.
func (c *Catalog) Package(name string) *catalogs.Package {
	if c == nil {
		return nil
	}
	return c.Catalog.Package(name)
}

// InstalledOperator returns a bundle of the catalog, which may be nil, as it is once OLM has installed it: with its properties, except that of a
// deprecation, because OLM installs none that has it. It is false if no channel has such a bundle.
func (c *Catalog) InstalledOperator(pkg, name string) (InstalledOperator, bool) {
	if c.Package(pkg) == nil || c.packages[pkg] == nil {
		return InstalledOperator{}, false
	}
	for _, ch := range c.packages[pkg].channels {
		if i, ok := ch.graph.Index(name); ok {
			return ch.entries[i].bundle.asInstalled(), true
		}
	}
	return InstalledOperator{}, false
}

func (b *bundle) asInstalled() InstalledOperator {
	facts := *b.facts
	if facts.Deprecated {
		facts.Deprecated = false
		facts.Properties = slices.DeleteFunc(slices.Clone(facts.Properties),
			func(p catalogs.PropertyValue) bool { return p.Type == catalogs.TypeDeprecated })
	}
	i := InstalledOperator{Name: b.name, Facts: &facts, FromAnnotation: true, source: b.source}
	if b.version != nil {
		i.Version = *b.version
	}
	return i
}

// factsFromServer returns the facts of a bundle as they reach the resolver: the registry server adds the simple requirements a second
// time, as dependencies, and OLM adds the package if there is none. Only rules that count properties see the difference (opm:
// api convertModelPropertiesToAPIDependencies; OLM: resolver newOperatorFromBundle, EnsurePackageProperty).
func factsFromServer(f *catalogs.Facts, own catalogs.PackageProperty) *catalogs.Facts {
	out := *f
	out.Properties = slices.Clip(f.Properties)
	for _, p := range f.Properties {
		switch p.Type {
		case catalogs.TypeGVKRequired:
			out.Properties = appendTrimmed[struct {
				Group   string `json:"group"`
				Version string `json:"version"`
				Kind    string `json:"kind"`
			}](out.Properties, p)
		case catalogs.TypePackageRequired:
			out.Properties = appendTrimmed[struct {
				Name  string `json:"packageName"`
				Range string `json:"versionRange"`
			}](out.Properties, p)
		}
	}
	if len(f.Packages) == 0 {
		out.Packages = []catalogs.PackageProperty{own}
		if value, err := json.Marshal(own); err == nil {
			out.Properties = append(out.Properties, catalogs.PropertyValue{Type: catalogs.TypePackage, Value: value})
		}
	}
	return &out
}

// appendTrimmed appends a property of whose value only the fields of T are kept.
func appendTrimmed[T any](all []catalogs.PropertyValue, p catalogs.PropertyValue) []catalogs.PropertyValue {
	var known T
	if json.Unmarshal(p.Value, &known) != nil {
		return all
	}
	value, err := json.Marshal(known)
	if err != nil {
		return all
	}
	return append(all, catalogs.PropertyValue{Type: p.Type, Value: value, Pos: p.Pos})
}
