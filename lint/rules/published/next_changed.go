package published

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// nextChange is a changed target of automatic upgrades, "" if there is none.
type nextChange struct{ was, is string }

// checkNextChanged reports once per channel.
func checkNextChanged(p *lint.Pass, c *graph.Change) {
	from := nextChanges(c)
	if len(from.Keys()) == 0 {
		return
	}
	f := edges.AtChannel(c.Now.Channel)
	var said []string
	for change, names := range from.All() {
		f.Names = append(f.Names, append(names, change.is, change.was)...)
		said = append(said, fmt.Sprintf("%s to %s, was %s", words.AllOf(names), quotedOr(change.is, "nothing"), quotedOr(change.was, "stuck")))
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
func nextChanges(c *graph.Change) (from memo.Groups[nextChange, string]) {
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
		from.Add(change, c.Base.Name(outcome.Entry))
	}
	return from
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
