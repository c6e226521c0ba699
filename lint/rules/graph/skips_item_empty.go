package upgrades

import (
	"fmt"
	"strconv"

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
		f, items := edges.AtEntry(g, i), []string{}
		for n, skip := range c.Entries[i].Skips {
			if skip.Value != "" || versions.HasTypeProblem(p.Catalog, skip.Pos) {
				continue
			}
			if len(items) == 0 {
				f.Pos = words.FirstKnown(skip.Pos, f.Pos)
			}
			items = append(items, strconv.Itoa(n+1))
			f.Edits = append(f.Edits, edges.RemoveText(skip)...)
		}
		if len(items) == 0 {
			continue
		}
		one := len(items) == 1
		f.Message = fmt.Sprintf("%s %s in the skips of %q %s empty, which opm rejects", words.Plural(len(items), "item", "items"), words.Some(items),
			c.Entries[i].Name.Value, words.Plural(len(items), "is", "are"))
		f.Fix = "remove them, or write the names of the entries to skip"
		if one {
			f.Fix = "remove it, or write the name of the entry to skip"
		}
		p.Report(f)
	}
}
