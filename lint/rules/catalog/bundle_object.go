package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var bundleObject = lint.Rule{
	ID: "catalog/bundle-object", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalogAndPackage,
	Doc: `an olm.bundle.object is not a manifest
The data of an olm.bundle.object must be the base64 of a YAML or JSON manifest. opm decodes all of them and rejects the catalog if
that fails.
Render the bundle again.`,
	Reference: "operator-registry alpha/declcfg readBundleObjects",
	Check:     problems.Check(catalogs.BundleObject, "render the bundle again with opm render"),
}
