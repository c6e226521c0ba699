package bundle

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var extraCRD = lint.Rule{
	ID: "bundle/extra-crd", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `a bundle contains a CRD that it does not own
OLM installs the CRD, but neither the console nor other operators see which operator serves it, and two operators can ship it
without a conflict being detected.
List it in spec.customresourcedefinitions.owned, or remove it.`,
	Reference: "operator-framework/api pkg/validation/internal bundle.go validateOwnedCRDs",
	Check:     contents.InHeads(contents.WithReadableCSV(checkExtraCRD)),
}

func checkExtraCRD(c *contents.Contents) {
	for _, own := range c.Pass.Preflight().CRDs(c.Bundle) {
		owns := func(crd csv.CRDDescription) bool { return crd.Name == own.Manifest.Name }
		if c.CSV.Err == nil && own.Manifest.Name != "" && !slices.ContainsFunc(c.CSV.Spec.CRDs.Owned, owns) {
			c.ReportOn(own.Manifest, "metadata.name", "list it in spec.customresourcedefinitions.owned, or remove it",
				"contains the CRD %q, which it does not own: OLM installs it without an owner", own.Manifest.Name)
		}
	}
}
