package published

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var nextChanged = lint.Rule{
	ID: "published/next-changed", Severity: lint.Info, Gates: lint.GateAdvice, NeedsBase: true,
	Doc: `an automatic upgrade has changed
Clusters that follow the channel automatically upgrade to another version from the same installed version than with the published
catalog. Most changes to a catalog intend this; it is reported for review.
Check that each of these upgrades has been tested.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     eachChanged(checkNextChanged),
}

// nextChange is an automatic upgrade of several entries that was one and is another.
type nextChange struct{ was, is string }

// checkNextChanged reports once a channel. Who is stranded, or goes a longer way, has a finding already; that an old head has a
// next now is said where that is added, and that something is the head now where the head went back.
func checkNextChanged(p *lint.Pass, c *graph.Change) {
	from := map[nextChange][]string{}
	var moves []nextChange
	longer := map[int]bool{}
	for _, e := range c.LongerRoutes() {
		longer[e.From] = true
	}
	for _, fate := range c.Outcomes() {
		m := nextChange{nameOrNone(c.Base, fate.NextBefore), nameOrNone(c.Now, fate.NextNow)}
		wasHead, isHead := fate.ReachedHead && m.was == "", fate.ReachesHead && m.is == ""
		if m.was == m.is || fate.Stranded() || longer[fate.Entry] || wasHead && fate.ReachesHead || isHead && fate.ReachedHead {
			continue
		}
		if from[m] == nil {
			moves = append(moves, m)
		}
		from[m] = append(from[m], c.Base.Name(fate.Entry))
	}
	if len(moves) == 0 {
		return
	}
	f := edges.AtChannel(c.Now.Channel)
	var said []string
	for _, m := range moves {
		said = append(said, fmt.Sprintf("%s to %s, was %s", words.AllOf(from[m]), quotedOr(m.is, "nothing"), quotedOr(m.was, "stuck")))
	}
	f.Message = fmt.Sprintf("automatic upgrades of OLM v0 have changed in channel %q: from %s", c.Now.Channel.Name.Value, firstOf(said))
	f.Fix = "check that each of these upgrades has been tested"
	p.Report(f)
}

func nameOrNone(g *graph.Graph, e graph.Edge) string {
	if e.To < 0 {
		return ""
	}
	return g.Name(e.To)
}

func quotedOr(name, none string) string {
	if name == "" {
		return none
	}
	return fmt.Sprintf("%q", name)
}

// firstOf joins parts of a sentence that are long, the first few of many.
func firstOf(parts []string) string {
	if n := len(parts); n > 4 {
		return strings.Join(parts[:3], "; from ") + fmt.Sprintf("; and %d more such changes", n-3)
	}
	return strings.Join(parts, "; from ")
}
