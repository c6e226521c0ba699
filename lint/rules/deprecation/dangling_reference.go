package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var danglingReference = lint.Rule{
	ID: "deprecation/dangling-reference", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a deprecation names a bundle or channel that the package does not have
When a bundle or a channel is removed from a catalog, its deprecation must be removed as well.
Correct the name, or remove the entry.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     eachDeprecation(checkDanglingReference),
}

func checkDanglingReference(p *lint.Pass, d *catalogs.Deprecation) {
	if versions.HasTypeProblem(p.Catalog, d.Name.Pos) || p.Catalog.MayBeUnread(d.Name.Value) {
		return
	}
	var known []string
	switch name := d.Name.Value; d.Schema.Value {
	case catalogs.SchemaBundle:
		if p.Package.Bundle(name) != nil {
			return
		}
		for _, b := range p.Package.Bundles {
			known = append(known, b.Name.Value)
		}
	case catalogs.SchemaChannel:
		if p.Package.Channel(name) != nil {
			return
		}
		for _, c := range p.Package.Channels {
			known = append(known, c.Name.Value)
		}
	default:
		return
	}
	f := lint.Finding{
		Subject: deprecationSubject(d),
		Cause:   causeOf(d),
		Pos:     words.FirstKnown(d.Name.Pos, d.Pos),
		Message: fmt.Sprintf("%s is deprecated, but package %q has none of that name", describeDeprecated(d), p.Package.Name.Value),
		Fix:     "remove the entry, or correct the name",
	}
	if near, ok := spelling.NearestVersioned(d.Name.Value, known); ok {
		f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the entry", near)
	}
	p.Report(f)
}
