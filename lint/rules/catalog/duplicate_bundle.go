package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

var duplicateBundle = lint.Rule{
	ID: "catalog/duplicate-bundle", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a bundle is defined twice
opm rejects two olm.bundle objects of one name in a package.
Keep one; a rebuilt bundle needs a new version and a new name.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkDuplicateBundle,
}

func checkDuplicateBundle(p *lint.Pass) {
	for _, b := range p.Package.Bundles {
		if first := p.Package.Bundle(b.Name.Value); first != b {
			p.Report(lint.Finding{
				Subject: lint.Subject{Bundle: b.Name.Value},
				Pos:     b.Name.Pos,
				Message: fmt.Sprintf("bundle %q is defined a second time", b.Name.Value),
				Fix:     "keep one of the two; a rebuilt bundle needs a new version and name",
				Related: []lint.Related{{Pos: first.Name.Pos, Message: "first defined here"}},
			})
		}
	}
}
