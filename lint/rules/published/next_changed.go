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

// nextChange is a changed target of automatic upgrades, "" if there is none.
type nextChange struct{ was, is string }

// checkNextChanged reports once per channel.
func checkNextChanged(p *lint.Pass, c *graph.Change) {
	all, from := nextChanges(c)
	if len(all) == 0 {
		return
	}
	f := edges.AtChannel(c.Now.Channel)
	var said []string
	for _, change := range all {
		said = append(said, fmt.Sprintf("%s to %s, was %s", words.AllOf(from[change]), quotedOr(change.is, "nothing"), quotedOr(change.was, "stuck")))
	}
	f.Message = fmt.Sprintf("automatic upgrades of OLM v0 have changed in channel %q: from %s", c.Now.Channel.Name.Value, firstOf(said))
	for _, one := range said {
		f.Details = append(f.Details, lint.Related{Pos: f.Pos, Message: "from " + one})
	}
	f.Fix = "check that each of these upgrades has been tested"
	p.Report(f)
}

// nextChanges returns the changes of what entries are upgraded to, in the order of the entries, and the entries of each. It leaves out
// what other rules report: stranded entries, longer routes, and the old and the new head.
func nextChanges(c *graph.Change) (all []nextChange, from map[nextChange][]string) {
	from = map[nextChange][]string{}
	longer := map[int]bool{}
	for _, e := range c.LongerRoutes() {
		longer[e.From] = true
	}
	for _, outcome := range c.Outcomes() {
		change := nextChange{nameOrNone(c.Base, outcome.NextBefore), nameOrNone(c.Now, outcome.NextNow)}
		wasHead, isHead := outcome.ReachedHead && change.was == "", outcome.ReachesHead && change.is == ""
		if change.was == change.is || outcome.Stranded() || longer[outcome.Entry] || wasHead && outcome.ReachesHead || isHead && outcome.ReachedHead {
			continue
		}
		if from[change] == nil {
			all = append(all, change)
		}
		from[change] = append(from[change], c.Base.Name(outcome.Entry))
	}
	return all, from
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

// firstOf joins long parts of a sentence, the first few of many.
func firstOf(parts []string) string {
	if n := len(parts); n > 4 {
		return strings.Join(parts[:3], "; from ") + fmt.Sprintf("; and %d more such changes", n-3)
	}
	return strings.Join(parts, "; from ")
}
