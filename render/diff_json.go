package render

import (
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/render/report"
)

// jsonDiff is the JSON form of differences.
type jsonDiff struct {
	Catalogs    []report.JSONCatalog `json:"catalogs"`
	Differences []graph.Difference   `json:"differences"`
	Contents    []*changes.Report    `json:"contents"` // with --details, of new heads and what they upgrade
}

func (d Differences) json() jsonDiff {
	out := jsonDiff{Contents: d.Contents}
	for i, pair := range d.Pairs {
		out.Catalogs = append(out.Catalogs, report.CatalogJSON(pair.Now))
		for _, differences := range byPackage(d.ByPair[i]) {
			for _, one := range differences {
				one.Catalog = pair.Now.Name
				out.Differences = append(out.Differences, one)
			}
		}
	}
	return out
}

// byPackage groups the differences of a pair by package, the most severe package first.
func byPackage(of []graph.Difference) [][]graph.Difference {
	var all [][]graph.Difference
	for _, one := range of {
		if n := len(all); n > 0 && all[n-1][0].Package == one.Package {
			all[n-1] = append(all[n-1], one)
			continue
		}
		all = append(all, []graph.Difference{one})
	}
	slices.SortStableFunc(all, func(a, b []graph.Difference) int { return int(a[0].Kind - b[0].Kind) })
	return all
}
