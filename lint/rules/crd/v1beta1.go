package crd

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var v1beta1 = lint.Rule{
	ID: "crd/v1beta1", Severity: lint.Warning, Gates: lint.GateAPIServer,
	Doc: `a CRD in v1beta1
Kubernetes 1.22 (OpenShift 4.9) and later do not serve apiextensions.k8s.io/v1beta1: a bundle with such a CRD cannot be installed
there. It is an error if the catalog is known to be for such a cluster and the bundle is a head.
Convert the CRD to apiextensions.k8s.io/v1: every version needs a structural schema.`,
	Reference: "Kubernetes deprecated API migration guide, v1.22",
	Check:     checkV1beta1,
}

// checkV1beta1 reports CRDs that newer clusters reject. Heads come first, even if there are newer bundles.
func checkV1beta1(p *lint.Pass) {
	heads := contents.Heads(p)
	isHead := func(b *catalogs.Bundle) bool { return slices.Contains(heads, b) }
	others := slices.DeleteFunc(contents.NewestFirst(p.Package), isHead)
	minor, _ := p.KubeMinor()
	contents.CheckBundles(p, slices.Concat(heads, others), heads, "other bundle", func(c *contents.Contents) {
		for _, m := range c.Pass.Preflight().CRDManifests(c.Bundle) {
			if m.APIVersion != crd.V1beta1 {
				continue
			}
			f := c.ReportOn(m, "apiVersion", "convert it to apiextensions.k8s.io/v1",
				"contains %s in v1beta1, which Kubernetes 1.22 (OpenShift 4.9) and later reject", crdName(m))
			f.CRD = m.Name
			if isHead(c.Bundle) && minor >= 22 {
				f.Severity = lint.Error
			}
		}
	})
}
