package cluster

import (
	"cmp"
	"slices"
)

// groupToKeep returns the OperatorGroup with which all operators of the namespace run; "" if none does, or several with other targets.
func (n *namespaceReport) groupToKeep() (keep string) {
	var kept []string
	for _, g := range n.groups {
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
	if len(n.groups) != 1 {
		return nil
	}
	for _, all := range []bool{false, true} {
		targets := []string{n.Before.Name}
		if all {
			targets = []string{""}
		}
		if n.Trace.Last.RunWith(targets) {
			return &GroupChange{n.groups[0].Metadata.Name, all, n.groups[0].Spec.Selector != nil}
		}
	}
	return nil
}
