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

var stuck = lint.Rule{
	ID: "graph/stuck", Severity: lint.Error, Gates: lint.GateOLMv0,
	Doc: `OLM v0 never upgrades an entry
OLM v0 never offers an entry that another one skips, and skips are not transitive: if v2 replaces v1, and v3 skips v2 but not v1,
OLM v0 never upgrades users on v1, and reports nothing. opm accepts this.
Let the entry that skips skip the stuck one as well, or cover it with its skipRange. If it also replaces what it skips, remove
that from its skips: then no entry is stuck.`,
	Reference: "OLM resolver getSubscriptionVariables, sortChannel",
	EditsLast: true, // the entries that OLM v0 offers depend on other fixes
	HasEdits:  true,
	Check:     lint.EachChannel(checkStuck),
}

// checkStuck reports once per cause: the entry that skips what the stuck ones upgrade to. What graph/stranded reports is left out.
func checkStuck(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	var told []int
	if p.Runs("graph/stranded", c.Name.Value) {
		told = strandedEntries(g)
	}
	for _, cause := range g.StuckCauses() {
		cause.Stuck = slices.DeleteFunc(slices.Clone(cause.Stuck), func(s graph.Stuck) bool {
			return c.Entries[s.Entry].Bundle == nil || slices.Contains(told, s.Entry) // or reported by catalog/entry-without-bundle
		})
		if len(cause.Stuck) == 0 {
			continue
		}
		for _, s := range stuckGroups(g, cause) {
			f := s.finding(g)
			if isGenerated(p) {
				f.Fix = generatedFix(p, g, func(after *graph.Graph) bool { return len(after.Stuck()) == 0 })
			}
			p.Report(f)
		}
	}
}

// finding returns the finding about stuck entries, at the skip that is the cause.
func (s *stuckGroup) finding(g *graph.Graph) lint.Finding {
	names := edges.NamesOf(g, s.entries())
	f := edges.AtEntry(g, s.stuck[0].Entry)
	f.Cause, f.Faults = []string{f.Channel}, names
	f.Fix, f.Edits, f.Details = s.fix, s.edits, s.details(g)
	if s.skip.To < 0 {
		f.Message = fmt.Sprintf("OLM v0 never upgrades %s in channel %q: %s", words.Few(names), f.Channel, stuckReason(g, s.stuck[0]))
		return f
	}
	f.Bundle = g.Name(s.skip.To)
	f.Pos = words.FirstKnown(s.skip.Where.Pos, f.Pos)
	f.Related = edges.RelatedEntries(g, []int{s.skip.From}, "%q is skipped")
	f.Message = fmt.Sprintf("%q skips %q, but not %s: OLM v0 never upgrades users on %s in channel %q", f.Bundle, g.Name(s.skip.From),
		words.Plural(len(names), "the entry below it", fmt.Sprintf("the %d entries below it", len(names))), words.Few(names), f.Channel)
	return f
}

// stuckReason says why OLM v0 follows no edge from a stuck entry.
func stuckReason(g *graph.Graph, s graph.Stuck) string {
	if len(s.Blocked) == 0 {
		return "no entry that it offers replaces, skips or covers it"
	}
	first := s.Blocked[0]
	to := g.Name(first.Edge.To)
	why := fmt.Sprintf("%q, which %s it, is not on the path to the head", to, first.Edge.Kind)
	if first.SkippedBy.To >= 0 {
		why = fmt.Sprintf("%q, which %s it, is itself skipped by %q", to, first.Edge.Kind, g.Name(first.SkippedBy.To))
	}
	if more := countTargets(s.Blocked) - 1; more > 0 {
		why += fmt.Sprintf(" (%d more like that)", more)
	}
	return why
}

// countTargets returns the number of targets of edges, which are sorted by target.
func countTargets(cuts []graph.BlockedEdge) int {
	n := 0
	for i := range cuts {
		if i == 0 || cuts[i-1].Edge.To != cuts[i].Edge.To {
			n++
		}
	}
	return n
}
