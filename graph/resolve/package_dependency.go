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
}

// IsMissing reports whether nothing in the catalogs meets the requirement.
func (d *PackageDependency) IsMissing() bool { return len(d.Providers) == 0 }

// OnlyOlder reports whether none of the bundles with the requirement is the head of a channel.
func (d *PackageDependency) OnlyOlder() bool {
	return !slices.ContainsFunc(d.Dependents, func(o IndexedBundle) bool { return len(o.Heads()) > 0 })
}

// PackageDependencies returns what packages require of each other, in the order of the catalogs. A requirement without a
// known provider is left out if it is Costly. If each bundle of a package meets its own requirement the package depends on no
// other: OLM tries what is already chosen first.
func (m *DependencyIndex) PackageDependencies() []PackageDependency {
	var all []PackageDependency
	for _, n := range m.Dependencies {
		providers, at := byPackage(n.Providers())
		requiring, _ := byPackage(n.Dependents)
		for _, dependents := range requiring {
			one, to := PackageDependency{Requirement: n.Requirement, From: dependents[0].Package(), Dependents: dependents}, providers
			if own, ok := at[one.From]; ok && !slices.ContainsFunc(dependents, func(o IndexedBundle) bool { return !n.MetBy(o) }) {
				to = providers[own : own+1]
			}
			for _, of := range to {
				one.To, one.Providers = of[0].Package(), of
				all = append(all, one)
			}
			if len(to) == 0 && !n.Costly {
				all = append(all, one)
			}
		}
	}
	return all
}

// byPackage groups bundles by their package, in their order, and returns the index of each package.
func byPackage(bundles []IndexedBundle) (all [][]IndexedBundle, at map[string]int) {
	at = map[string]int{}
	for _, o := range bundles {
		i, met := at[o.Package()]
		if !met {
			i, all = len(all), append(all, nil)
			at[o.Package()] = i
		}
		all[i] = append(all[i], o)
	}
	return all, at
}
