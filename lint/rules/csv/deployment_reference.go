package csv

import (
	"cmp"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var deploymentReference = lint.Rule{
	ID: "csv/deployment-reference", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1,
	Doc: `a webhook or API service has no deployment
Each names the deployment that serves it. If the ClusterServiceVersion has no such deployment, OLM v1 rejects the bundle, and with
OLM v0 the API server calls a service without endpoints.
Name one of the deployments in spec.install.`,
	Reference: "operator-controller CheckWebhookDeploymentReferentialIntegrity; OLM requirements.go",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkReferences)),
}

// checkReferences reports webhooks and API services whose deployment does not exist.
func checkReferences(c *contents.Contents) {
	if c.CSV.Err != nil {
		return
	}
	has := map[string]bool{}
	for _, d := range c.CSV.Spec.Install.Spec.Deployments {
		has[d.Name] = true
	}
	names := words.SortedKeys(has)
	missing := func(path, what, of, name string, gates lint.Gates) {
		if has[name] {
			return
		}
		fix := "name one of the deployments in spec.install"
		if len(c.Faults) < 100 { // suggestions for very many take long
			if near, ok := spelling.Nearest(name, names); ok {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
		}
		f := c.Report(path+".deploymentName", fix, "has %s of the deployment %q, which it does not have: no endpoint serves it",
			what, name).WithCause(of, name)
		f.Gates = gates
		if gates&lint.GateOLMv1 != 0 { // OLM v0 installs it with a webhook without an endpoint
			f.WarningGates = lint.GateOLMv0
		}
	}
	for i, w := range c.CSV.Spec.Webhooks {
		missing(fmt.Sprintf("spec.webhookdefinitions[%d]", i), fmt.Sprintf("the webhook %q", w.GenerateName), w.GenerateName, w.DeploymentName,
			lint.GateOLMv0|lint.GateOLMv1)
	}
	for i, s := range c.CSV.Spec.APIServices.Owned {
		missing(fmt.Sprintf("spec.apiservicedefinitions.owned[%d]", i),
			fmt.Sprintf("the API service %q", cmp.Or(s.Name, s.Version+"."+s.Group)), s.Version+"."+s.Group, s.DeploymentName, lint.GateOLMv0)
	}
}
