package lint

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// checkDowngrade looks at replaces and skips; skipRanges are graph/skip-range-newer's.
func checkDowngrade(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, i := range g.Entries() {
		for n, e := range g.Edges(i) {
			from, to := c.Entries[e.From].Bundle, c.Entries[e.To].Bundle
			if n > 0 && g.Edges(i)[n-1].To == e.To || !newerThan(from, to) {
				continue
			}
			f := atEntry(g, e.To)
			f.Cause = []string{f.Channel, g.Name(e.To), g.Name(e.From)}
			f.Pos = firstKnown(e.Where.Pos, f.Pos)
			f.Message = fmt.Sprintf("%q %s the newer %q: its users are led from %s down to %s",
				g.Name(e.To), e.Kind, g.Name(e.From), versionText(from), versionText(to))
			f.Cure = passBy(g, e)
			next, ok := g.Next(i)
			switch {
			case suffixed(to, from):
				f.Message = fmt.Sprintf("%q %s %q, but in semver %s, with a suffix, is the older of the two",
					g.Name(e.To), e.Kind, g.Name(e.From), versionText(to))
			case ok && next.To == e.To:
				f.Severity = Error
			}
			f.Related = placesOf(g, []int{e.From}, "%q is the newer one")
			p.Report(f)
		}
	}
}

// passBy words how users get past a downgrade: to what is newer further up, if there is something.
func passBy(g *graph.Graph, down graph.Edge) string {
	from := g.Channel.Entries[down.From].Bundle
	for _, i := range g.Reachable(down.To) {
		if e := &g.Channel.Entries[i]; newerThan(e.Bundle, from) && e.SkipRange.Value == "" {
			return fmt.Sprintf("add skipRange: '>=%s <%s' to %q, so that its users pass by the older one",
				from.Semver(), e.Bundle.Semver(), e.Name.Value)
		}
	}
	return fmt.Sprintf("publish what is in %q again under a version above %s", g.Name(down.To), versionText(from))
}
