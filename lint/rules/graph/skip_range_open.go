package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var skipRangeOpen = lint.Rule{
	ID: "graph/skip-range-open", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `a skipRange has no lower bound
Users on any older version, even of another major version, upgrade to the entry directly and skip every step in between, such as a
migration of stored objects.
Set the lower bound to the oldest version from which the upgrade is tested.`,
	Reference: "OLM resolver SkipRangeIncludesPredicate",
	Check:     checkRangeOpen,
}

// checkRangeOpen reports once per package a range without a lower bound.
func checkRangeOpen(p *lint.Pass) {
	var all []lint.Finding
	eachRange(func(_ *lint.Pass, g *graph.Graph, i int, r versions.Range) {
		if r.IsUnbounded() {
			f := atRange(g, i)
			f.Message = fmt.Sprintf("the skipRange %q of %q has no lower bound: all older versions, of any major version, upgrade to it directly",
				r.Text, g.Name(i))
			all = append(all, f)
		}
	})(p)
	reportFirst(p, all, "set the lower bound to the oldest version that can be upgraded directly, as in >=1.0.0 <2.0.0")
}
