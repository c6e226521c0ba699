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

// checkReplacesAndSkips reports entries that replace and skip the same entry. It is an info if opm and OLM v0 accept the channel.
func checkReplacesAndSkips(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, skip := range replacedAndSkipped(g) {
		i, below := skip.To, skip.From
		e := &c.Entries[i]
		f := edges.AtEntry(g, i)
		f.Pos = words.FirstKnown(skip.Where.Pos, f.Pos)
		f.Cause = []string{f.Channel, f.Bundle, e.Replaces.Value}
		f.Message = fmt.Sprintf("%q both replaces and skips %q: it cannot be installed, nor any entry below it",
			e.Name.Value, e.Replaces.Value)
		f.Fix, f.Details = replacesOrSkipsFix(g, i, below), unskipDetails(g, g.Unskip(below))
		f.Related = []lint.Related{{Pos: e.Replaces.Pos, Message: "replaced here"}}
		if edges.IsValid(g) {
			f.Severity = lint.Info
		}
		p.Report(f)
	}
}

// replacedAndSkipped returns the skips of entries that their own entry replaces as well, if these replace others. Those because of
// which entries are stuck, and of stuck entries, are left to graph/stuck and graph/stranded.
func replacedAndSkipped(g *graph.Graph) []graph.Edge {
	var all, reported []graph.Edge
	stuck := map[int]bool{}
	for _, s := range g.Stuck() {
		stuck[s.Entry] = true
		reported = append(reported, s.Unskip...)
	}
	for _, i := range g.Entries() {
		below, ok := g.Index(g.Channel.Entries[i].Replaces.Value)
		if !ok || below == i || !replacesAny(g, below) {
			continue
		}
		for _, skip := range g.Edges(below) {
			if skip.To == i && skip.Kind == graph.Skips && !slices.Contains(reported, skip) && (!stuck[below] || edges.IsDowngrade(g, skip)) {
				all = append(all, skip)
			}
		}
	}
	return all
}

// belowReplacedAndSkipped returns the entries that graph/replaces-and-skips says cannot be installed.
func belowReplacedAndSkipped(g *graph.Graph) map[int]bool {
	told := map[int]bool{}
	for _, skip := range replacedAndSkipped(g) {
		for i, ok := skip.From, true; ok && !told[i]; i, ok = g.Index(g.Channel.Entries[i].Replaces.Value) {
			told[i] = true
		}
	}
	return told
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
