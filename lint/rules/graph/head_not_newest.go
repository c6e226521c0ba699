package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var headNotNewest = lint.Rule{
	ID: "graph/head-not-newest", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `the head of a channel is not its newest version
New users get the head, and all upgrades end at it. If an entry of a higher version is in the channel, OLM v0 ends at the lower
version, and OLM v1 prefers the higher one if it can.
Let the newest version be the head.`,
	Reference: "operator-registry alpha/model Channel.Head",
	Check:     lint.EachChannel(checkHeadNotNewest),
}

func checkHeadNotNewest(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	head, ok := g.Head()
	if !ok {
		return
	}
	top := edges.Newest(g, g.Entries())
	if !versions.NewerThan(c.Entries[top].Bundle, c.Entries[head].Bundle) {
		return
	}
	if next, ok := g.Next(top); ok && edges.IsDowngrade(g, next) && p.Runs(downgradeRuleOf(next), c.Name.Value) {
		return
	}
	f := edges.AtEntry(g, head)
	f.Cause = []string{f.Channel, g.Name(top)}
	a, b := c.Entries[top].Bundle, c.Entries[head].Bundle
	f.Message = fmt.Sprintf("the head of channel %q is version %s, but it has %s: users get the older version",
		c.Name.Value, versions.Text(b), versions.Text(a))
	f.Fix = fmt.Sprintf("let %q replace or skip %q, not the other way round", g.Name(top), g.Name(head))
	if isSuffixed(b, a) {
		f.Fix = fmt.Sprintf("in semver %s is older than %s, as any prerelease: publish it with a higher patch version",
			versions.Text(b), versions.Text(a))
	}
	f.Related = edges.RelatedEntries(g, []int{top}, "%q is newer")
	p.Report(f)
}

// downgradeRuleOf returns the rule that reports a downgrade.
func downgradeRuleOf(e graph.Edge) string {
	if e.Kind == graph.SkipRange {
		return "graph/skip-range-newer"
	}
	return "graph/downgrade"
}
