package csv

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
)

var deploymentName = lint.Rule{
	ID: "csv/deployment-name", Severity: lint.Error, Gates: lint.GateOLMv1, OtherGates: lint.GateOLMv0 | lint.GateAPIServer,
	Doc: `the name of a deployment is not unique or not valid
Of two deployments of the same name the second overwrites the first with OLM v0; OLM v1 rejects the bundle. With a name that
Kubernetes does not accept the installation fails.
Give each deployment a unique name of lower-case letters, digits and hyphens.`,
	Reference: "operator-controller CheckDeploymentSpecUniqueness, CheckDeploymentNameIsDNS1123SubDomain",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkDeploymentNames)),
}

func checkDeploymentNames(c *contents.Contents) {
	seen := map[string]bool{}
	for i, d := range c.CSV.Spec.Install.Spec.Deployments {
		path := fmt.Sprintf("spec.install.spec.deployments[%d].name", i)
		switch {
		case d.Name == "" && c.CSV.Err != nil:
		case seen[d.Name]:
			c.Report(path, "give each a unique name",
				"has several deployments with the name %q: the last one overwrites the others, and OLM v1 rejects the bundle", d.Name).WithCause("several", d.Name)
		case names.NameFault(d.Name) != "":
			c.Report(path, "use a name of lower-case letters, digits and hyphens",
				"has a deployment with the name %q, which %s: the API server rejects it", d.Name, names.NameFault(d.Name)).WithCause(d.Name).
				Gates = lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer
		}
		seen[d.Name] = true
	}
}
