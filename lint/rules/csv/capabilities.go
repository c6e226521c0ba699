package csv

import (
	"slices"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var capabilitiesRule = lint.Rule{
	ID: "csv/capabilities", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `the capability level of an operator is unknown
The annotation capabilities has one of five values, by which users filter. The pipelines reject other values.
Use one of the five values exactly.`,
	Reference: "operator-framework/api standardcapabilities.go",
	Check:     contents.InHeads(contents.WithCSV(checkCapabilities)),
}

// capabilities are the values of the annotation capabilities (operator-framework/api: standardcapabilities.go).
var capabilities = []string{"Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"}

func checkCapabilities(c *contents.Contents) {
	key := "capabilities"
	if value, ok := c.CSV.Metadata.Annotations[key]; ok && !slices.Contains(capabilities, value) {
		c.Report(contents.AnnotationPath(key), suggestion(value, capabilities), "has the capability level %q, which is not in the list of the pipelines: they reject it",
			value).WithCause(value)
	}
}
