package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var duplicateSkip = lint.Rule{
	ID: "graph/duplicate-skip", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an entry skips the same name twice
This is harmless, but one of the two may be a mistake for another name, whose users then have no upgrade.
Remove one, or correct it.`,
	Reference: "operator-registry alpha/model Bundle.Validate",
	HasEdits:  true,
	Check:     lint.EachChannel(checkDuplicateSkips),
}

func checkDuplicateSkips(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, i := range g.Entries() {
		f := edges.AtEntry(g, i)
		f.Cause = []string{f.Channel, f.Bundle}
		first := map[string]catalogs.Text{}
		for _, skip := range c.Entries[i].Skips {
			other, again := first[skip.Value]
			switch {
			case !again:
				first[skip.Value] = skip
			case skip.Value != "":
				if len(f.Faults) == 0 {
					f.Pos = words.FirstKnown(skip.Pos, f.Pos)
					f.Related = []lint.Related{{Pos: other.Pos, Message: "first skipped here"}}
				}
				if f.Edits = append(f.Edits, edges.RemoveText(skip)...); !slices.Contains(f.Faults, skip.Value) {
					f.Faults = append(f.Faults, skip.Value)
				}
			}
		}
		if len(f.Faults) > 0 {
			f.Message = fmt.Sprintf("%q skips %s twice: one of them may be a mistake for another name", c.Entries[i].Name.Value, words.Few(f.Faults))
			f.Fix = "remove one, or correct it"
			p.Report(f)
		}
	}
}
