package csv

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/pullspec"
)

var relatedImageSpec = lint.Rule{
	ID: "csv/related-image-spec", Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateOPM,
	Doc: `a related image is not a pull spec
spec.relatedImages has the images of the operator, which mirrors pull. Each one needs a reference that a container runtime can pull. The
pipelines reject others, and opm rejects the catalog with the bundle, except for an empty one.
Correct the reference.`,
	Reference: "operator-framework/api bundle.go validateRelatedImages; operator-registry validateImagePullSpec",
	Check:     contents.InHeads(contents.WithReadableCSV(checkRelatedImageSpecs)),
}

// checkRelatedImageSpecs checks the relatedImages of a ClusterServiceVersion. catalog/pull-spec reports those in the catalog.
func checkRelatedImageSpecs(c *contents.Contents) {
	for i, related := range c.CSV.Spec.RelatedImages {
		path := fmt.Sprintf("spec.relatedImages[%d]", i)
		inCatalog := c.Folder() == nil && slices.ContainsFunc(c.RelatedImages, func(r catalogs.RelatedImage) bool { return r.Image.Value == related.Image })
		if related.Image == "" {
			c.Report(path, "set image, or remove the item", "has a related image %q without an image: the pipelines reject it", related.Name).WithCause(related.Name)
		} else if err := pullspec.Check(related.Image); err != nil && !inCatalog {
			c.Report(path+".image", "write registry/repository:tag or registry/repository@sha256:…, the repository in lower case",
				"has the related image %q, which is not a pull spec: %v", related.Image, err).WithCause(related.Image).Gates = lint.GatePipelines | lint.GateOPM
		}
	}
}
