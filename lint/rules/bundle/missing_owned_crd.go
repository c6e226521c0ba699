package bundle

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var missingOwnedCRD = lint.Rule{
	ID: "bundle/missing-owned-crd", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0 | lint.GateOLMv1,
	Doc: `a bundle does not contain a CRD that it owns
OLM v0 waits until the owned CRD exists in that version, and OLM v1 rejects the bundle. It cannot be installed on a cluster that
does not have the CRD from elsewhere.
Add the CRD to the bundle, or correct the name, version or kind in spec.customresourcedefinitions.owned.`,
	Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle; operator-controller CheckOwnedCRDExistence",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkMissingCRD)),
}

// checkMissingCRD reports owned CRDs that are not among the objects of the bundle. For folders manifest/owned-crd reports them.
func checkMissingCRD(c *contents.Contents) {
	if c.CSV.Manifest.File != "" || c.CSV.Err != nil {
		return
	}
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		path := fmt.Sprintf("spec.customresourcedefinitions.owned[%d]", i)
		f := func(says string, args ...any) *lint.Finding {
			return c.Report(path, "add the CRD to the bundle, with that version and kind, or correct the entry", says, args...).
				WithCause(owned.Name, owned.Version, owned.Kind)
		}
		switch crd, present := ownCRD(c, owned.Name); {
		case !present:
			f("owns the CRD %q, but does not contain it: OLM v0 never completes the installation without it", owned.Name)
		case crd == nil: // crd/invalid reports it
		case owned.Kind != crd.Kind:
			f("owns the CRD %q as kind %q, but contains it as kind %q", owned.Name, owned.Kind, crd.Kind)
		case !crd.Has(owned.Version):
			f("owns version %q of the CRD %q, but its CRD lacks that version: OLM v0 never completes the installation without it", owned.Version,
				owned.Name).Gates = lint.GatePipelines | lint.GateOLMv0
		}
	}
}
