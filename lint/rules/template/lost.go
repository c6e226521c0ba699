package templates

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/lint"
)

var lost = lint.Rule{
	ID: "template/lost", Severity: lint.Error, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `opm silently drops a part of a template
opm reads only the first document of a template. Keys are the same in any case: of Stable and stable it takes the last one in alphabetical
order. Of a basic template it takes the last of repeated keys, and ignores unknown ones, which is a warning if the key is like none that it
knows. Channels or bundles are then missing from the catalog, and users get no upgrades.
Keep one key, or one document in a file.`,
	Reference: "operator-registry alpha/template, sigs.k8s.io/yaml",
	Check:     checkLost,
}

func checkLost(p *lint.Pass) {
	for i := range p.Catalog.Problems {
		problem := &p.Catalog.Problems[i]
		if problem.Kind != catalogs.TemplateFault || !problem.Accepted {
			continue
		}
		f := finding(problem)
		if problem.Cause[0] == template.UnknownKey && len(problem.Cause) == 1 { // it is like no known key
			f.Severity = lint.Warning
		}
		p.Report(f)
	}
}
