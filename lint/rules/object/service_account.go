package object

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var serviceAccount = lint.Rule{
	ID: "object/service-account", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
	Doc: `a bundle contains a service account that OLM creates
OLM creates the service accounts of the deployments in a ClusterServiceVersion. A service account of the same name in the bundle
conflicts with it: both are written repeatedly, and secrets get lost.
Remove it from the bundle, or give it another name.`,
	Reference: "operator-framework/api bundle.go validateServiceAccounts",
	Check:     contents.InHeads(contents.WithReadableCSV(eachObject(checkAccount))),
}

// checkAccount reports service accounts of deployments, which OLM creates itself.
func checkAccount(c *contents.Contents, m *bundled.Manifest) {
	if m.Kind != "ServiceAccount" || m.Name == "" {
		return
	}
	uses := func(d csv.Deployment) bool { return d.Spec.Template.Spec.ServiceAccountName == m.Name }
	if slices.ContainsFunc(c.CSV.Spec.Install.Spec.Deployments, uses) {
		c.ReportOn(m, "metadata.name", "remove it: OLM creates the service accounts of deployments itself",
			"contains the ServiceAccount %q, which one of its deployments uses: OLM creates that itself, and the two conflict", m.Name)
	}
}
