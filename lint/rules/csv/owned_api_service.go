package csv

import (
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var ownedAPIService = lint.Rule{
	ID: "csv/owned-api-service", Severity: lint.Warning, Gates: lint.GateOLMv1,
	Doc: `OLM v1 does not support API services
An operator that serves an API by an APIService can be installed by OLM v0 only.
Serve the API by a CRD, or document that OLM v1 is not supported.`,
	Reference: "operator-controller rukpak/render/registryv1",
	Check:     contents.InHeads(contents.WithCSV(checkOwnedServices)),
}

func checkOwnedServices(c *contents.Contents) {
	if n := len(c.CSV.Spec.APIServices.Owned); n > 0 {
		c.Report("spec.apiservicedefinitions.owned", "serve the API by a CRD, or document that OLM v1 is not supported",
			"owns %d API %s, which OLM v1 does not support: it rejects the bundle", n, words.Plural(n, "service", "services"))
	}
}
