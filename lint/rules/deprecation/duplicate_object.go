package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var duplicateObject = lint.Rule{
	ID: "deprecation/duplicate-object", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a package has two olm.deprecations objects
opm accepts one for each package and does not merge them; OLM v1 reads only the first one.
Move the entries into one.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkDeprecationObjects,
}

func checkDeprecationObjects(p *lint.Pass) {
	if len(p.Package.Deprecations) < 2 {
		return
	}
	first := p.Package.Deprecations[0]
	for _, d := range p.Package.Deprecations[1:] {
		p.Report(lint.Finding{
			Pos:     words.FirstKnown(d.Package.Pos, d.Pos),
			Message: fmt.Sprintf("package %q has a second olm.deprecations object, and opm does not merge them", p.Package.Name.Value),
			Fix:     "move its entries into the first one",
			Related: []lint.Related{{Pos: words.FirstKnown(first.Package.Pos, first.Pos), Message: "the first one"}},
		})
	}
}
