package bundle

import (
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var crdAPIVersion = lint.Rule{
	ID: "bundle/crd-api-version", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
	Doc: `a CRD has an apiVersion that does not exist
CustomResourceDefinitions have the apiVersion apiextensions.k8s.io/v1. API servers accept no other one; before Kubernetes 1.22
they accepted v1beta1 as well.
Set apiVersion: apiextensions.k8s.io/v1.`,
	Reference: "operator-registry pkg/lib/bundle ValidateBundleContent",
	Check:     contents.InAllBundles(checkCRDVersion),
}

func checkCRDVersion(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == crd.Kind && m.APIVersion != crd.V1 && m.APIVersion != crd.V1beta1 {
			c.ReportOn(m, "apiVersion", "write apiVersion: "+crd.V1,
				"contains the CRD %q with the apiVersion %q, which no API server supports", m.Name, m.APIVersion).WithCause(m.APIVersion)
		}
	}
}
