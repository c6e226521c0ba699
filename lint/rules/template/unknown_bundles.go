package templates

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

var unknownBundles = lint.Rule{
	ID: lint.UnknownBundlesRuleID, Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `bundles of a template are not known
A template names bundles by their images. Images are not pulled: a bundle is that of the same image in the catalogs of the repository, in
those of --catalog, or in a bundle folder. The versions of others are taken from the names of entries, as NAME.v1.2.3, and rules on what
bundles contain do not check them. Without all bundles of a template of schema olm.semver nothing is checked, which catalog/no-package reports.
Give a catalog that has them with --catalog, or their folders with --bundles.`,
	Reference: "operator-registry alpha/template/basic",
	Check:     checkUnknownBundles,
}

// checkUnknownBundles reports once, at the first image.
func checkUnknownBundles(p *lint.Pass) {
	message, fix := p.Catalog.UnknownBundles()
	if t := p.Catalog.Template; message != "" && !t.Generated() {
		f := lint.Finding{Cause: lint.OncePerPackage(), Pos: t.Unknown[0].Pos, Message: message, Fix: fix}
		for _, image := range t.Unknown {
			f.Faults = append(f.Faults, image.Value)
			f.Details = append(f.Details, lint.Related{Pos: image.Pos, Message: fmt.Sprintf("%q is in none", image.Value)})
		}
		p.Report(f)
	}
}
