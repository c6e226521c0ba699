package bundle

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var ownedVersionNotServed = lint.Rule{
	ID: "bundle/owned-version-not-served", Severity: lint.Error, Gates: lint.GateOLMv0,
	Doc: `an owned version is not served by the bundle's own CRD
OLM v0 completes an installation only if every owned CRD serves the listed version. If the bundle's own CRD has served: false, the
ClusterServiceVersion stays Pending, and every later upgrade waits.
Own a version that the CRD serves, or serve it.`,
	Reference: "OLM pkg/controller/operators/olm requirements.go",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkOwnedServed)),
}

func checkOwnedServed(c *contents.Contents) {
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		crd, _ := ownCRD(c, owned.Name)
		if crd == nil {
			continue
		}
		at := crd.VersionIndex(owned.Version)
		if at >= 0 && !crd.Versions[at].Served {
			c.Report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", i),
				"own a version that is served, or serve it",
				"owns version %s of the CRD %q, which its own CRD does not serve: it stays Pending in OLM v0", owned.Version, owned.Name).
				WithCause(owned.Name, owned.Version)
		}
	}
}
