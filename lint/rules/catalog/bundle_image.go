package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var bundleImage = lint.Rule{
	ID: "catalog/bundle-image", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a bundle has no image
Without an image, and without its manifests as olm.bundle.object properties, there is nothing to install.
Set image to the bundle image's pull spec.`,
	Reference: "operator-registry alpha/model Bundle.Validate",
	Check:     lint.EachBundle(checkBundleImage),
}

func checkBundleImage(p *lint.Pass, b *catalogs.Bundle) {
	if b.Image.Value == "" && b.PropertyCount(catalogs.TypeBundleObject) == 0 {
		p.Report(lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Pos:     b.Pos,
			Message: fmt.Sprintf("bundle %q has neither an image nor its manifests: there is nothing to install", b.Name.Value),
			Fix:     "set image to the bundle image's pull spec, with its digest",
		})
	}
}
