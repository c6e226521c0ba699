package upgrades

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var skipRangeNewer = lint.Rule{
	ID: "graph/skip-range-newer", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a skipRange covers versions newer than its entry
A skipRange states from which versions OLM can upgrade directly to the entry. If it covers newer ones, it declares a downgrade as
an upgrade. It is an error if OLM v0 has no better candidate: it downgrades, then upgrades again, endlessly. Note prereleases:
<2.0.0 covers 2.0.0-rc1.
Let the range end below the entry's own version.`,
	Reference: "OLM resolver SkipRangeIncludesPredicate",
	Check:     eachRange(checkRangeNewer),
}

func checkRangeNewer(p *lint.Pass, g *graph.Graph, i int, _ versions.Range) {
	newer := newerInRange(g, i)
	if len(newer) == 0 {
		return
	}
	e := &g.Channel.Entries[i]
	f := atRange(g, i)
	f.Cause = []string{f.Channel, f.Bundle, e.SkipRange.Value}
	f.Message = fmt.Sprintf("the skipRange of %q covers the newer %s: a downgrade is declared as an upgrade",
		e.Name.Value, words.Few(edges.NamesOf(g, newer)))
	f.Fix = rangeEndFix(g, i, newer)
	f.Related = edges.RelatedEntries(g, newer[:1], "%q is newer")
	f.Details = edges.RelatedEntries(g, newer, "%q is newer")
	for _, loop := range g.Loops() {
		if down := downgradeIn(g, loop); down.Kind == graph.SkipRange && down.To == i {
			f.Severity, f.Gates = lint.Error, lint.GateOLMv0
			f.Message = fmt.Sprintf("the skipRange of %q covers the newer %q: OLM v0 upgrades from one to the other and back, endlessly",
				e.Name.Value, g.Name(down.From))
		}
	}
	p.Report(f)
}

// rangeEndFix returns the fix of a skipRange that covers newer entries. These may have no other upgrade.
func rangeEndFix(g *graph.Graph, i int, newer []int) string {
	e := &g.Channel.Entries[i]
	end := fmt.Sprintf("<%s", e.Bundle.Semver())
	parts := strings.Split(e.SkipRange.Value, "||")
	for n := range parts {
		parts[n] = strings.TrimSpace(parts[n]) + " " + end
	}
	top := edges.Newest(g, newer)
	followed := slices.ContainsFunc(newer, func(other int) bool {
		next, ok := g.Next(other)
		return ok && next.To == i
	}) || !slices.ContainsFunc(g.Successors(top), func(e graph.Edge) bool { return e.To != i })
	if followed && edges.HasNewProblems(g, edges.WithEntry(g, i, edges.SettingSkipRange(strings.Join(parts, " || ")))) {
		return fmt.Sprintf("publish the content of %q again under a version above %s", e.Name.Value,
			versions.Text(g.Channel.Entries[top].Bundle))
	}
	return "let the range end with " + end
}
