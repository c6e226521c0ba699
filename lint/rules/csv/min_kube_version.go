package csv

import (
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var minKubeVersion = lint.Rule{
	ID: "csv/min-kube-version", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0, OtherGates: lint.GateAdvice,
	Doc: `the minKubeVersion of a ClusterServiceVersion is invalid or too new
OLM v0 compares it with the version of the cluster, and requires three numbers: it never completes the installation if it cannot
parse them, or if the cluster is older. If the catalog is known to be for an older cluster, it is an error. Without a
minKubeVersion the operator is offered to clusters of any version, which is an info.
Write three numbers, for example 1.25.0.`,
	Reference: "OLM pkg/controller/operators/olm requirements.go minKubeVersionStatus; operator-framework/api csv.go",
	Check:     contents.InHeads(contents.WithCSV(checkMinKube)),
}

func checkMinKube(c *contents.Contents) {
	text := strings.TrimSpace(c.CSV.Spec.MinKubeVersion)
	_, err := semver.Parse(text)
	v, plain := versions.ParseMinKubeVersion(text)
	target, source := c.Pass.KubeMinor()
	switch {
	case c.CSV.Err != nil && text == "":
	case text == "":
		f := c.Report("spec", "set spec.minKubeVersion to the oldest supported version of Kubernetes",
			"has no minKubeVersion: it is offered to clusters of any version")
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	case !plain:
		c.Report("spec.minKubeVersion", "write three numbers, for example 1.25.0",
			"has the minKubeVersion %q, which is not a version of three numbers: OLM v0 never completes the installation", text).WithCause(text)
	case err != nil:
		c.Report("spec.minKubeVersion", "write three numbers, for example 1.25.0",
			"has the minKubeVersion %q: operator-framework/api allows no leading v", text).WithCause(text).Gates = lint.GatePipelines
	case target > 0 && v.Major == 1 && int(v.Minor) > target:
		c.Report("spec.minKubeVersion", "keep it out of catalogs for older clusters",
			"needs Kubernetes %s, but %s is 1.%d: OLM v0 never completes the installation", text, source, target).WithCause(text).Gates = lint.GateOLMv0
	}
}
