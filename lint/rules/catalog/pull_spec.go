package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/pullspec"
)

var pullSpec = lint.Rule{
	ID: "catalog/pull-spec", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `an image is not a pull spec
image and relatedImages must be references that a container runtime can pull: a lower-case repository, then a tag or digest.
Correct the reference.`,
	Reference: "operator-registry alpha/declcfg validateImagePullSpec",
	Check:     lint.EachBundle(checkPullSpecs),
}

func checkPullSpecs(p *lint.Pass, b *catalogs.Bundle) {
	check := func(image catalogs.Text, what string) {
		if image.Value == "" {
			return
		}
		if err := pullspec.Check(image.Value); err != nil {
			p.Report(lint.Finding{
				Subject: lint.Subject{Bundle: b.Name.Value},
				Cause:   []string{b.Name.Value, image.Value},
				Pos:     image.Pos,
				Message: fmt.Sprintf("%s %q is not a pull spec: %v", what, image.Value, err),
				Fix:     "write registry/repository:tag or registry/repository@sha256:…, the repository in lower case",
			})
		}
	}
	check(b.Image, "image")
	for _, r := range b.RelatedImages {
		check(r.Image, "the related image")
	}
}
