package csv

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var installModesRule = lint.Rule{
	ID: "csv/install-modes", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0,
	Doc: `no OperatorGroup fits a ClusterServiceVersion
An OperatorGroup selects the namespaces that an operator watches, and OLM v0 installs the operator if it supports that install
mode. If no mode is supported, or one is listed twice, every installation fails.
List the four install modes, each once, and support at least one.`,
	Reference: "operator-framework/api csv.go validateInstallModes; v1alpha1 NewInstallModeSet",
	Check:     contents.InAllBundles(contents.WithCSV(checkInstallModes)),
}

func checkInstallModes(c *contents.Contents) {
	if c.CSV.Err != nil {
		return
	}
	listed := c.CSV.Spec.InstallModes
	if len(listed) == 0 {
		c.Report("spec", "list the four installModes, each with supported: true or false",
			"has no installModes: no OperatorGroup fits it, and it cannot be installed")
		return
	}
	if len(c.CSV.InstallModes()) == 0 {
		c.Report("spec.installModes", "set supported: true for at least one",
			"supports none of its installModes: it cannot be installed")
	}
	seen := map[string]bool{}
	for i, m := range listed {
		path := fmt.Sprintf("spec.installModes[%d].type", i)
		if seen[m.Type] {
			c.Report(path, "keep one of them", "has the install mode %q twice: OLM v0 fails with InvalidInstallModes",
				m.Type).WithCause("twice", m.Type).Gates = lint.GateOLMv0
		} else if !slices.Contains(installModes, m.Type) {
			f := c.Report(path, "use one of "+words.OneOf(installModes), "has the install mode %q, which OLM ignores", m.Type).WithCause(m.Type)
			f.Severity, f.Gates = lint.Warning, lint.GateOLMv0
			if near, ok := spelling.Nearest(m.Type, installModes); ok {
				f.Severity, f.Fix = lint.Error, "write "+near
			}
		}
		seen[m.Type] = true
	}
}
