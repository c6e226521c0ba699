package csv

import (
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
)

var name = lint.Rule{
	ID: "csv/name", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0, OtherGates: lint.GateAPIServer,
	Doc: `the name of a ClusterServiceVersion is invalid
It must be a name that Kubernetes accepts: lower-case letters, digits, dots and hyphens. It must also be a valid label value, at
most 63 characters, since OLM v0 labels with it all objects that it creates.
Shorten or rename it; also change what replaces or skips it.`,
	Reference: "operator-framework/api csv.go parseCSVNameFormat",
	Check:     contents.InAllBundles(checkCSVName),
}

// checkCSVName checks the name of each bundle, even if nothing else is known of it.
func checkCSVName(c *contents.Contents) {
	if says, gates := nameProblem(c.Name.Value); says != "" {
		c.ReportAt(c.Name.Pos, "rename it", "is not a valid name of a ClusterServiceVersion: it %s", says).Gates = gates
	}
	if c.CSV == nil || c.CSV.Spec.Replaces == "" {
		return
	}
	if says, gates := nameProblem(c.CSV.Spec.Replaces); says != "" {
		c.Report("spec.replaces", "write the name of another ClusterServiceVersion, or remove it",
			"replaces %q, which is not a valid name: it %s", c.CSV.Spec.Replaces, says).Gates = gates
	}
}

// nameProblem says why a ClusterServiceVersion cannot have a name, and who rejects it: the API server requires a DNS name, and
// OLM v0 uses it in labels.
func nameProblem(name string) (says string, gates lint.Gates) {
	if says = names.NameFault(name); says != "" {
		return says, lint.GatePipelines | lint.GateOLMv0 | lint.GateAPIServer
	}
	return names.LabelFault(name), lint.GatePipelines | lint.GateOLMv0
}
