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

var replacesAndSkips = lint.Rule{
	ID: "graph/replaces-and-skips", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an entry replaces and skips the same name
A skipped entry is never installed; a replaced entry is the step before. opm ends the chain of replaces at such an entry, so all
entries below it must be skipped too.
Keep one of the two.`,
	Reference: "operator-registry alpha/model validateReplacesChain",
	Check:     lint.EachChannel(checkReplacesAndSkips),
}

// checkReplacesAndSkips reports entries that replace and skip the same entry, if that replaces others. Those that are stuck, or that
// others are stuck below, are left to graph/stuck and graph/stranded. It is an info if opm and OLM v0 accept the channel.
func checkReplacesAndSkips(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	causesStuck := map[graph.Edge]bool{}
	told := entriesOf(g.Stuck())
	for _, s := range g.Stuck() {
		for _, skip := range s.Unskip {
			causesStuck[skip] = true
		}
	}
	for _, i := range g.Entries() {
		e := &c.Entries[i]
		below, ok := g.Index(e.Replaces.Value)
		if !ok || below == i || !replacesAny(g, below) {
			continue
		}
		for _, skip := range g.Edges(below) {
			if skip.To != i || skip.Kind != graph.Skips || causesStuck[skip] || slices.Contains(told, below) && !edges.IsDowngrade(g, skip) {
				continue
			}
			f := edges.AtEntry(g, i)
			f.Pos = words.FirstKnown(skip.Where.Pos, f.Pos)
			f.Cause = []string{f.Channel, f.Bundle, e.Replaces.Value}
			f.Message = fmt.Sprintf("%q both replaces and skips %q: it cannot be installed, nor any entry below it",
				e.Name.Value, e.Replaces.Value)
			f.Fix, f.Details = replacesOrSkipsFix(g, i, below), unskipDetails(g, g.Unskip(below))
			f.Related = []lint.Related{{Pos: e.Replaces.Pos, Message: "replaced here"}}
			p.Report(f)
		}
	}
}

// replacesOrSkipsFix says which of the two an entry should keep.
func replacesOrSkipsFix(g *graph.Graph, i, below int) string {
	name := g.Name(below)
	byOther := slices.ContainsFunc(g.Edges(below), func(e graph.Edge) bool { return e.Kind == graph.Skips && e.To != i })
	skips := g.Unskip(below)
	switch {
	case len(skips) > 1:
		return removeSkipsFix(g, skips)
	case len(skips) == 1 || byOther:
		return fmt.Sprintf("remove %q from the skips, unless all entries below it are to be skipped too", name)
	}
	return fmt.Sprintf("remove %q from the replaces of %q, which also skips it", name, g.Name(i))
}

// replacesAny reports whether an entry replaces another one of the channel.
func replacesAny(g *graph.Graph, i int) bool {
	below, ok := g.Index(g.Channel.Entries[i].Replaces.Value)
	return ok && below != i
}
