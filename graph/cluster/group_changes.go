package cluster

import (
	"cmp"
	"slices"
)

// groupToKeep returns the OperatorGroup with which all operators of the namespace run; "" if none does, or several with other targets.
func (n *namespaceReport) groupToKeep() (keep string) {
	var kept []string
	for _, g := range n.OperatorGroups[n.Before.Name] {
		targets, known := g.Targets()
		if !known || !n.Trace.Last.RunWith(targets) {
			continue
		}
		if keep != "" && !slices.Equal(targets, kept) {
			return ""
		}
		keep, kept = cmp.Or(keep, g.Metadata.Name), targets
	}
	return keep
}

// fitGroup returns a change of the OperatorGroup with which all operators of the namespace run; nil if none is known.
func (n *namespaceReport) fitGroup() *GroupChange {
	groups := n.OperatorGroups[n.Before.Name]
	if len(groups) != 1 {
		return nil
	}
	for _, all := range []bool{false, true} {
		targets := []string{n.Before.Name}
		if all {
			targets = []string{""}
		}
		if n.Trace.Last.RunWith(targets) {
			return &GroupChange{groups[0].Metadata.Name, all, groups[0].Spec.Selector != nil}
		}
	}
	return nil
}
