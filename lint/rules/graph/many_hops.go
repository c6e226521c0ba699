package upgrades

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var manyHops = lint.Rule{
	ID: "graph/many-hops", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `the head is many upgrades away
OLM v0 installs every step of the path, one after the other, and waits for each; each one can fail. Paths of more than 20 upgrades
are reported, or of more than maxHops in the configuration.
Let newer entries skip versions that need not be installed, or cover them with a skipRange.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     checkManyHops,
}

// defaultMaxHops is the default of Config.MaxHops.
const defaultMaxHops = 20

// checkManyHops reports once per package, at the entry with the longest upgrade path.
func checkManyHops(p *lint.Pass) {
	limit := p.Config.MaxHops
	if limit == 0 {
		limit = defaultMaxHops
	}
	var all []lint.Finding
	var channels []string
	longest, most := 0, limit
	lint.EachChannel(func(_ *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
		farthest, hops, count := farthestEntry(g, limit)
		if count == 0 {
			return
		}
		if hops > most {
			longest, most = len(all), hops
		}
		all = append(all, manyHopsFinding(g, farthest, count, limit))
		channels = append(channels, c.Name.Value)
	})(p)
	if len(all) == 0 {
		return
	}
	f := all[longest]
	f.Cause, f.Faults = lint.OncePerPackage(), channels
	if more := len(all) - 1; more > 0 {
		f.Channel, f.Details = "", detailsOf(all)
		f.Message += fmt.Sprintf(" (and in %d more %s)", more, words.Plural(more, "channel", "channels"))
	}
	if isGenerated(p) {
		f.Fix = cmp.Or(versionFix(p, nil, func(made *catalogs.Package) bool {
			return !slices.ContainsFunc(made.Channels, func(c *catalogs.Channel) bool {
				_, _, count := farthestEntry(graph.Of(made, c), limit)
				return count > 0
			})
		}), basicInstead)
	}
	p.Report(f)
}

// farthestEntry returns the entry with the longest upgrade path, its number of upgrades, and how many entries have more than limit.
func farthestEntry(g *graph.Graph, limit int) (farthest, most, count int) {
	for _, i := range g.Entries() {
		hops, _, ok := g.Hops(i)
		if !ok || hops <= limit {
			continue
		}
		count++
		if hops > most {
			farthest, most = i, hops
		}
	}
	return farthest, most, count
}

// manyHopsFinding returns the finding about the entry of a channel with the longest upgrade path.
func manyHopsFinding(g *graph.Graph, farthest, count, limit int) lint.Finding {
	hops, end, _ := g.Hops(farthest)
	f := edges.AtEntry(g, farthest)
	f.Message = fmt.Sprintf("OLM v0 makes %d upgrades one after the other from %q to %q in channel %q", hops, g.Name(farthest), g.Name(end), f.Channel)
	if count > 1 {
		f.Message += fmt.Sprintf("; from %d entries more than %d", count, limit)
	}
	f.Fix = "let newer entries skip versions that need not be installed, or cover them with a skipRange"
	return f
}
