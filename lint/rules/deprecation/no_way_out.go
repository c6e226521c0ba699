package deprecation

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var noWayOut = lint.Rule{
	ID: "deprecation/no-way-out", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `every upgrade from a deprecated bundle is deprecated too
Users of a deprecated bundle should upgrade, but each automatic upgrade up to the head of their channel is to another deprecated
bundle. It is not reported if the channel or the package is deprecated as a whole.
Add a bundle that is not deprecated, or deprecate the channel with a message that names another one.`,
	Reference: "OLM Subscription condition BundleDeprecated",
	Check:     checkOnlyDeprecatedUpgrades,
}

// checkOnlyDeprecatedUpgrades reports entries that are deprecated together with all entries that they can be upgraded to. Entries
// without upgrades are left to deprecation/head.
func checkOnlyDeprecatedUpgrades(p *lint.Pass) {
	d := edges.DeprecatedIn(p.Package)
	if len(d.Bundles) == 0 || d.Package != nil {
		return
	}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		var trapped []string
		for _, i := range g.Entries() {
			if path := append([]int{i}, g.Reachable(i)...); len(path) > 1 && allDeprecated(g, path, d) {
				trapped = append(trapped, g.Name(i))
			}
		}
		if len(trapped) == 0 || d.Channels[c.Name.Value] != nil {
			continue
		}
		var details []lint.Related
		for _, name := range trapped {
			details = append(details, lint.Related{Pos: d.Bundles[name].Pos, Message: fmt.Sprintf("%q is deprecated", name)})
		}
		last := d.Bundles[trapped[len(trapped)-1]]
		p.Report(lint.Finding{
			Subject: lint.Subject{Channel: c.Name.Value},
			Faults:  trapped,
			Details: details,
			Pos:     last.Pos,
			Message: fmt.Sprintf("in channel %q %s %s deprecated, and so is every upgrade up to the head",
				c.Name.Value, words.AllOf(trapped), words.Plural(len(trapped), "is", "are")),
			Fix: "add a head that is not deprecated, or deprecate the channel with a message that names another one",
		})
	}
}

// allDeprecated reports whether all entries are deprecated.
func allDeprecated(g *graph.Graph, entries []int, d edges.Deprecated) bool {
	return !slices.ContainsFunc(entries, func(i int) bool { return d.Bundles[g.Name(i)] == nil })
}
