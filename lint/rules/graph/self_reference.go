package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/revise"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var selfReferenceRule = lint.Rule{
	ID: "graph/self-reference", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an entry is declared an upgrade of itself
An entry that replaces or skips itself, or whose skipRange covers its own version, is its own successor. An entry that skips
itself is not a head and is never offered; a skipRange that covers its own version can block further upgrades.
Remove the name, or let the range end below the entry's own version.`,
	Reference: "OLM resolver getSubscriptionVariables",
	HasEdits:  true,
	Check:     lint.EachChannel(checkSelfReference),
}

// checkSelfReference reports entries that name themselves or cover their own version. A skipRange that also covers newer entries
// is left to graph/skip-range-newer.
func checkSelfReference(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	var corrected *graph.Graph
	for _, i := range g.Entries() {
		e := &c.Entries[i]
		f := edges.AtEntry(g, i)
		own, named := edgeBetween(g, i, i)
		r := versions.ParseRange(e.SkipRange.Value)
		switch {
		case named && rejectedForSelf(g, i):
			continue // reported by graph/no-head and graph/cycle
		case named:
			f.Cause = []string{f.Channel, f.Bundle, own.Kind.String()}
			f.Pos = words.FirstKnown(own.Where.Pos, f.Pos)
			if corrected == nil {
				corrected = edges.WithCorrectedNames(p, g)
			}
			f.Message, f.Fix, f.Edits = selfReference(corrected, i, own)
		case versions.HasVersion(e.Bundle) && r.Contains(*e.Bundle.Semver()) && len(newerInRange(g, i)) == 0:
			f.Cause = []string{f.Channel, f.Bundle, "skipRange"}
			f.Pos = words.FirstKnown(e.SkipRange.Pos, f.Pos)
			f.Message = fmt.Sprintf("the skipRange %q of %q covers its own version: OLM offers it as an upgrade of itself",
				e.SkipRange.Value, e.Name.Value)
			f.Fix = fmt.Sprintf("let the range end with <%s", e.Bundle.Semver())
		default:
			continue
		}
		p.Report(f)
	}
}

// rejectedForSelf reports whether a channel has no head, or a cycle, because an entry names itself.
func rejectedForSelf(g *graph.Graph, i int) bool {
	if len(g.Heads()) == 0 {
		return i == edges.Newest(g, g.Entries()) && hasOnlySelfEdges(g, i)
	}
	loop := g.Chain().Cycle
	if _, err := g.Order(); loop == nil && err != nil {
		loop = err.Cycle
	}
	return len(loop) == 2 && loop[0] == g.Name(i)
}

// selfReference returns message, fix and edits for an entry that replaces or skips itself. If it must stay skipped, its successor
// has to skip it.
func selfReference(g *graph.Graph, i int, own graph.Edge) (message, fix string, edits []revise.Edit) {
	name := g.Name(i)
	edits = edges.RemoveSelfReference(g, i, own)
	if own.Kind == graph.Replaces {
		return fmt.Sprintf("%q replaces itself", name), "remove replaces, or name the entry before it", edits
	}
	message = fmt.Sprintf("%q skips itself: it is not a head, and OLM v0 never offers it", name)
	if edits != nil {
		return message, fmt.Sprintf("remove %q from its own skips", name), edits
	}
	to, ok := successor(g, i)
	if !ok || edges.HasNewProblems(g, edges.WithEntry(edges.WithEntry(g, i, edges.RemovingSkip(name)), to, edges.AddingSkips(name))) {
		head, _ := g.Head()
		return message, fmt.Sprintf("publish a version above %s that replaces %q and skips %q, and remove %[3]q from its own skips",
			versions.Text(g.Channel.Entries[i].Bundle), g.Name(head), name), nil
	}
	return message, fmt.Sprintf("add %s to the skips of %q, and remove it from its own", name, g.Name(to)),
		append(edges.AppendSkips(&g.Channel.Entries[to], []string{name}), edges.RemoveSkip(&g.Channel.Entries[i], name)...)
}

// successor returns the entry that OLM v0 upgrades another one to, or the one that should skip it if it is stuck; false if that
// is older or missing.
func successor(g *graph.Graph, i int) (int, bool) {
	if next, ok := g.Next(i); ok {
		return next.To, !edges.IsDowngrade(g, next)
	}
	all := g.Stuck()
	at := slices.IndexFunc(all, func(s graph.Stuck) bool { return s.Entry == i })
	if at < 0 || all[at].FixEntry < 0 {
		return 0, false
	}
	return all[at].FixEntry, true
}
