package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var unknownPackage = lint.Rule{
	ID: "catalog/unknown-package", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a channel or a bundle belongs to a package that is not defined
opm rejects an olm.channel or olm.bundle object whose package no olm.package object defines.
Correct the name, or add the olm.package object.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkUnknownPackage,
}

func checkUnknownPackage(p *lint.Pass) {
	name := p.Package.Name.Value
	misspelt(p, catalogs.UnknownPackage, "write %s, or add an olm.package object")
	if p.Package.Defined() || p.Catalog.MayBeUnread(name) {
		return
	}
	near := problems.NearestPackage(p.Catalog, name)
	report := func(pkg catalogs.Text, pos catalogs.Pos, subject lint.Subject, what string) {
		f := lint.Finding{Subject: subject, Pos: pkg.Pos,
			Message: fmt.Sprintf("%s belongs to package %q, which no olm.package object defines", what, name),
			Fix:     "correct the name, or add the olm.package object"}
		if near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Otherwise add the olm.package object", near)
		}
		if name == "" {
			f.Pos, f.Message, f.Fix = pos, what+" does not name its package", "add package"
		}
		p.Report(f)
	}
	for _, c := range p.Package.Channels {
		report(c.Package, c.Pos, lint.Subject{Channel: c.Name.Value}, fmt.Sprintf("channel %q", c.Name.Value))
	}
	for _, b := range p.Package.Bundles {
		report(b.Package, b.Pos, lint.Subject{Bundle: b.Name.Value}, fmt.Sprintf("bundle %q", b.Name.Value))
	}
}
