package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// imageRules judge where bundles come from.
var imageRules = []Rule{
	{
		ID: "image/registry", Severity: Error, Gates: GateHub,
		Doc: `a bundle comes from a registry that is not allowed
registries in the configuration lists the registries that bundles may come from. The pipelines of catalog repositories reject
others, and clusters that mirror only those registries cannot pull the bundle.
Publish the image in one of these registries.`,
		Reference: "operator-pipelines check_bundle_images_in_fbc",
		Check:     eachBundle(checkRegistry),
	},
	{
		ID: "image/digest", Severity: Off, Gates: GateAdvice,
		Doc: `an image is referenced by a tag
A tag can be moved: the tested image may differ from the image that is installed later, or from the one in a mirror. The rule is
off unless the configuration enables it.
Reference the image by its digest, as NAME@sha256:….`,
		Reference: "oc-mirror, disconnected clusters",
		Check:     eachBundle(checkDigest),
	},
}

func checkRegistry(p *Pass, b *catalogs.Bundle) {
	image := b.Image.Value
	if len(p.Config.Registries) == 0 || image == "" || slices.ContainsFunc(p.Config.Registries, func(r string) bool { return isIn(image, r) }) {
		return
	}
	p.Report(Finding{
		Subject: Subject{Bundle: b.Name.Value},
		Cause:   []string{b.Name.Value, image},
		Pos:     b.Image.Pos,
		Message: fmt.Sprintf("%q comes from %q, which is in none of the allowed registries: %s", b.Name.Value, image, strings.Join(p.Config.Registries, ", ")),
		Fix:     "publish the image in one of them",
	})
}

// isIn reports whether an image is in a registry, or in a part of one: "quay.io/acme" is not in "quay.io/ac".
func isIn(image, registry string) bool {
	rest, ok := strings.CutPrefix(image, strings.TrimSuffix(registry, "/"))
	return ok && (rest == "" || strings.ContainsRune("/:@", rune(rest[0])))
}

func checkDigest(p *Pass, b *catalogs.Bundle) {
	for _, image := range append([]catalogs.RelatedImage{{Image: b.Image}}, b.RelatedImages...) {
		if text := image.Image; text.Value != "" && !strings.Contains(text.Value, "@") {
			p.Report(Finding{
				Subject: Subject{Bundle: b.Name.Value},
				Cause:   []string{b.Name.Value, text.Value},
				Pos:     text.Pos,
				Message: fmt.Sprintf("%q references %q by a tag: its content can change", b.Name.Value, text.Value),
				Fix:     "reference it by its digest, as NAME@sha256:…",
			})
		}
	}
}
