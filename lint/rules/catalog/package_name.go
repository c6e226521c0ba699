package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
)

var packageName = lint.Rule{
	ID: "catalog/package-name", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a package has no name, or an invalid one
A package name must be a DNS-1123 label: lower-case letters, digits and hyphens, at most 63 characters, no dots.
Rename the package in every object that names it.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkPackageName,
}

func checkPackageName(p *lint.Pass) {
	if name := p.Package.Name; p.Package.Defined() && !names.DNSLabel.MatchString(name.Value) {
		f := lint.Finding{Pos: name.Pos, Message: fmt.Sprintf("opm rejects the package name %q", name.Value),
			Fix: "use at most 63 lower-case letters, digits and hyphens, no dot, in every object that names the package"}
		if name.Value == "" {
			f.Pos, f.Message, f.Fix = p.Package.Pos, "a package without a name", "add its name, as the other objects name it"
		}
		p.Report(f)
	}
}
