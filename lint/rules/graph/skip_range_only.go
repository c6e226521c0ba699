package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var skipRangeOnly = lint.Rule{
	ID: "graph/skip-range-only", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an entry has a skipRange, but no replaces or skips
The order of a channel comes from replaces and skips. An entry that only covers the older ones with a skipRange is not above them:
they are heads, or not reached from the head, and cannot be installed.
Add replaces.`,
	Reference: "operator-pipelines check_pruned_graph",
	Check:     lint.EachChannel(checkRangesOnly),
}

// checkRangesOnly reports the newest entry of a channel that is so, and the others with it. Of one that another entry skips it is no matter.
func checkRangesOnly(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	var first *lint.Finding
	for _, i := range g.ByVersion() {
		e := &c.Entries[i]
		r := versions.ParseRange(e.SkipRange.Value)
		if r.In == nil || e.Replaces.Value != "" || len(e.Skips) > 0 || g.Skipped(e.Name.Value) {
			continue
		}
		switch f := rangeOnly(g, i, r); {
		case f == nil:
		case first == nil:
			first = f
		default:
			first.Also = append(first.Also, lint.Occurrence{Subject: f.Subject, Pos: f.Pos})
		}
	}
	if first != nil {
		first.Message += words.AndMore(len(first.Also), "older bundle")
		p.Report(*first)
	}
}

// rangeOnly returns the finding about an entry; nil if it covers no older one.
func rangeOnly(g *graph.Graph, i int, r versions.Range) *lint.Finding {
	e := &g.Channel.Entries[i]
	var covered []int
	for _, other := range g.Entries() {
		b := g.Channel.Entries[other].Bundle
		if other != i && versions.NewerThan(e.Bundle, b) && r.Contains(*b.Semver()) {
			covered = append(covered, other)
		}
	}
	if len(covered) == 0 {
		return nil
	}
	last := edges.Newest(g, covered)
	f := atRange(g, i)
	f.Message = fmt.Sprintf("%q covers %s with a skipRange, but replaces and skips nothing: in OLM the older ones are not below it",
		e.Name.Value, words.Few(edges.NamesOf(g, covered)))
	f.Fix = fmt.Sprintf("add replaces: %s to %q", g.Name(last), e.Name.Value)
	if after := edges.WithEntry(g, i, edges.SettingReplaces(g.Name(last))); edges.HasNewProblems(g, after) || len(after.Cycles()) > len(g.Cycles()) {
		f.Fix = fmt.Sprintf("remove the skipRange, or let %q replace or skip %q", e.Name.Value, g.Name(last))
	}
	f.Details = edges.RelatedEntries(g, covered, "%q is in the skipRange")
	f.Related = edges.RelatedEntries(g, []int{last}, "%q is the newest of them")
	return &f
}
