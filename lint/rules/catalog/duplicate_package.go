package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

var duplicatePackage = lint.Rule{
	ID: "catalog/duplicate-package", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a package is defined twice
opm requires exactly one olm.package object for each package, over all files.
Keep one. If both come from catalogs of different versions, pass these as separate catalogs.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkDuplicatePackage,
}

func checkDuplicatePackage(p *lint.Pass) {
	for _, pos := range p.Package.Duplicates {
		p.Report(lint.Finding{
			Pos:     pos,
			Message: fmt.Sprintf("package %q is defined a second time", p.Package.Name.Value),
			Fix:     "keep one of the two olm.package objects",
			Related: []lint.Related{{Pos: p.Package.Pos, Message: "first defined here"}},
		})
	}
}
