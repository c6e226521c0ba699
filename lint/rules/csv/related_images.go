package csv

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var relatedImagesRule = lint.Rule{
	ID: "csv/related-images", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `an image is not in the relatedImages
Clusters without internet access pull images from a mirror that is made from the relatedImages. An image in a variable
RELATED_IMAGE_… that is not among them cannot be pulled there.
Add the image to spec.relatedImages.`,
	Reference: "operator-registry pkg/registry csv.go GetRelatedImages",
	Check:     contents.InHeads(contents.WithReadableCSV(checkRelatedImages)),
}

// checkRelatedImages reports images in RELATED_IMAGE variables that a mirror of the catalog would not contain. opm adds the
// images of containers. Without relatedImages a catalog is not mirrored.
func checkRelatedImages(c *contents.Contents) {
	var missing, variables []string
	path := ""
	known := relatedImages(c)
	for i, d := range c.CSV.Spec.Install.Spec.Deployments {
		for j, one := range d.Spec.Template.Spec.Containers {
			for k, env := range one.Env {
				if !strings.HasPrefix(env.Name, "RELATED_IMAGE_") || known[env.Value] {
					continue
				}
				known[env.Value] = true
				variables = append(variables, env.Name)
				if missing = append(missing, env.Value); path == "" {
					path = fmt.Sprintf("spec.install.spec.deployments[%d].spec.template.spec.containers[%d].env[%d]", i, j, k)
				}
			}
		}
	}
	if len(missing) > 0 && len(c.CSV.Spec.RelatedImages) > 0 {
		them := words.Plural(len(missing), "it", "them")
		c.Report(path, "add "+them+" to spec.relatedImages",
			"uses %s, which %s not in its relatedImages: a cluster that pulls from a mirror cannot pull %s",
			words.AllOf(missing), words.Plural(len(missing), "is", "are"), them).Faults = variables
	}
}

// relatedImages returns the relatedImages of the ClusterServiceVersion and of the catalog, to which opm adds some; and "".
func relatedImages(c *contents.Contents) map[string]bool {
	known := map[string]bool{"": true}
	for _, r := range c.CSV.Spec.RelatedImages {
		known[r.Image] = true
	}
	for _, r := range c.RelatedImages {
		known[r.Image.Value] = true
	}
	return known
}
