package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var packageReferenceName = lint.Rule{
	ID: "deprecation/package-reference-name", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `the deprecation of a package has a name
A reference with the schema olm.package means the package of the object. opm rejects a name in it, even the name of the package.
Remove the name.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     eachDeprecation(checkPackageReference),
}

func checkPackageReference(p *lint.Pass, d *catalogs.Deprecation) {
	if d.Schema.Value != catalogs.SchemaPackage || d.Name.Value == "" {
		return
	}
	f := lint.Finding{
		Cause:   causeOf(d),
		Pos:     d.Name.Pos,
		Message: fmt.Sprintf("the deprecation of the package names %q; opm allows no name there", d.Name.Value),
		Fix:     "remove the name from the reference",
	}
	switch {
	case p.Package.Channel(d.Name.Value) != nil:
		f.Fix += ", or write olm.channel if the channel of that name is meant"
	case p.Package.Bundle(d.Name.Value) != nil:
		f.Fix += ", or write olm.bundle if the bundle of that name is meant"
	}
	p.Report(f)
}
