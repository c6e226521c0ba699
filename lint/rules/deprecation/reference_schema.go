package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var referenceSchema = lint.Rule{
	ID: "deprecation/reference-schema", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `the reference of a deprecation has no valid schema
The schema of a reference must be olm.package, olm.channel or olm.bundle.
Add or correct reference.schema.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     eachDeprecation(checkReferenceSchema),
}

func checkReferenceSchema(p *lint.Pass, d *catalogs.Deprecation) {
	schemas := []string{catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle}
	f := lint.Finding{Cause: causeOf(d), Pos: words.FirstKnown(d.Schema.Pos, d.Pos), Fix: "write " + words.OneOf(schemas)}
	if versions.HasTypeProblem(p.Catalog, d.Schema.Pos) {
		return
	}
	switch d.Schema.Value {
	case catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle:
		return
	case "":
		f.Message = fmt.Sprintf("the deprecation of %q has no schema for a bundle or a channel", d.Name.Value)
		f.Fix = "add reference.schema: " + words.OneOf(schemas)
	default:
		f.Message = fmt.Sprintf("a deprecation of schema %q: only packages, channels and bundles can be deprecated",
			d.Schema.Value)
		if near, ok := spelling.Nearest(d.Schema.Value, schemas); ok {
			f.Fix = fmt.Sprintf("did you mean %q?", near)
		}
	}
	p.Report(f)
}
