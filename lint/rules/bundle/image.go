package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// ImageRules returns the rules of the family, in the order in which they are called.
func ImageRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Images}, []lint.Rule{
		{
			ID: "image/registry", Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateAdvice,
			Doc: `a bundle comes from a registry that is not allowed
The allowed registries are registries in the configuration or, without it, allowed_bundle_registries in the config.yaml of
a catalog repository, whose pipeline rejects others. Clusters that mirror only those registries cannot pull the bundle.
Publish the image in one of these registries.`,
			Reference: "operator-pipelines check_bundle_images_in_fbc",
			Check:     lint.EachBundle(checkRegistry),
		},
		{
			ID: "image/digest", Severity: lint.Off, Gates: lint.GateAdvice,
			Doc: `an image is referenced by a tag
A tag can be moved: the tested image may differ from the image that is installed later, or from the one in a mirror. The rule is
off unless the configuration enables it.
Reference the image by its digest, as NAME@sha256:….`,
			Reference: "oc-mirror, disconnected clusters",
			Check:     lint.EachBundle(checkDigest),
		},
	})
}

func checkRegistry(p *lint.Pass, b *catalogs.Bundle) {
	image, allowed, isAllowed, gates := b.Image.Value, p.Config.Registries, isIn, lint.GateAdvice
	if len(allowed) == 0 && p.Catalog.Repository != nil {
		isAllowed, gates = strings.HasPrefix, p.Rule.Gates
		allowed = catalogs.Values(p.Catalog.Repository.Registries)
	}
	if len(allowed) == 0 || image == "" || slices.ContainsFunc(allowed, func(r string) bool { return isAllowed(image, r) }) {
		return
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value},
		Gates:   gates,
		Cause:   []string{b.Name.Value, image},
		Pos:     b.Image.Pos,
		Message: fmt.Sprintf("%q comes from %q, which is in none of the allowed registries: %s", b.Name.Value, image, strings.Join(allowed, ", ")),
		Fix:     "publish the image in one of them",
	})
}

// isIn reports whether an image is in a registry or in a repository of it. The image quay.io/acme/x is not in "quay.io/ac".
func isIn(image, registry string) bool {
	rest, ok := strings.CutPrefix(image, strings.TrimSuffix(registry, "/"))
	return ok && (rest == "" || strings.ContainsRune("/:@", rune(rest[0])))
}

func checkDigest(p *lint.Pass, b *catalogs.Bundle) {
	for _, image := range append([]catalogs.RelatedImage{{Image: b.Image}}, b.RelatedImages...) {
		if text := image.Image; text.Value != "" && !strings.Contains(text.Value, "@") {
			p.Report(lint.Finding{
				Subject: lint.Subject{Bundle: b.Name.Value},
				Cause:   []string{b.Name.Value, text.Value},
				Pos:     text.Pos,
				Message: fmt.Sprintf("%q references %q by a tag: its content can change", b.Name.Value, text.Value),
				Fix:     "reference it by its digest, as NAME@sha256:…",
			})
		}
	}
}
