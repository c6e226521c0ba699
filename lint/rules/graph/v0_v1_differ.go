package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var v0V1Differ = lint.Rule{
	ID: "graph/v0-v1-differ", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `OLM v0 and OLM v1 upgrade to different versions
OLM v0 upgrades to the head of the channel. OLM v1 has no head: of the bundles that replace, skip or cover the installed version
it takes the highest one that is not deprecated. Here they end at different entries from the same installed version.
Give the head the highest version of its channel, and do not deprecate it before others.`,
	Reference: "operator-controller catalogmetadata/compare",
	Check:     lint.EachChannel(checkDifferentTargets),
}

// checkDifferentTargets reports once per channel the entries that OLM v0 and OLM v1 upgrade to different ends. Entries that are
// stuck under OLM v0 are left to graph/stuck, and those that end where OLM v1 never upgrades to graph/stuck-v1.
func checkDifferentTargets(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	head, ok := g.Head()
	if !ok {
		return
	}
	from := map[int][]int{}
	var ends, dead []int
	if p.Runs(stuckV1.ID, c.Name.Value) {
		dead = g.DeadEndsV1()
	}
	for _, i := range g.Entries() {
		_, v0, ok := g.Hops(i)
		_, v1 := g.HopsV1(i)
		if !ok || v0 != head || v1 == head || i == head || slices.Contains(dead, v1) || g.ChoiceV1(v1).Refusal != nil {
			continue // reported by api/not-supported-v1
		}
		if from[v1] == nil {
			ends = append(ends, v1)
		}
		from[v1] = append(from[v1], i)
	}
	if len(ends) == 0 {
		return
	}
	end := ends[0]
	f := edges.AtEntry(g, head)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("from %s OLM v0 upgrades to %q, the head of channel %q, but OLM v1 to %q",
		words.Few(edges.NamesOf(g, from[end])), g.Name(head), c.Name.Value, g.Name(end))
	if len(ends) > 1 {
		f.Message += fmt.Sprintf(" (%d more cases like that)", len(ends)-1)
	}
	f.Fix = fmt.Sprintf("give %q the highest version of the channel, and do not deprecate it before others", g.Name(head))
	if versions.NewerThan(c.Entries[head].Bundle, c.Entries[end].Bundle) {
		f.Fix = fmt.Sprintf("let the skipRange of %q cover %q, so that OLM v1 can upgrade directly",
			g.Name(head), g.Name(end))
	}
	for _, end := range ends {
		f.Details = append(f.Details, edges.RelatedEntries(g, from[end], "%q has different ends")...)
	}
	f.Related = edges.RelatedEntries(g, ends[:min(3, len(ends))], "OLM v1 ends at %q")
	p.Report(f)
}
