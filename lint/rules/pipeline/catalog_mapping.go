package pipeline

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var catalogMapping = lint.Rule{
	ID: "pipeline/catalog-mapping", Severity: lint.Error, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `ci.yaml maps templates to catalogs that do not fit what there is
make catalogs first removes the operator from all catalogs in catalogs/, and then makes those of catalog_mapping in ci.yaml. It fails if a
template is not there or has another type, so that nothing is published any more; and a catalog that nothing is mapped to is gone, which is a
warning. A template that is mapped to no catalog reaches nobody, which is an info.
Correct catalog_mapping in ci.yaml.`,
	Reference: "operator-pipelines fbc/Makefile, render_catalogs.sh",
	Check:     checkCatalogMapping,
}

func checkCatalogMapping(p *lint.Pass) {
	check(catalogs.CatalogMapping, "correct catalog_mapping in ci.yaml")(p)
	reportAs(p, catalogs.UnmappedTemplate, "", func(f *lint.Finding) bool {
		f.Severity = lint.Info
		return true
	})
}
