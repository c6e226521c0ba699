package lint

import (
	"fmt"
	"strings"
)

func checkDeploymentNames(c *bundleContents) {
	seen := map[string]bool{}
	for i, d := range c.csv.Spec.Install.Spec.Deployments {
		path := fmt.Sprintf("spec.install.spec.deployments[%d].name", i)
		switch {
		case d.Name == "" && c.csv.Err != nil:
		case seen[d.Name]:
			c.report(path, "give each a unique name",
				"has several deployments with the name %q: the last one overwrites the others, and OLM v1 refuses the bundle", d.Name).withCauses("several", d.Name)
		case nameFault(d.Name) != "":
			c.report(path, "use a name of lower-case letters, digits and hyphens",
				"has a deployment with the name %q, which %s: the API server refuses it", d.Name, nameFault(d.Name)).withCauses(d.Name).
				Gates = GateOLMv0 | GateOLMv1 | GateAPIServer
		}
		seen[d.Name] = true
	}
}

func checkRequests(c *bundleContents) {
	var lacking []string
	said := map[string]bool{}
	path := ""
	for i, d := range c.csv.Spec.Install.Spec.Deployments {
		for j, one := range d.Spec.Template.Spec.Containers {
			requests := one.Resources.Requests
			if requests["cpu"] != nil && requests["memory"] != nil {
				continue
			}
			if path == "" {
				path = fmt.Sprintf("spec.install.spec.deployments[%d].spec.template.spec.containers[%d]", i, j)
			}
			if !said[one.Name] {
				said[one.Name] = true
				lacking = append(lacking, one.Name)
			}
		}
	}
	if len(lacking) > 0 {
		c.report(path, "set resources.requests.cpu and resources.requests.memory",
			"has %s without requests for cpu and memory, %s: a quota can prevent the pod from starting",
			plural(len(lacking), "a container", "containers"), allOf(lacking)).Each = lacking
	}
}

// checkRelatedImages looks for images that a mirror of the catalog would leave out: those that the operator is told of in
// variables. opm adds what the deployments run itself. Without any relatedImages nobody mirrors.
func checkRelatedImages(c *bundleContents) {
	var missing, variables []string
	path := ""
	known := c.relatedImages()
	for i, d := range c.csv.Spec.Install.Spec.Deployments {
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
	if len(missing) > 0 && len(c.csv.Spec.RelatedImages) > 0 {
		them := plural(len(missing), "it", "them")
		c.report(path, "add "+them+" to spec.relatedImages",
			"uses %s, which %s not in its relatedImages: a cluster that pulls from a mirror cannot pull %s",
			allOf(missing), plural(len(missing), "is", "are"), them).Each = variables
	}
}

// relatedImages are the images in the relatedImages of the ClusterServiceVersion and, as opm adds some, of the catalog; and "".
func (c *bundleContents) relatedImages() map[string]bool {
	known := map[string]bool{"": true}
	for _, r := range c.csv.Spec.RelatedImages {
		known[r.Image] = true
	}
	for _, r := range c.RelatedImages {
		known[r.Image.Value] = true
	}
	return known
}

func checkOwnedServices(c *bundleContents) {
	if n := len(c.csv.Spec.APIServices.Owned); n > 0 {
		c.report("spec.apiservicedefinitions.owned", "serve the API by a CRD, or document that OLM v1 is not supported",
			"owns %d API %s, which OLM v1 does not support: it refuses the bundle", n, plural(n, "service", "services"))
	}
}
