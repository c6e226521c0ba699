package resolve

import "github.com/olmgraph/olmgraph/catalogs"

// Tie is a requirement of an installed operator, and the installed operators that meet it: none, one or several. An operator can
// meet its own.
type Tie struct {
	Operator
	Requirement *catalogs.Requirement
	Met         []Operator
}

// Ties returns what installed operators require of each other, in the order of the operators and of their properties.
func (n *Namespace) Ties() []Tie {
	var ties []Tie
	all := n.operators()
	for _, o := range all {
		for _, t := range o.bundle.requires {
			tie := Tie{Operator: o.Operator, Requirement: t.requirement}
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
