package resolve

import (
	"context"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// DependencyIndex is an index of all requirements of the bundles of the catalogs of one cluster, and of the bundles that meet each,
// whatever is installed.
type DependencyIndex struct {
	// Dependencies are the requirements, each once, in the order of their first occurrence in the catalogs.
	Dependencies []*Dependency

	catalogs []*Catalog
	declared map[IndexedBundle][]DeclaredDependency
	byName   map[bundleName]IndexedBundle
}

// Dependency is a requirement with the bundles that have it and the bundles that meet it.
type Dependency struct {
	*catalogs.Requirement
	Dependents []IndexedBundle // in the order of the catalogs
	Met        []IndexedBundle // in the order of the catalogs
	// Costly says that the limit of olmgraph was reached before all bundles were tried; OLM itself has no limit. Met holds what
	// was found until then.
	Costly bool

	term *predicate
	met  map[IndexedBundle]bool
}

// DeclaredDependency is a requirement as one bundle declares it.
type DeclaredDependency struct {
	*Dependency
	Pos catalogs.Pos
}

// IndexedBundle is a bundle of one of the catalogs of an index.
type IndexedBundle struct {
	catalog int
	bundle  *bundle
}

type bundleName struct {
	at        int
	pkg, name string
}

// NewDependencyIndex finds the bundles that meet each requirement. The error is the context's.
func NewDependencyIndex(ctx context.Context, all ...*Catalog) (*DependencyIndex, error) {
	return newDependencyIndex(ctx, maxRuleCost, all)
}

// maxRuleCost is the limit for all rules of an index together, or for one rule in a namespace, in the cost units of CEL: some seconds.
const maxRuleCost = 20_000_000

// newDependencyIndex takes the limit for all rules together.
func newDependencyIndex(ctx context.Context, budget uint64, all []*Catalog) (*DependencyIndex, error) {
	m := &DependencyIndex{catalogs: all, declared: map[IndexedBundle][]DeclaredDependency{}, byName: map[bundleName]IndexedBundle{}}
	known := map[string]*Dependency{}
	for at, c := range all {
		for _, b := range c.bundles {
			o := IndexedBundle{at, b}
			m.byName[bundleName{at, b.pkg, b.name}] = o
			for _, t := range b.requires {
				id := requirementKey(t.requirement)
				n := known[id]
				if n == nil {
					n = &Dependency{Requirement: t.requirement, term: t, met: map[IndexedBundle]bool{}}
					known[id] = n
					m.Dependencies = append(m.Dependencies, n)
				}
				if !slices.ContainsFunc(m.declared[o], func(a DeclaredDependency) bool { return a.Dependency == n }) {
					n.Dependents = append(n.Dependents, o)
					m.declared[o] = append(m.declared[o], DeclaredDependency{n, t.requirement.Pos})
				}
			}
		}
	}
	for _, n := range m.Dependencies {
		if err := m.findProviders(ctx, n, &budget); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// findProviders finds the bundles that meet a requirement, and takes the cost from the budget.
func (m *DependencyIndex) findProviders(ctx context.Context, n *Dependency, budget *uint64) error {
	for at, c := range m.catalogs {
		for _, b := range c.candidates(n.Requirement) {
			if err := ctx.Err(); err != nil {
				return err
			}
			before := n.term.cost()
			if n.term.meets(b) {
				n.Met, n.met[IndexedBundle{at, b}] = append(n.Met, IndexedBundle{at, b}), true
			}
			*budget -= min(*budget, n.term.cost()-before)
			if len(n.term.rules) > 0 && (*budget == 0 || !n.term.withinLimit()) {
				n.Costly = true
				return nil
			}
		}
	}
	return nil
}

// Bundle returns a bundle of the catalog with index at; false if no channel has it.
func (m *DependencyIndex) Bundle(at int, pkg, name string) (IndexedBundle, bool) {
	o, ok := m.byName[bundleName{at, pkg, name}]
	return o, ok
}

// BundleFacts returns the facts of a bundle of the catalog with index at; nil if the index has not read them.
func (m *DependencyIndex) BundleFacts(at int, b *catalogs.Bundle) *catalogs.Facts {
	o, ok := m.byName[bundleName{at, b.Package.Value, b.Name.Value}]
	if !ok || o.bundle.source == nil || o.bundle.source.of != b {
		return nil
	}
	return o.bundle.facts
}

// BundleDependencies returns what a bundle requires, in the order of its properties, each requirement once. What OLM cannot read is among
// its Faults.
func (m *DependencyIndex) BundleDependencies(o IndexedBundle) []DeclaredDependency {
	return m.declared[o]
}

// MetBy reports whether a bundle meets the requirement.
func (n *Dependency) MetBy(o IndexedBundle) bool { return n.met[o] }

// Providers are the bundles of Met that OLM would install to meet the requirement: not those with the property olm.deprecated.
func (n *Dependency) Providers() []IndexedBundle {
	return slices.DeleteFunc(slices.Clone(n.Met), func(o IndexedBundle) bool { return o.bundle.facts.Deprecated })
}

// Bundles yields the bundles of all catalogs, in their order.
func (m *DependencyIndex) Bundles(yield func(IndexedBundle) bool) {
	for at, c := range m.catalogs {
		for _, b := range c.bundles {
			if !yield(IndexedBundle{at, b}) {
				return
			}
		}
	}
}

// Catalog is the index of the bundle's catalog.
func (o IndexedBundle) Catalog() int { return o.catalog }

// Package is the name of the bundle's package.
func (o IndexedBundle) Package() string { return o.bundle.pkg }

// Name is the bundle's name.
func (o IndexedBundle) Name() string { return o.bundle.name }

// Version is the bundle's version as OLM reads it, or nil.
func (o IndexedBundle) Version() *semver.Version { return o.bundle.version }

// Facts are what the bundle provides and requires.
func (o IndexedBundle) Facts() *catalogs.Facts { return o.bundle.facts }

// Faults are requirements that OLM cannot read, ranges and rules among them.
func (o IndexedBundle) Faults() []catalogs.RequirementFault { return o.bundle.faults }

// Heads are the names of the channels whose head the bundle is, in the order in which OLM looks at them.
func (o IndexedBundle) Heads() []string {
	var names []string
	for _, e := range o.bundle.entries {
		if head, ok := e.channel.graph.Head(); ok && head == e.index {
			names = append(names, e.channel.name)
		}
	}
	return names
}
