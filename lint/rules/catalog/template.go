package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

var template = lint.Rule{
	ID: "catalog/template", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `a catalog contains a template
opm generates catalogs from templates, but reads a template in a catalog's folder as an object of an unknown schema: its packages,
channels and bundles are not in the catalog, and were not checked.
Render the template, and keep it outside the catalog's folder or list it in .indexignore.`,
	Reference: "operator-registry alpha/declcfg LoadFS, alpha/template",
	Check:     checkTemplate,
}

// checkTemplate reports templates that were not checked, in catalogs that were.
func checkTemplate(p *lint.Pass) {
	if _, none := p.Catalog.NoPackage(); none {
		return // reported by catalog/no-package
	}
	for _, f := range p.Catalog.Foreign {
		if f.Template {
			p.Report(lint.Finding{Pos: f.Pos, Fix: f.Fix + "; and keep the template outside the catalog's folder, or list it in .indexignore",
				Message: fmt.Sprintf("%s, which was not checked: opm validate accepts it as an object of an unknown schema, and nothing of it is in the catalog", f.What)})
		}
	}
}
