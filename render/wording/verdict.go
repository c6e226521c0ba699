package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// Verdict says of some channels of a package, all if none is named, which OLM v0 cannot order, how many versions are stuck, and how many automatic
// upgrades are downgrades or fail: failing are these, by the names of both bundles. A version of several channels counts once.
func Verdict(pg *graph.PackageGraph, channels []string, olm graph.Generation, failing map[[2]string][]judge.Reason) string {
	var unordered []string
	gone := map[string]bool{}
	versions, stuck, down, fails := map[string]bool{}, map[string]bool{}, map[[2]string]bool{}, map[[2]string]bool{}
	for _, g := range pg.Graphs {
		if len(channels) > 0 && !slices.Contains(channels, g.Channel.Name.Value) {
			continue
		}
		if _, err := g.Order(); err != nil && olm == graph.V0 {
			unordered = append(unordered, g.Channel.Name.Value)
		}
		for _, s := range g.Stuck() {
			stuck[g.Name(s.Entry)] = true
		}
		if olm == graph.V0 {
			for _, o := range pg.Origins(nil, "").Stuck(g) {
				gone[o.Name] = true
			}
		}
		for _, i := range g.Entries() {
			versions[g.Name(i)] = true
			next, ok := g.Next(i)
			if olm == graph.V1 {
				next, ok = g.NextV1(i)
			}
			if !ok {
				continue
			}
			upgrade := [2]string{g.Name(i), g.Name(next.To)}
			if graph.Older(g.Version(next.To), g.Version(i)) {
				down[upgrade] = true
			}
			if len(failing[upgrade]) > 0 {
				fails[upgrade] = true
			}
		}
	}
	var all []string
	add := func(n int, one, many string) {
		if n > 0 {
			all = append(all, words.CountPlural(n, one, many))
		}
	}
	if len(unordered) > 0 {
		all = append(all, "OLM v0 cannot order "+words.Plural(len(unordered), "channel ", "channels ")+words.And(unordered))
	}
	if olm == graph.V0 {
		add(len(stuck), fmt.Sprintf("of %s is stuck", words.Count(len(versions), "version")), fmt.Sprintf("of %d versions are stuck", len(versions)))
		add(len(gone), "published version that its channel no longer has is stuck", "published versions that their channels no longer have are stuck")
		if len(versions) > 0 && len(unordered)+len(stuck)+len(gone) == 0 {
			all = append(all, "no version is stuck")
		}
	}
	add(len(down), "upgrade is a downgrade", "upgrades are downgrades")
	add(len(fails), "upgrade fails", "upgrades fail")
	return strings.Join(all, ", ")
}
