package resolve

import (
	"context"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Market is an index of all requirements of the bundles of the catalogs of one cluster, and of the bundles that meet each,
// whatever is installed.
type Market struct {
	// Needs are the requirements, each once, in the order of their first occurrence in the catalogs.
	Needs []*Need

	catalogs []*Catalog
	byBundle map[Offer][]Asked
	named    map[offerName]Offer
}

// Need is a requirement with the bundles that have it and the bundles that meet it.
type Need struct {
	*catalogs.Requirement
	Askers []Offer // in the order of the catalogs
	Met    []Offer // in the order of the catalogs
	// Costly says that the limit of olmgraph was reached before all bundles were tried; OLM itself has no limit. Met holds what
	// was found until then.
	Costly bool

	term *term
	met  map[Offer]bool
}

// Asked is a requirement as one bundle declares it.
type Asked struct {
	*Need
	Pos catalogs.Pos
}

// Offer is a bundle of one of the catalogs of an index.
type Offer struct {
	at int
	of *bundle
}

type offerName struct {
	at        int
	pkg, name string
}

// NewMarket finds the bundles that meet each requirement. The error is the context's.
func NewMarket(ctx context.Context, all ...*Catalog) (*Market, error) {
	return newMarket(ctx, dear, all)
}

// dear is the limit for all rules of an index together, or for one rule in a namespace, in the cost units of CEL: some seconds.
const dear = 20_000_000

// newMarket takes the limit for all rules together.
func newMarket(ctx context.Context, budget uint64, all []*Catalog) (*Market, error) {
	m := &Market{catalogs: all, byBundle: map[Offer][]Asked{}, named: map[offerName]Offer{}}
	known := map[string]*Need{}
	for at, c := range all {
		for _, b := range c.bundles {
			o := Offer{at, b}
			m.named[offerName{at, b.pkg, b.name}] = o
			for _, t := range b.requires {
				id := key(t.requirement)
				n := known[id]
				if n == nil {
					n = &Need{Requirement: t.requirement, term: t, met: map[Offer]bool{}}
					known[id] = n
					m.Needs = append(m.Needs, n)
				}
				if !slices.ContainsFunc(m.byBundle[o], func(a Asked) bool { return a.Need == n }) {
					n.Askers = append(n.Askers, o)
					m.byBundle[o] = append(m.byBundle[o], Asked{n, t.requirement.Pos})
				}
			}
		}
	}
	for _, n := range m.Needs {
		if err := m.meet(ctx, n, &budget); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// meet finds the bundles that meet a requirement, and takes the cost from the budget.
func (m *Market) meet(ctx context.Context, n *Need, budget *uint64) error {
	for at, c := range m.catalogs {
		for _, b := range c.candidates(n.Requirement) {
			if err := ctx.Err(); err != nil {
				return err
			}
			before := n.term.cost()
			if n.term.meets(b) {
				n.Met, n.met[Offer{at, b}] = append(n.Met, Offer{at, b}), true
			}
			*budget -= min(*budget, n.term.cost()-before)
			if len(n.term.rules) > 0 && (*budget == 0 || !n.term.ended()) {
				n.Costly = true
				return nil
			}
		}
	}
	return nil
}

// Bundle returns a bundle of the catalog with index at; false if no channel has it.
func (m *Market) Bundle(at int, pkg, name string) (Offer, bool) {
	o, ok := m.named[offerName{at, pkg, name}]
	return o, ok
}

// NeedsOf returns what a bundle requires, in the order of its properties, each requirement once. What OLM cannot read is among
// its Faults.
func (m *Market) NeedsOf(o Offer) []Asked { return m.byBundle[o] }

// MetBy reports whether a bundle meets the requirement.
func (n *Need) MetBy(o Offer) bool { return n.met[o] }

// Providers are the bundles of Met that OLM would install to meet the requirement: not those with the property olm.deprecated.
func (n *Need) Providers() []Offer {
	return slices.DeleteFunc(slices.Clone(n.Met), func(o Offer) bool { return o.of.facts.Deprecated })
}

// Offers yields the bundles of all catalogs, in their order.
func (m *Market) Offers(yield func(Offer) bool) {
	for at, c := range m.catalogs {
		for _, b := range c.bundles {
			if !yield(Offer{at, b}) {
				return
			}
		}
	}
}

// Catalog is the index of the bundle's catalog.
func (o Offer) Catalog() int { return o.at }

// Package is the name of the bundle's package.
func (o Offer) Package() string { return o.of.pkg }

// Name is the bundle's name.
func (o Offer) Name() string { return o.of.name }

// Version is the bundle's version as OLM reads it, or nil.
func (o Offer) Version() *semver.Version { return o.of.version }

// Facts are what the bundle provides and requires.
func (o Offer) Facts() *catalogs.Facts { return o.of.facts }

// Faults are requirements that OLM cannot read, ranges and rules among them.
func (o Offer) Faults() []catalogs.RequirementFault { return o.of.faults }

// Heads are the names of the channels whose head the bundle is, in the order in which OLM looks at them.
func (o Offer) Heads() []string {
	var names []string
	for _, e := range o.of.entries {
		if head, ok := e.channel.graph.Head(); ok && head == e.index {
			names = append(names, e.channel.name)
		}
	}
	return names
}

// Closure returns packages together with the packages that provide what they require, and together with the packages that require
// something they provide; in both cases over any number of other packages. The keys are names of packages. A package whose bundles
// all meet their own requirement does not depend on others for it: OLM tries what is already chosen first.
func (m *Market) Closure(packages []string) (required, requiring map[string]bool) {
	providers, askers := map[string][]string{}, map[string][]string{}
	for _, n := range m.Needs {
		from := n.Providers()
		for _, asker := range packageNames(n.Askers) {
			if n.metWithin(asker, from) {
				continue
			}
			for _, provider := range packageNames(from) {
				providers[asker] = append(providers[asker], provider)
				askers[provider] = append(askers[provider], asker)
			}
		}
	}
	return reachable(packages, providers), reachable(packages, askers)
}

// metWithin reports whether each bundle of a package that has the requirement meets it too, and OLM would install one of them.
func (n *Need) metWithin(pkg string, providers []Offer) bool {
	return slices.ContainsFunc(providers, func(o Offer) bool { return o.Package() == pkg }) &&
		!slices.ContainsFunc(n.Askers, func(o Offer) bool { return o.Package() == pkg && !n.MetBy(o) })
}

func packageNames(bundles []Offer) []string {
	var names []string
	for _, o := range bundles {
		names = append(names, o.Package())
	}
	return distinct(names)
}

// reachable returns names together with all that edges lead to from them.
func reachable(names []string, edges map[string][]string) map[string]bool {
	found := map[string]bool{}
	for todo := slices.Clone(names); len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !found[name] {
			found[name] = true
			todo = append(todo, edges[name]...)
		}
	}
	return found
}
