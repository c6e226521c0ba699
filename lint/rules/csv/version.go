package csv

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var version = lint.Rule{
	ID: "csv/version", Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateOLMv0 | lint.GateAPIServer,
	Doc: `the version of a ClusterServiceVersion is missing or invalid
Without spec.version, or with 0.0.0, users see no version, and the pipelines reject it. OLM v0 cannot read what is not a semantic
version. A release has at most 20 characters, and excludes olm.substitutesFor.
Write major.minor.patch.`,
	Reference: "operator-framework/api pkg/lib/version, pkg/lib/release, operatorhub.go checkSpecVersion",
	Check:     contents.InHeads(contents.WithReadableCSV(checkCSVVersion)),
}

// checkCSVVersion checks spec.version and spec.release. version/semver reports versions that are not strict.
func checkCSVVersion(c *contents.Contents) {
	version, release := c.CSV.Spec.Version, c.CSV.Spec.Release
	v, err := semver.ParseTolerant(version)
	switch {
	case c.CSV.Err != nil:
	case c.CSV.Manifest.File != "" && err != nil: // version/semver reports it for manifests
	case version == "" || version == "0.0.0":
		c.Report("spec.version", "set spec.version to the version of the operator",
			"has no version in spec.version: the pipelines reject it")
	case err != nil:
		c.Report("spec.version", "write major.minor.patch",
			"has the version %q, which is not a semantic version: OLM cannot read the ClusterServiceVersion", version).WithCause("semver").
			Gates = lint.GatePipelines | lint.GateOLMv0
	}
	if release == "" || c.CSV.Err != nil {
		return
	}
	f := lint.Finding{}
	switch _, err := semver.Parse("0.0.0-" + release); {
	case err != nil || strings.Contains(release, "+"):
		f.Message, f.Gates = "which is malformed: OLM cannot read the ClusterServiceVersion", lint.GatePipelines|lint.GateOLMv0|lint.GateAPIServer
	case len(release) > versions.MaxRelease:
		f.Message, f.Gates = fmt.Sprintf("of more than %d characters: the API server rejects it",
			versions.MaxRelease), lint.GatePipelines|lint.GateOLMv0|lint.GateAPIServer
	case c.CSV.Metadata.Annotations["olm.substitutesFor"] != "":
		f.Message = "and the annotation olm.substitutesFor too: opm alpha bundle validate rejects both together"
	case err == nil && c.Name.Value != fmt.Sprintf("%s-v%s-%s", c.Package.Value, v, release):
		f.Message = fmt.Sprintf("but its name is not \"%s-v%s-%s\", as operator-framework/api requires", c.Package.Value, v,
			release)
	default:
		return
	}
	c.Report("spec.release", "correct spec.release, or remove it", "has the release %q, %s", release, f.Message).WithCause(release).Gates = f.Gates
}
