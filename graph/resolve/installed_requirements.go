package resolve

import "github.com/olmgraph/olmgraph/catalogs"

// InstalledRequirement is a requirement of an installed operator, and the installed operators that meet it: none, one or several. An operator can
// meet its own.
type InstalledRequirement struct {
	Operator
	Requirement *catalogs.Requirement
	Met         []Operator
}

// InstalledRequirements returns what installed operators require of each other, in the order of the operators and of their properties.
func (n *Namespace) InstalledRequirements() []InstalledRequirement {
	var ties []InstalledRequirement
	all := n.operators()
	for _, o := range all {
		for _, t := range o.bundle.requires {
			tie := InstalledRequirement{Operator: o.Operator, Requirement: t.requirement}
			for _, other := range all {
				if t.meets(other.bundle) {
					tie.Met = append(tie.Met, other.Operator)
				}
			}
			ties = append(ties, tie)
		}
	}
	return ties
}
