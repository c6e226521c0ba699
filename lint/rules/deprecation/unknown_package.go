package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var unknownPackage = lint.Rule{
	ID: "deprecation/unknown-package", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `deprecations for a package that is not defined
An olm.deprecations object must name a package that an olm.package object defines.
Correct the name, or remove the object.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkDeprecationPackage,
}

func checkDeprecationPackage(p *lint.Pass) {
	if p.Package.Defined() || p.Catalog.MayBeUnread(p.Package.Name.Value) {
		return
	}
	name := p.Package.Name.Value
	for _, d := range p.Package.Deprecations {
		f := lint.Finding{
			Pos:     words.FirstKnown(d.Package.Pos, d.Pos),
			Message: fmt.Sprintf("deprecations for package %q, which no olm.package object defines", name),
			Fix:     "correct the name, or remove the object",
		}
		if near := problems.NearestPackage(p.Catalog, name); near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the object", near)
		}
		if name == "" {
			f.Message, f.Fix = "an olm.deprecations object names no package", "add package"
		}
		p.Report(f)
	}
}
