package csv

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

func checkRequests(c *contents.Contents) {
	var lacking []string
	seen := map[string]bool{}
	path := ""
	for i, d := range c.CSV.Spec.Install.Spec.Deployments {
		for j, one := range d.Spec.Template.Spec.Containers {
			requests := one.Resources.Requests
			if requests["cpu"] != nil && requests["memory"] != nil {
				continue
			}
			if path == "" {
				path = fmt.Sprintf("spec.install.spec.deployments[%d].spec.template.spec.containers[%d]", i, j)
			}
			if !seen[one.Name] {
				seen[one.Name] = true
				lacking = append(lacking, one.Name)
			}
		}
	}
	if len(lacking) > 0 {
		c.Report(path, "set resources.requests.cpu and resources.requests.memory",
			"has %s without requests for cpu and memory, %s: a quota can prevent the pod from starting",
			words.Plural(len(lacking), "a container", "containers"), words.QuoteSome(lacking)).Faults = lacking
	}
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
			words.QuoteSome(missing), words.Plural(len(missing), "is", "are"), them).Faults = variables
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

// checkRelatedImageSpecs reports related images that are no pull specs. Those of a bundle that can have no such name (csv/name), as
// operator.v${VERSION}, are completed with it.
func checkRelatedImageSpecs(c *contents.Contents) {
	if c.Folder == nil && c.Pass.Catalog.Form == catalogs.FileBased || !words.DNSSubdomain.MatchString(c.CSV.Metadata.Name) {
		return
	}
	var first *lint.Finding
	more := 0
	for i, related := range c.CSV.Spec.RelatedImages {
		path := fmt.Sprintf("spec.relatedImages[%d]", i)
		if related.Image == "" {
			c.Report(path, "set image, or remove the item", "has a related image %q without an image: the pipelines reject it", related.Name).WithCause(related.Name)
		} else if err := schema.CheckPullSpec(related.Image); err != nil && first != nil {
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
