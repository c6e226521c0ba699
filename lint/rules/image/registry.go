package image

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var registry = lint.Rule{
	ID: "image/registry", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `a bundle comes from a registry that is not allowed
registries in the configuration lists the registries that bundles may come from; without it, allowed_bundle_registries does in the
config.yaml of a catalog repository, whose pipeline rejects others. Clusters that mirror only those registries cannot pull the bundle.
Publish the image in one of these registries.`,
	Reference: "operator-pipelines check_bundle_images_in_fbc",
	Check:     lint.EachBundle(checkRegistry),
}

func checkRegistry(p *lint.Pass, b *catalogs.Bundle) {
	image, allowed, isAllowed := b.Image.Value, p.Config.Registries, isIn
	if len(allowed) == 0 && p.Catalog.Repository != nil {
		isAllowed = strings.HasPrefix
		for _, r := range p.Catalog.Repository.Registries {
			allowed = append(allowed, r.Value)
		}
	}
	if len(allowed) == 0 || image == "" || slices.ContainsFunc(allowed, func(r string) bool { return isAllowed(image, r) }) {
		return
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value},
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
