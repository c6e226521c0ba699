package upgrades

import (
	"fmt"

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
		first := map[string]catalogs.Text{}
		for _, skip := range c.Entries[i].Skips {
			other, again := first[skip.Value]
			if !again {
				first[skip.Value] = skip
				continue
			}
			if skip.Value == "" {
				continue
			}
			f := edges.AtEntry(g, i)
			f.Pos = words.FirstKnown(skip.Pos, f.Pos)
			f.Cause = []string{f.Channel, f.Bundle, skip.Value}
			f.Message = fmt.Sprintf("%q skips %q twice: one of them may be a mistake for another name",
				c.Entries[i].Name.Value, skip.Value)
			f.Fix = "remove one, or correct it"
			f.Edits = edges.RemoveText(skip)
			f.Related = []lint.Related{{Pos: other.Pos, Message: "first skipped here"}}
			p.Report(f)
		}
	}
}
