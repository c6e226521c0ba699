package object

import (
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph/preflight/removed"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var removedAPIRule = lint.Rule{
	ID: "object/removed-api", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer, OtherGates: lint.GateAdvice,
	Doc: `an object uses an API that Kubernetes has removed
From that version of Kubernetes on, the API server does not serve the API, and the installation fails. It is an error if the
catalog is for such a version (--kube, kube or openshift in the configuration, or the catalog's folder), or if the minKubeVersion
of the bundle requires one; otherwise it is an info.
Use the newer version of the API.`,
	Reference: "Kubernetes Deprecated API Migration Guide",
	Check:     contents.InHeads(eachObject(checkRemoved)),
}

func checkRemoved(c *contents.Contents, m *bundled.Manifest) {
	gone := removed.In(m.APIVersion, m.Kind)
	if gone == 0 {
		return
	}
	target, source := c.Pass.KubeMinor()
	least := 0
	if c.CSV != nil {
		if v, ok := versions.ParseMinKubeVersion(strings.TrimSpace(c.CSV.Spec.MinKubeVersion)); ok && v.Major == 1 && v.Minor < 1000 {
			least = int(v.Minor)
		}
	}
	fix := "use the version of the API that follows " + m.APIVersion
	switch {
	case target >= gone:
		c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, and %s is 1.%d: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, source, target).WithCause(m.APIVersion)
	case least >= gone:
		c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, but needs 1.%d by its minKubeVersion: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, least).WithCause(m.APIVersion)
	default:
		f := c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes removed in 1.%d: it cannot be installed from that version on", m.Kind, m.Name, m.APIVersion, gone).WithCause(m.APIVersion)
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
}
