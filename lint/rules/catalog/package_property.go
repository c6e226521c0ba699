package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var packageProperty = lint.Rule{
	ID: "catalog/package-property", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a bundle does not state its package and version
A bundle must have exactly one olm.package property, which must name the package of the bundle.
Render the bundle again, or correct the property.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     lint.EachBundle(checkPackageProperty),
}

func checkPackageProperty(p *lint.Pass, b *catalogs.Bundle) {
	f := lint.Finding{Subject: lint.Subject{Bundle: b.Name.Value}, Pos: b.Name.Pos}
	switch n := b.PropertyCount(catalogs.TypePackage); {
	case n == 0:
		f.Message = fmt.Sprintf("bundle %q has no olm.package property: its version is unknown", b.Name.Value)
		f.Fix = fmt.Sprintf("add one with packageName %q and its version", b.Package.Value)
	case n > 1:
		f.Message = fmt.Sprintf("bundle %q has %d olm.package properties; opm requires exactly one", b.Name.Value, n)
		f.Fix = "keep the one with the version that the bundle image has"
		f.Related = laterProperties(b, catalogs.TypePackage)
	case b.PackageName.Value != b.Package.Value:
		f.Pos, f.Cause = b.PackageName.Pos, []string{b.Name.Value, b.PackageName.Value}
		f.Message = fmt.Sprintf("the olm.package property names package %q, but the bundle belongs to %q",
			b.PackageName.Value, b.Package.Value)
		f.Fix = fmt.Sprintf("set packageName to %q", b.Package.Value)
	default:
		return
	}
	if !f.Pos.Known() {
		f.Pos = b.Pos
	}
	p.Report(f)
}
