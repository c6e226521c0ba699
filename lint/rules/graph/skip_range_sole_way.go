package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var skipRangeSoleWay = lint.Rule{
	ID: "graph/skip-range-sole-way", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `upgrades depend on a skipRange alone
Every entry that replaces or skips this one is itself skipped, so OLM v0 never offers it. This entry is not stuck only because its
version is in the skipRange of another entry: a change of that range can strand its users silently.
Let the entry with the skipRange skip it by name as well.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     lint.EachChannel(checkRangeOnlyPath),
}

// checkRangeOnlyPath reports once per channel and target the entries that OLM v0 upgrades only because of a skipRange. Downgrades
// are left to graph/skip-range-newer.
func checkRangeOnlyPath(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	by := map[int][]int{}
	var targets []int
	head, _ := g.Head()
	for _, i := range g.Entries() {
		next, ok := g.Next(i)
		if !ok || next.Kind != graph.SkipRange || hasOtherUpgrade(g, i) || i == head || edges.IsDowngrade(g, next) {
			continue
		}
		if by[next.To] == nil {
			targets = append(targets, next.To)
		}
		by[next.To] = append(by[next.To], i)
	}
	slices.Sort(targets)
	for _, to := range targets {
		f := atRange(g, to)
		f.Cause, f.Faults = []string{f.Channel}, edges.NamesOf(g, by[to])
		f.Message = fmt.Sprintf("only the skipRange of %q upgrades %s: OLM v0 never offers the entries that replace or skip %s",
			g.Name(to), words.Few(edges.NamesOf(g, by[to])), words.Plural(len(by[to]), "it", "them"))
		f.Fix = fmt.Sprintf("add %s to the skips of %q, so that a change of the range has no effect on it",
			edges.ListAll(edges.NamesOf(g, by[to])), g.Name(to))
		f.Details = edges.RelatedEntries(g, by[to], "%q is in the skipRange")
		p.Report(f)
	}
}

// hasOtherUpgrade reports whether OLM v0 offers an entry that replaces or skips another one.
func hasOtherUpgrade(g *graph.Graph, i int) bool {
	return slices.ContainsFunc(g.Edges(i), func(e graph.Edge) bool { return e.To != i && g.Offers(e.To) })
}
