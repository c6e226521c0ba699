package page

import (
	"slices"

	"github.com/olmgraph/olmgraph/graph"
)

// What entryData.Paths has of a path that is one upgrade, or that there is none. Any other value is the entry that the first upgrade
// leads to.
const (
	noPath        = -1
	byDeclaration = -2 // by replaces or skips
	bySkipRange   = -3
	bySameVersion = -4
)

// maxPairs is between how many pairs of entries a page has paths. No page of a community catalog is cut by it. A channel takes at most half of
// what is left, so that one of many thousand entries does not take those of all others.
const maxPairs = 1 << 22

// paths adds to each entry, and to those removed, how its paths to the entries in Newest begin.
func (g *dataBuilder) paths(data *channelData, bundles []bundleData, x *graph.Extension) {
	rows := slices.Concat(data.Newest, data.Removed)
	var installed []graph.InstalledBundle
	var names []string
	for _, at := range rows {
		e := &data.Entries[at]
		in := installedBundle(g.Texts[bundles[e.Bundle].Name], &bundles[e.Bundle])
		installed, names = append(installed, in), append(names, in.Name)
	}
	pairs := len(rows) * len(data.Newest)
	if data.NoPaths = pairs > g.pairsLeft/2; data.NoPaths {
		return
	}
	g.pairsLeft -= pairs
	n := 0
	x.FirstSteps(installed, names[:len(data.Newest)], func(first []*graph.Step) {
		to := data.Newest[n]
		for i, step := range first {
			e := &data.Entries[rows[i]]
			e.Paths = appendRun(e.Paths, beginning(step, to), i == n)
			if step != nil && step.Edge.Kind == graph.SameVersion {
				bundles[data.Entries[step.Edge.To].Bundle].Same = g.located(step.Edge.Where)
			}
		}
		n++
	})
}

func installedBundle(name string, b *bundleData) graph.InstalledBundle {
	if !b.Defined {
		return graph.BundleNamed(name)
	}
	return graph.InstalledBundle{Name: name, Version: b.Version}
}

// beginning returns what entryData.Paths has of a path to an entry whose first step is given.
func beginning(step *graph.Step, to int) int {
	switch {
	case step == nil:
		return noPath
	case step.Edge.To != to:
		return step.Edge.To
	case step.Edge.Kind == graph.SkipRange:
		return bySkipRange
	case step.Edge.Kind == graph.SameVersion:
		return bySameVersion
	}
	return byDeclaration
}

// appendRun appends a value to runs of values, which are pairs of a number and a value. If any value will do the last run is longer.
func appendRun(runs []int, value int, anyValue bool) []int {
	n := len(runs)
	if n == 0 || runs[n-1] != value && !anyValue {
		return append(runs, 1, value)
	}
	runs[n-2]++
	return runs
}
