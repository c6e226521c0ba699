package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var skipRangeSyntax = lint.Rule{
	ID: "graph/skip-range-syntax", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0,
	Doc: `a skipRange is invalid
A skipRange is parsed by blang/semver: full versions after <, <=, >, >=, = or !=, a space for and, || with spaces for or. A
leading v, a comma, ^, ~ and hyphen ranges are not allowed. opm rejects invalid ranges from 1.69 on; OLM v0 and v1 ignore them
silently, so that they upgrade nothing. opm accepts a part between || without a full version, as in "1.0.0 || 1 || 2.0.0", and it
crashes OLM.
Write the range in this grammar, for example ">=1.0.0 <1.2.3".`,
	Reference: "operator-registry alpha/model Bundle.Validate; github.com/blang/semver ParseRange",
	Check:     lint.EachChannel(checkRangeSyntax),
}

func checkRangeSyntax(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for i := range c.Entries {
		text := c.Entries[i].SkipRange.Value
		if text == "" {
			continue
		}
		f := atRange(g, i)
		f.Cause = []string{f.Channel, f.Bundle, text}
		switch r := versions.ParseRange(text); {
		case r.Err != nil:
			why, fix := versions.RangeMistake(text)
			if why == "" {
				why, fix = "it is not in the grammar of ranges", "write full versions with spaces between them, as in >=1.0.0 <1.2.3"
			}
			f.Message = fmt.Sprintf("skipRange %q of %q is invalid: %s; opm rejects it from 1.69 on, and OLM ignores it",
				text, c.Entries[i].Name.Value, why)
			f.Fix = fix
		case r.Crashes():
			f.Gates = lint.GateOLMv0 | lint.GateOLMv1
			f.Message = fmt.Sprintf("skipRange %q of %q has a part between || without a full version: opm accepts it, and OLM crashes",
				text, c.Entries[i].Name.Value)
			f.Fix = "write full versions with three numbers, as in <0.9.0 || >=1.0.0 <1.2.3"
		default:
			continue
		}
		p.Report(f)
	}
}
