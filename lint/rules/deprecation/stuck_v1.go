package deprecation

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var stuckV1 = lint.Rule{
	ID: "deprecation/stuck-v1", Severity: lint.Warning, Gates: lint.GateOLMv1,
	Doc: `OLM v1 does not upgrade to deprecated bundles
OLM v1 prefers bundles that are not deprecated to deprecated ones, and the installed bundle is a candidate. If all successors of a
bundle that is not deprecated are deprecated, OLM v1 never upgrades it, even if later bundles are not deprecated.
Let a later bundle that is not deprecated skip the installed one, or deprecate the installed one as well.`,
	Reference: "operator-controller compare.ByDeprecationFunc",
	Check:     checkStuckByDeprecation,
}

func checkStuckByDeprecation(p *lint.Pass) {
	d := edges.DeprecatedIn(p.Package)
	if len(d.Bundles) == 0 || d.Package != nil {
		return
	}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		for _, i := range g.Entries() {
			next := g.Successors(i)
			active := func(e graph.Edge) bool { return d.Bundles[g.Name(e.To)] == nil }
			if d.Bundles[g.Name(i)] != nil || len(next) == 0 || slices.ContainsFunc(next, active) {
				continue
			}
			p.Report(stuckByDeprecation(g, i, next, d))
		}
	}
}

func stuckByDeprecation(g *graph.Graph, i int, next []graph.Edge, d edges.Deprecated) lint.Finding {
	var names []string
	f := lint.Finding{
		Subject: lint.Subject{Channel: g.Channel.Name.Value, Bundle: g.Name(i)},
		Pos:     g.Channel.Entries[i].Name.Pos,
		Fix:     fmt.Sprintf("let a bundle that is not deprecated skip %q, or deprecate that as well", g.Name(i)),
	}
	for _, e := range next {
		names = append(names, g.Name(e.To))
		f.Details = append(f.Details, lint.Related{Pos: d.Bundles[g.Name(e.To)].Pos, Message: fmt.Sprintf("%q is deprecated",
			g.Name(e.To))})
	}
	f.Message = fmt.Sprintf("OLM v1 never upgrades %q, which is not deprecated, to %s, which %s deprecated",
		g.Name(i), words.AllOf(names), words.Plural(len(names), "is", "are"))
	return f
}
