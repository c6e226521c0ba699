package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var form = lint.Rule{
	ID: lint.FormRuleID, Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `the form of the catalog is incomplete
The output of a cluster or of a catalog's pod has less than the catalog: kubectl get packagemanifests lists heads and versions but
no edges, ListBundles has no manifests, and a ConfigMap has only CSVs and CRDs. Rules that need the rest were not checked.
Give the catalog itself to check all of it.`,
	Reference: "operator-registry pkg/api registry.proto, OLM pkg/package-server",
	Check:     checkForm,
}

// checkForm reports what the form of the catalog does not contain, and so was not checked.
func checkForm(p *lint.Pass) {
	if pos, silent := p.Catalog.FormLimitation(); silent != "" && p.Catalog.Template == nil {
		fix := "give the catalog itself, as docker://IMAGE"
		if p.Catalog.Form == catalogs.ConfigMap {
			fix = "serve a file-based catalog from an image, with a CatalogSource of type grpc"
		}
		p.Report(lint.Finding{Pos: pos, Message: silent, Fix: fix})
	}
}
