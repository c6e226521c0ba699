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

var stuckV1 = lint.Rule{
	ID: "graph/stuck-v1", Severity: lint.Error, Gates: lint.GateOLMv1,
	Doc: `OLM v1 never upgrades an entry
OLM v1 upgrades to a bundle that replaces the installed one, skips it, or has its version in the skipRange. The channel has no
such bundle, and the entry is not the newest.
Let a newer entry replace, skip or cover it.`,
	Reference: "operator-controller catalogmetadata/filter SuccessorsOf",
	Check:     lint.EachChannel(checkStuckV1),
}

// checkStuckV1 reports once per channel, since most entries have the same cause. The only head is left to graph/head-not-newest, several to
// graph/multiple-heads.
func checkStuckV1(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	_, one := g.Head()
	told := one || p.Runs(multipleHeads.ID, c.Name.Value)
	stuck := slices.DeleteFunc(slices.Clone(g.DeadEndsV1()), func(i int) bool {
		return told && slices.Contains(g.Heads(), i) || c.Entries[i].Bundle == nil
	})
	if len(stuck) == 0 {
		return
	}
	top := edges.Newest(g, g.Entries())
	f := edges.AtEntry(g, stuck[0])
	f.Cause, f.Faults = []string{f.Channel}, edges.NamesOf(g, stuck)
	f.Message = fmt.Sprintf("OLM v1 has no upgrade from %s in channel %q: nothing replaces, skips or covers %s",
		words.Few(edges.NamesOf(g, stuck)), c.Name.Value, words.Plural(len(stuck), "it", "them"))
	f.Fix = fmt.Sprintf("let %q skip %s, or cover %[2]s with a skipRange", g.Name(top), words.Plural(len(stuck), "it", "them"))
	f.Related = edges.RelatedEntries(g, []int{top}, "%q is the newest")
	f.Details = edges.RelatedEntries(g, stuck, "%q is stuck")
	p.Report(f)
}
