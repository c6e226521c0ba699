package csv

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// csvAPIVersion is the apiVersion of all ClusterServiceVersions.
const csvAPIVersion = "operators.coreos.com/v1alpha1"

// checkRequired reports missing fields that the API server or operator-framework/api require. OLM v0 writes an absent list as
// null, which the API server rejects.
func checkRequired(c *contents.Contents) {
	missing := func(path, hurts string) *lint.Finding {
		return c.Report(path, "set "+path, "has no %s: %s", path, hurts)
	}
	switch v := c.CSV.APIVersion; v {
	case "":
		missing("apiVersion", "OLM v0 fails the InstallPlan").WithCause(v)
	case csvAPIVersion:
	default: // OLM asks for its kind only, and writes it as v1alpha1 (resolver NewStepResourceFromBundle, EnsureClusterServiceVersion)
		f := c.Report("apiVersion", "write apiVersion: "+csvAPIVersion,
			"has the apiVersion %q, which is not an apiVersion of ClusterServiceVersions: OLM installs it, and kubectl rejects it", v).WithCause(v)
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
	if c.CSV.Spec.DisplayName == "" {
		missing("spec.displayName", "the console cannot name it, and operator-framework/api rejects it").Gates = lint.GatePipelines
	}
	faults := c.CSV.Faults()
	for i := range faults {
		reportMissing(c, &faults[i])
	}
	if c.CSV.Err != nil { // the fields may be in the part that could not be read
		return
	}
	install := &c.CSV.Spec.Install
	if install.Strategy != "" && install.Strategy != "deployment" {
		c.Report("spec.install.strategy", "write strategy: deployment",
			"has the install strategy %q: OLM v0 supports only deployment", install.Strategy).WithCause(install.Strategy)
	}
	checkAccounts(c, "permissions", install.Spec.Permissions)
	checkAccounts(c, "clusterPermissions", install.Spec.ClusterPermissions)
}

func checkAccounts(c *contents.Contents, list string, all []csv.ServiceAccountRules) {
	for i, p := range all {
		if p.ServiceAccountName == "" {
			c.Report(fmt.Sprintf("spec.install.spec.%s[%d]", list, i), "set serviceAccountName",
				"has %s without a service account: they are granted to no account", list).WithCause("serviceAccountName")
		}
	}
}

// checkCRDEntries checks the fields of the owned and required CRDs.
func checkCRDEntries(c *contents.Contents) {
	checkEntries(c, "owned", c.CSV.Spec.CRDs.Owned)
	checkEntries(c, "required", c.CSV.Spec.CRDs.Required)
}

func checkEntries(c *contents.Contents, list string, all []csv.CRDDescription) {
	for i, crd := range all {
		path := fmt.Sprintf("spec.customresourcedefinitions.%s[%d]", list, i)
		switch {
		case crd.Name == "" || crd.Version == "" || crd.Kind == "":
			if c.CSV.Err == nil { // it may be in the part that could not be read
				c.Report(path, "set name, version and kind", "has the %s CRD %q without %s: it stays Pending in OLM v0", list,
					crd.Name, missingField(crd)).WithCause(crd.Name, crd.Version, crd.Kind)
			}
		case !strings.Contains(crd.Name, "."):
			c.Report(path+".name", "write the plural, a dot and the group",
				"has the %s CRD %q, a name without a group: no CRD can have it", list, crd.Name).WithCause(crd.Name)
		}
	}
}

func missingField(crd csv.CRDDescription) string {
	switch "" {
	case crd.Name:
		return "a name"
	case crd.Version:
		return "a version"
	}
	return "a kind"
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
		f := c.Report("spec.minKubeVersion", "keep it out of catalogs for older clusters",
			"needs Kubernetes %s, but %s is 1.%d: OLM v0 never completes the installation", text, source, target).WithCause(text)
		f.Gates = lint.GateOLMv0
		if c.Pass.Catalog.NamedVersion && c.Pass.Config.OpenShift == "" && c.Pass.Config.Kube == "" {
			f.Severity = lint.Info // there may be no such index any more
		}
	}
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
