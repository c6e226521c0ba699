package templates

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var rejected = lint.Rule{
	ID: lint.TemplateRuleID, Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `opm rejects a template
opm alpha render-template makes no catalog of the template, and often names no line: an unknown key of a template of schema olm.semver, a
bundle twice in a stream, a bundle of a basic template that has more than its image. The channels of a template of schema olm.semver were
then not checked, so this rule cannot be turned off.
Correct the template.`,
	Reference: "operator-registry alpha/template",
	Check:     checkRejected,
}

func checkRejected(p *lint.Pass) {
	for i := range p.Catalog.Problems {
		if problem := &p.Catalog.Problems[i]; problem.Kind == catalogs.TemplateFault && !problem.Accepted {
			p.Report(finding(problem))
		}
	}
}
