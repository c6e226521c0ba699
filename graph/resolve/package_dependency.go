package resolve

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// PackageDependency is a requirement that bundles of one package have, and the bundles of one package that meet it.
type PackageDependency struct {
	*catalogs.Requirement
	From       string          // the package that requires it
	To         string          // the package that provides it, which can be From; "" if nothing in the catalogs does
	Dependents []IndexedBundle // of From
	Providers  []IndexedBundle // of To, those that OLM would install
	Choice     bool            // other packages provide it too
}

// Missing reports whether nothing in the catalogs meets the requirement.
func (d *PackageDependency) Missing() bool { return len(d.Providers) == 0 }

// OnlyOlder reports whether none of the bundles with the requirement is the head of a channel.
func (d *PackageDependency) OnlyOlder() bool {
	return !slices.ContainsFunc(d.Dependents, func(o IndexedBundle) bool { return len(o.Heads()) > 0 })
}

// PackageDependencies returns what packages require of each other, in the order of the catalogs. A requirement without a
// known provider is left out if it is Costly.
func (m *DependencyIndex) PackageDependencies() []PackageDependency {
	var all []PackageDependency
	for _, n := range m.Dependencies {
		providers := byPackage(n.Providers())
		for _, dependents := range byPackage(n.Dependents) {
			all = append(all, n.ofPackage(dependents, providers)...)
		}
	}
	return all
}

// ofPackage returns the dependency of the bundles of one package. If each of them meets its own requirement the package depends on no
// other: OLM tries what is already chosen first.
func (n *Dependency) ofPackage(dependents []IndexedBundle, providers [][]IndexedBundle) []PackageDependency {
	one := PackageDependency{Requirement: n.Requirement, From: dependents[0].Package(), Dependents: dependents}
	if len(providers) == 0 {
		if n.Costly {
			return nil
		}
		return []PackageDependency{one}
	}
	var all []PackageDependency
	for _, of := range providers {
		one.To, one.Providers = of[0].Package(), of
		all = append(all, one)
	}
	own := slices.IndexFunc(all, func(d PackageDependency) bool { return d.To == d.From })
	if own >= 0 && !slices.ContainsFunc(dependents, func(o IndexedBundle) bool { return !n.MetBy(o) }) {
		all = all[own : own+1]
	}
	for i := range all {
		all[i].Choice = len(all) > 1
	}
	return all
}

// byPackage groups bundles by their package, in their order.
func byPackage(bundles []IndexedBundle) [][]IndexedBundle {
	var all [][]IndexedBundle
	for _, o := range bundles {
		i := slices.IndexFunc(all, func(of []IndexedBundle) bool { return of[0].Package() == o.Package() })
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], o)
	}
	return all
}
