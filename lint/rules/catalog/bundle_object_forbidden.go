package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var bundleObjectForbidden = lint.Rule{
	ID: "catalog/bundle-object-forbidden", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `a catalog for OpenShift 4.17 or later has olm.bundle.object properties
The pipelines reject them from 4.17 on, since they make a catalog several times larger. They look at the first bundle of an operator only:
if that has none, it is a warning.
Render the catalog again with opm render --migrate-level=bundle-object-to-csv-metadata.`,
	Reference: "operator-pipelines check_olm_bundle_object_in_fbc",
	Check:     checkBundleObjectForbidden,
}

// checkBundleObjectForbidden reports once per package, at the first bundle.
func checkBundleObjectForbidden(p *lint.Pass) {
	version := p.OpenShift()
	if !lint.VersionAtLeast(version, 4, 17) {
		return
	}
	var first *catalogs.Bundle
	n := 0
	for _, b := range p.Package.Bundles {
		if b.PropertyCount(catalogs.TypeBundleObject) > 0 {
			if n++; first == nil {
				first = b
			}
		}
	}
	if first == nil {
		return
	}
	i := first.PropertyIndex(catalogs.TypeBundleObject)
	f := lint.Finding{
		Subject: lint.Subject{Bundle: first.Name.Value},
		Cause:   lint.OncePerPackage(),
		Pos:     first.Properties[i].Type.Pos,
		Message: fmt.Sprintf("%d %s of this catalog for OpenShift %s %s olm.bundle.object properties, which the pipelines reject from 4.17 on",
			n, words.Plural(n, "bundle", "bundles"), version, words.Plural(n, "has", "have")),
		Fix: "render the catalog with --migrate-level=bundle-object-to-csv-metadata",
	}
	if first != p.Package.Bundles[0] {
		f.WarningGates = lint.GatePipelines
	}
	p.Report(f)
}
