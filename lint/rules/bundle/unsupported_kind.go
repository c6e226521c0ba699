package bundle

import (
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var unsupportedKind = lint.Rule{
	ID: "bundle/unsupported-kind", Severity: lint.Error, Gates: anyOLM,
	Doc: `a bundle contains a kind of object that OLM does not install
OLM has a list of supported kinds. With any other kind the InstallPlan of OLM v0 fails, and OLM v1 and opm alpha bundle validate
reject the bundle. OLM v0 does not support PodMonitor, OLM v1 does not support Subscription.
Let the operator create the object when it starts, or remove it.`,
	Reference: "operator-registry pkg/lib/bundle supported_resources.go; OLM pkg/controller/operators/catalog supportedresources.go",
	Check:     contents.InAllBundles(checkUnsupported),
}

// supported has the gates that accept a kind of object (operator-registry: pkg/lib/bundle supported_resources.go, which OLM v1
// uses too; OLM v0: pkg/controller/operators/catalog supportedresources.go).
var supported = map[string]lint.Gates{
	"ConfigMap": anyOLM, "ServiceAccount": anyOLM, "Service": anyOLM, "Secret": anyOLM, "Role": anyOLM, "RoleBinding": anyOLM,
	"ClusterRole": anyOLM, "ClusterRoleBinding": anyOLM, csv.Kind: anyOLM, crd.Kind: anyOLM,
	"PrometheusRule": anyOLM, "ServiceMonitor": anyOLM, "PodDisruptionBudget": anyOLM, "PriorityClass": anyOLM,
	"VerticalPodAutoscaler": anyOLM, "ConsoleYAMLSample": anyOLM, "ConsoleQuickStart": anyOLM, "ConsoleCLIDownload": anyOLM,
	"ConsoleLink": anyOLM, "ConsolePlugin": anyOLM, "NetworkPolicy": anyOLM,
	"PodMonitor":   lint.GateOLMv1 | lint.GatePipelines,
	"Subscription": lint.GateOLMv0,
}

// anyOLM has the gates that reject unsupported kinds.
const anyOLM = lint.GateOLMv0 | lint.GateOLMv1 | lint.GatePipelines

func checkUnsupported(c *contents.Contents) {
	for _, m := range c.Objects() {
		refuse := anyOLM &^ supported[m.Kind]
		if m.Kind == "" || refuse == 0 || m.File != "" && m.Document > 0 { // OLM v0 sees first documents only
			continue
		}
		who := map[lint.Gates]string{anyOLM: "OLM", lint.GateOLMv0: "OLM v0"}[refuse]
		if who == "" {
			who = "OLM v1"
		}
		c.ReportOn(m, "kind", "let the operator create it, or remove it",
			"contains the %s %q, a kind that %s does not install: the bundle cannot be installed", m.Kind, m.Name, who).Gates = refuse
	}
}
