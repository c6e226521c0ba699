package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

const resolvesNothing = "OLM v0 resolves nothing in a namespace subscribed to it"

func checkCycle(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	if len(g.Heads()) == 0 {
		return // reported by graph/no-head
	}
	var refused []string
	if loop := g.Chain().Cycle; loop != nil {
		refused = loop
		p.Report(cycleFinding(g, loop, lint.Error, lint.GateOPM|lint.GateOLMv0, "opm rejects it, and "+resolvesNothing))
	} else if _, err := g.Order(); err != nil && err.Cycle != nil {
		refused = err.Cycle
		p.Report(cycleFinding(g, refused, lint.Error, lint.GateOLMv0, "opm accepts it, but "+resolvesNothing))
	}
	for _, loop := range g.Cycles() {
		names := cycleNames(g, loop)
		if len(loop) < 2 || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(refused, n) }) {
			continue
		}
		who := "no entry of it upgrades to one outside it"
		if slices.ContainsFunc(loop, func(e graph.Edge) bool {
			next, ok := g.Next(e.From)
			return ok && !slices.Contains(names, g.Name(next.To))
		}) {
			who = "each is declared an upgrade of another"
		}
		p.Report(cycleFinding(g, reverse(names), lint.Warning, lint.GateAdvice, who))
	}
	for _, loop := range g.Loops() {
		if downgradeIn(g, loop).Kind != graph.SkipRange { // else reported by graph/skip-range-newer
			p.Report(endlessUpgradeFinding(g, loop))
		}
	}
}

// cycleNames returns the names along a cycle of upgrades. The first one is also the last.
func cycleNames(g *graph.Graph, loop []graph.Edge) []string {
	names := make([]string, 0, len(loop)+1)
	for _, e := range loop {
		names = append(names, g.Name(e.From))
	}
	return append(names, names[0])
}

func reverse(names []string) []string {
	names = slices.Clone(names)
	slices.Reverse(names)
	return names
}

// cycleFinding returns the finding about a cycle in which each entry replaces or skips the next.
func cycleFinding(g *graph.Graph, names []string, s lint.Severity, gates lint.Gates, who string) lint.Finding {
	upper, lower := oldestUpgrade(g, names)
	f := edges.AtEntry(g, upper)
	f.Severity, f.Gates = s, gates
	f.Cause, f.Names = []string{f.Channel, g.Name(upper), g.Name(lower)}, names
	f.Message = fmt.Sprintf("a cycle of upgrades in channel %q, %s: %s",
		g.Channel.Name.Value, cycleText(names, " over "), who)
	field := "replaces"
	if e, ok := edgeBetween(g, lower, upper); ok {
		f.Pos, field = catalogs.KnownPos(e.Where.Pos, f.Pos), edgeFields(g, lower, upper)
	}
	f.Fix = fmt.Sprintf("remove %q from the %s of %q, the older one", g.Name(lower), field, g.Name(upper))
	if upper == lower {
		f.Fix = fmt.Sprintf("remove %q from its own %s", g.Name(upper), field)
		if own, ok := edgeBetween(g, upper, upper); ok {
			f.Edits = edges.RemoveSelfReference(g, upper, own)
		}
	}
	return f
}

// edgeFields returns the fields of entry to that name entry from.
func edgeFields(g *graph.Graph, from, to int) string {
	var fields []string
	for _, e := range g.Edges(from) {
		if e.To == to {
			fields = append(fields, e.Kind.String())
		}
	}
	return strings.Join(fields, " and ")
}

// cycleText lists the names of a cycle, without the middle of a long one.
func cycleText(names []string, sep string) string {
	if n := len(names); n > 7 {
		names = slices.Concat(names[:3], []string{fmt.Sprintf("%d others", n-5)}, names[n-2:])
	}
	return strings.Join(names, sep)
}

// edgeBetween returns the first edge from one entry to another.
func edgeBetween(g *graph.Graph, from, to int) (graph.Edge, bool) {
	for _, e := range g.Edges(from) {
		if e.To == to {
			return e, true
		}
	}
	return graph.Edge{}, false
}

// oldestUpgrade returns the last entry of a cycle that replaces or skips a newer one, and the newer one; if there is none, the
// first two. That edge should be removed.
func oldestUpgrade(g *graph.Graph, names []string) (upper, lower int) {
	for n := 1; n < len(names); n++ {
		a, _ := g.Index(names[n-1])
		b, _ := g.Index(names[n])
		if n == 1 || versions.NewerThan(g.Channel.Entries[b].Bundle, g.Channel.Entries[a].Bundle) {
			upper, lower = a, b
		}
	}
	return upper, lower
}

// downgradeIn returns the last edge of a cycle to an older entry.
func downgradeIn(g *graph.Graph, loop []graph.Edge) graph.Edge {
	down := loop[0]
	for _, e := range loop {
		if versions.NewerThan(g.Channel.Entries[e.From].Bundle, g.Channel.Entries[e.To].Bundle) {
			down = e
		}
	}
	return down
}

// endlessUpgradeFinding returns the finding about a cycle in which OLM v0 upgrades endlessly.
func endlessUpgradeFinding(g *graph.Graph, loop []graph.Edge) lint.Finding {
	down := downgradeIn(g, loop)
	f := edges.AtEntry(g, down.To)
	f.Severity, f.Gates = lint.Error, lint.GateOLMv0
	f.Cause, f.Names = []string{f.Channel, g.Name(down.To), down.Kind.String(), g.Name(down.From)}, cycleNames(g, loop)
	f.Pos = catalogs.KnownPos(down.Where.Pos, f.Pos)
	f.Message = fmt.Sprintf("OLM v0 upgrades endlessly in channel %q: %s",
		g.Channel.Name.Value, cycleText(cycleNames(g, loop), " to "))
	f.Fix = fmt.Sprintf("remove %q from the %s of %q", g.Name(down.From), down.Kind, g.Name(down.To))
	change := edges.SettingReplaces("")
	if down.Kind == graph.Skips {
		change = edges.RemovingSkip(g.Name(down.From))
	}
	if edges.HasNewProblems(g, edges.WithEntry(g, down.To, change)) {
		f.Fix = fmt.Sprintf("publish the content of %q again under a version above %s", g.Name(down.To),
			versions.OfEntry(&g.Channel.Entries[down.From]))
	}
	return f
}

// hasOnlySelfEdges reports whether no other entry replaces or skips an entry.
func hasOnlySelfEdges(g *graph.Graph, i int) bool {
	return !slices.ContainsFunc(g.Edges(i), func(e graph.Edge) bool { return e.To != i })
}
