package csv

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/pullspec"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var relatedImageSpec = lint.Rule{
	ID: "csv/related-image-spec", Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateOPM,
	Doc: `a related image is not a pull spec
spec.relatedImages has the images of the operator, which mirrors pull. Each one needs a reference that a container runtime can pull. The
pipelines reject others, and opm rejects what it makes of the bundle, except for an empty one. Of a file-based catalog opm reads the
relatedImages of the olm.bundle instead: see catalog/pull-spec.
Correct the reference.`,
	Reference: "operator-framework/api bundle.go validateRelatedImages; operator-registry validateImagePullSpec",
	Check:     contents.InHeads(contents.WithReadableCSV(checkRelatedImageSpecs)),
}

func checkRelatedImageSpecs(c *contents.Contents) {
	if c.Folder == nil && c.Pass.Catalog.Form == catalogs.FileBased {
		return
	}
	var first *lint.Finding
	more := 0
	for i, related := range c.CSV.Spec.RelatedImages {
		path := fmt.Sprintf("spec.relatedImages[%d]", i)
		if related.Image == "" {
			c.Report(path, "set image, or remove the item", "has a related image %q without an image: the pipelines reject it", related.Name).WithCause(related.Name)
		} else if err := pullspec.Check(related.Image); err != nil && first != nil {
			more++
		} else if err != nil {
			first = c.Report(path+".image", "write registry/repository:tag or registry/repository@sha256:…, the repository in lower case",
				"has the related image %q, which is not a pull spec: %v", related.Image, err).WithCause(related.Image)
			first.Gates = lint.GatePipelines | lint.GateOPM
		}
	}
	if first != nil {
		first.Message += words.AndMore(more, "image")
	}
}
