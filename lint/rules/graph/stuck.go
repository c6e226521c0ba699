package upgrades

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
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

func checkStuck(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, s := range g.Stuck() {
		e := &c.Entries[s.Entry]
		if e.Bundle == nil {
			continue // reported by catalog/entry-without-bundle
		}
		f := edges.AtEntry(g, s.Entry)
		f.Message = fmt.Sprintf("%q is stuck in channel %q: OLM v0 never upgrades it, since %s",
			e.Name.Value, c.Name.Value, stuckReason(g, s))
		f.Fix, f.Edits = stuckFix(g, s)
		for n, cut := range s.Blocked {
			if n > 0 && s.Blocked[n-1].Edge.To == cut.Edge.To {
				continue // the same entry replaces and skips it
			}
			f.Related = append(f.Related, lint.Related{Pos: cut.Edge.Where.Pos, Message: fmt.Sprintf("%q %s it",
				g.Name(cut.Edge.To), cut.Edge.Kind)})
			if cut.SkippedBy.To >= 0 {
				f.Related = append(f.Related, lint.Related{
					Pos:     cut.SkippedBy.Where.Pos,
					Message: fmt.Sprintf("%q skips %q, but not %q", g.Name(cut.SkippedBy.To), g.Name(cut.Edge.To), e.Name.Value),
				})
			}
		}
		p.Report(f)
	}
}

// stuckFix returns the fix of a stuck entry, in words and as edits: an entry that is both replaced and skipped is no longer
// skipped, or the stuck entry and those below it are skipped. If OLM v0 offers only older entries there are no edits.
func stuckFix(g *graph.Graph, s graph.Stuck) (string, []catalogs.Edit) {
	name := g.Name(s.Entry)
	switch head, _ := g.Head(); {
	case len(s.Unskip) > 0:
		return removeSkips(g, s.Unskip)
	case s.FixEntry < 0:
		return fmt.Sprintf("publish a version above %s that replaces %q and skips %q",
			versions.Text(g.Channel.Entries[s.Entry].Bundle), g.Name(head), name), nil
	}
	names := append([]string{name}, edges.NamesOf(g, s.AlsoSkip)...)
	return fmt.Sprintf("add %s to the skips of %q", edges.ListAll(names), g.Name(s.FixEntry)), edges.AppendSkips(&g.Channel.Entries[s.FixEntry], names)
}

// removeSkips removes skips from entries that also replace what they skip.
func removeSkips(g *graph.Graph, skips []graph.Edge) (string, []catalogs.Edit) {
	var out []string
	var edits []catalogs.Edit
	for _, e := range skips {
		out = append(out, fmt.Sprintf("%q from the skips of %q", g.Name(e.From), g.Name(e.To)))
		edits = append(edits, edges.RemoveSkip(&g.Channel.Entries[e.To], g.Name(e.From))...)
	}
	return fmt.Sprintf("remove %s, which also %s", strings.Join(out, " and "), words.Plural(len(out), "replaces it", "replace them")), edits
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
