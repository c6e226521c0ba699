package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var unknownSchema = lint.Rule{
	ID: "catalog/unknown-schema", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
	Doc: `a schema is misspelt
opm accepts objects of any schema and reads those of olm.package, olm.channel, olm.bundle and olm.deprecations only: the package,
channel or bundle is missing from the catalog. A schema is reported if it is like one of these; the catalog is then checked as if it
were spelt that way. A schema that begins with olm. and is like none of them is a warning. Other schemas are allowed.
Correct the schema.`,
	Reference: "operator-registry alpha/declcfg LoadSlice",
	Check:     checkUnknownSchema,
}

func checkUnknownSchema(p *lint.Pass) {
	problems.CheckMatching(func(problem *catalogs.Problem) bool {
		return problem.Kind == catalogs.UnknownSchema && problem.Like != ""
	}, "correct the schema")(p)
	for _, problem := range p.Catalog.Problems {
		if problem.Kind == catalogs.UnknownSchema && problem.Like == "" {
			p.Report(lint.Finding{Severity: lint.Warning, Gates: lint.GateAdvice, Subject: lint.Subject{Package: problem.Package}, Cause: problem.Cause,
				Pos: problem.Pos, Message: problem.Message, Fix: problem.Fix})
		}
	}
}
