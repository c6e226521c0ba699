package csv

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

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

func checkMinKube(c *contents.Contents) {
	if c.CSV.Err == nil && strings.TrimSpace(c.CSV.Spec.MinKubeVersion) == "" && !isDevelopment(c) {
		f := c.Report("spec", "set spec.minKubeVersion to the oldest supported version of Kubernetes",
			"has no minKubeVersion: it is offered to clusters of any version")
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
	contents.ReportReasons(c)
}

// isDevelopment reports whether a bundle is that of the source of an operator between two releases.
func isDevelopment(c *contents.Contents) bool {
	v := c.Semver()
	return c.Pass.IsLoneBundle() && v != nil && (len(v.Pre) > 0 || v.Major == 0 && v.Minor == 0 || v.Major == 99)
}

// semverSuffix matches a version at the end of a name (operator-framework/api: checkBundleName).
var semverSuffix = regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+)?$`)

func checkNameConvention(c *contents.Contents) {
	name := c.CSV.Metadata.Name
	prefix, _, dotted := strings.Cut(name, ".")
	_, err := semver.Parse(semverSuffix.FindString(name))
	fix := "name the next version " + prefix + ".v…, with its version"
	switch {
	case name == "": // reported by csv/required-field
	case !dotted:
		f := c.Report("metadata.name", fix, "has a name without a dot: the pipelines find no version in it, and reject it")
		f.Severity, f.Gates = lint.Error, lint.GatePipelines
	case err != nil:
		c.Report("metadata.name", fix, "has a name that does not end in a semantic version: the community pipeline warns of it")
	case strings.Count(name, ".v") != 1:
		c.Report("metadata.name", fix, `has a name without ".v" before its version: the community pipeline warns of it`)
	}
}
