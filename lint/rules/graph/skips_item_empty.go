package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var skipsItemEmpty = lint.Rule{
	ID: "graph/skips-item-empty", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `an item of skips is empty
opm rejects an empty name in skips; the usual cause is a template.
Remove the item.`,
	Reference: "operator-registry alpha/model Bundle.Validate",
	HasEdits:  true,
	Check:     lint.EachChannel(checkSkipsItems),
}

func checkSkipsItems(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for i := range c.Entries {
		for n, skip := range c.Entries[i].Skips {
			if skip.Value != "" || versions.HasTypeProblem(p.Catalog, skip.Pos) {
				continue
			}
			f := edges.AtEntry(g, i)
			f.Pos = words.FirstKnown(skip.Pos, f.Pos)
			f.Message = fmt.Sprintf("item %d in the skips of %q is empty, which opm refuses", n+1, c.Entries[i].Name.Value)
			f.Fix = "remove it, or write the name of the entry to skip"
			f.Edits = edges.RemoveText(skip)
			p.Report(f)
		}
	}
}
