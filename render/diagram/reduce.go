package diagram

import "fmt"

// Reduction is a reduced drawing of a package.
type Reduction struct {
	Options UpgradeOptions
	Note    string // what is left out; "" if it is nothing
	Last    bool
}

// Reductions returns what to try in turn: the requested drawing, folded, with fewer edges, only the newest entries.
func Reductions(o UpgradeOptions) []Reduction {
	all := []Reduction{{Options: o}}
	less := func(change func(*UpgradeOptions), note string) {
		next := all[len(all)-1].Options
		change(&next)
		all = append(all, Reduction{Options: next, Note: note})
	}
	if o.Unfold {
		less(func(o *UpgradeOptions) { o.Unfold = false }, "too large to draw unfolded: versions that do the same are one node")
	}
	if o.Mode == All {
		less(func(o *UpgradeOptions) { o.Mode = modeDeclared }, "too many edges to draw: skipRange edges are left out")
	}
	if o.Mode != Auto {
		less(func(o *UpgradeOptions) { o.Mode = Auto }, "too many edges to draw: only automatic upgrades and replaces are drawn")
	}
	for _, n := range []int{100, 20} {
		less(func(o *UpgradeOptions) { o.Newest = n }, fmt.Sprintf("too large to draw: only the newest %d entries of each channel are drawn", n))
	}
	all[len(all)-1].Last = true
	return all
}
