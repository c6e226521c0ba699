package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var ownedCRD = lint.Rule{
	ID: "manifest/owned-crd", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
	Doc: `an owned CRD is not in the folder
A CSV that owns an API must have its CRD in the bundle, with that version and kind: otherwise OLM never installs it, and the
import rejects the bundle.
Add the CRD's manifest, or correct the name, version or kind in the CSV.`,
	Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle",
	Check:     problems.Check(catalogs.ManifestOwnedCRD, "add the CRD's manifest to the folder, or correct the entry in spec.customresourcedefinitions.owned"),
}
