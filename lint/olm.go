package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// OLMNames returns the values of Config.OLM, first the default of the command line.
func OLMNames() []string { return []string{"auto", "v0", "v1", "both"} }

// installedOLMs returns the gates of the OLM generations that users of a catalog have, and of those that they may have. OpenShift
// supports OLM v0 before 4.18, and both from 4.18 on. If the version is not known, users have OLM v0 and may have OLM v1.
func (c *Config) installedOLMs(openShift string) (have, may Gates) {
	switch c.OLM {
	case "v0":
		return GateOLMv0, 0
	case "v1":
		return GateOLMv1, 0
	case "auto":
		switch {
		case !VersionAtLeast(openShift, 4, 0):
			return GateOLMv0, GateOLMv1
		case !VersionAtLeast(openShift, 4, 18):
			return GateOLMv0, 0
		}
	}
	return GateOLMv0 | GateOLMv1, 0
}

// AsksOLMv1 reports whether OLM v1 is asked about, beside or instead of OLM v0.
func (p *Pass) AsksOLMv1() bool {
	return p.Config.OLM == "v1" || p.Config.OLM == "both" || p.options.Gates&GateOLMv1 != 0
}

// severityForOLMs returns the severity of a finding for the OLM generations that users have. If it affects only those that users
// do not have, it is at most Info; if they may have one of them, at most Warning. Users are assumed to have the requested gates, and not to
// depend on an OLM whose rejection they can override if they have another one.
func (c *Config) severityForOLMs(f *Finding, openShift string, asked Gates) Severity {
	olm := f.Gates & (GateOLMv0 | GateOLMv1)
	have, may := c.installedOLMs(openShift)
	if both := GateOLMv0 | GateOLMv1; c.OLM == "auto" && have == both {
		have, may = have&^f.Overridable, f.Overridable
	}
	have |= asked & (GateOLMv0 | GateOLMv1)
	switch {
	case olm&have&^f.WarningGates != 0:
		return f.Severity
	case olm&(have|may) != 0:
		return min(f.Severity, Warning)
	}
	return min(f.Severity, Info)
}

// generations returns the OLM generations that the users of a catalog have or may have.
func (c *Config) generations(openShift string) []graph.Generation {
	var all []graph.Generation
	have, may := c.installedOLMs(openShift)
	if have&GateOLMv0 != 0 {
		all = append(all, graph.V0)
	}
	if (have|may)&GateOLMv1 != 0 {
		all = append(all, graph.V1)
	}
	return all
}

// OLMGates returns the gates of OLM v0 and OLM v1, each if it is set.
func OLMGates(v0, v1 bool) Gates {
	var g Gates
	if v0 {
		g |= GateOLMv0
	}
	if v1 {
		g |= GateOLMv1
	}
	return g
}

// VersionAtLeast reports whether a version, for example "4.18", is at least major.minor. It returns false if the version is not
// known.
func VersionAtLeast(version string, major, minor int) bool {
	a, b, ok := strings.Cut(version, ".")
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return ok && errX == nil && errY == nil && (x > major || x == major && y >= minor)
}

var kubeVersion = regexp.MustCompile(`^v?1\.(\d{1,3})(?:\.\d+)?$`)

// ParseKubeVersion parses a Kubernetes version, for example 1.29 or v1.29.3, and returns its minor version.
func ParseKubeVersion(text string) (minor int, err error) {
	m := kubeVersion.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a version of Kubernetes; want one as 1.29", text)
	}
	return strconv.Atoi(m[1])
}

// openShift returns the OpenShift version of a catalog: the configured one, or that in the name of its folder; "" if neither is
// known.
func (c *Config) openShift(of *catalogs.Catalog) string { return cmp.Or(c.OpenShift, of.OpenShift) }

// OpenShift returns the OpenShift version of the catalog, for example "4.18"; "" if it is not known.
func (p *Pass) OpenShift() string {
	p.asksOthers = true
	return p.Config.openShift(p.Catalog)
}

// KubeMinor returns the minor version of Kubernetes that the catalog is for, and its source; 0 if it is not known.
func (p *Pass) KubeMinor() (minor int, source string) {
	if p.Config.Kube != "" {
		minor, _ = ParseKubeVersion(p.Config.Kube)
		return minor, "the requested Kubernetes version"
	}
	openShift := p.OpenShift()
	if minor = kubeMinor(openShift); minor > 0 {
		return minor, "the Kubernetes of OpenShift " + openShift
	}
	return 0, ""
}

// kubeMinor returns the minor version of the Kubernetes of an OpenShift version, 0 if that is not known.
func kubeMinor(openShift string) int {
	major, text, _ := strings.Cut(openShift, ".")
	if n, err := strconv.Atoi(text); err == nil && major == "4" && n >= 3 {
		return KubeMinor(n)
	}
	return 0
}

// Installs reports whether the Kubernetes of an OpenShift version is not older than a bundle requires: see csv/min-kube-version.
func Installs(openShift string, pkg *catalogs.Package, bundle string) bool {
	b := pkg.Bundle(bundle)
	if b == nil {
		return true
	}
	kube := kubeMinor(openShift)
	return kube == 0 || !slices.ContainsFunc(judge.New(pkg, judge.Options{}).Find(judge.FindRow("csv/min-kube-version"), b), func(r *judge.Reason) bool {
		return slices.ContainsFunc(r.Where, func(c judge.Condition) bool {
			v, err := semver.ParseTolerant(c.Name)
			return c.Kind == judge.KubernetesBefore && err == nil && v.Major == 1 && int(v.Minor) > kube
		})
	})
}

// KubeMinor returns the minor version of the Kubernetes that OpenShift 4.minor ships: there is no OpenShift for Kubernetes 1.15.
func KubeMinor(minor int) int {
	if minor < 3 {
		return minor + 12
	}
	return minor + 13
}

// PipelineNames returns the names of the pipelines that judge the changes of catalog repositories: the gates GatePipelines.
func PipelineNames() []string { return GatePipelines.Names() }

// pipelineGate returns the gate of the pipeline of an organization as the config.yaml of a repository names it; 0 if it is unknown
// (operator-pipelines: check_marketplace_annotation, preflight_result_filter).
func pipelineGate(organization string) Gates {
	return map[string]Gates{pipelineconfig.Community: GateCommunity, pipelineconfig.Certified: GateCertified, pipelineconfig.Marketplace: GateMarketplace}[organization]
}

// pipeline returns the gate of the one that judges a catalog, and whether one is known: the one of the configuration, or of the
// organization in the config.yaml of its repository.
func (c *Config) pipeline(cat *catalogs.Catalog) (Gates, bool) {
	gate, known := judge.ParseGate(c.Pipeline)
	if !known && cat.Repository != nil {
		gate = pipelineGate(cat.Repository.Organization.Value)
	}
	return gate, gate != 0
}

// severityForUsers returns the severity of a finding for the OLM generations that users have, and for the pipeline that judges the
// catalog. What opm or the API server rejects has its own severity.
func (c *Config) severityForUsers(f *Finding, cat *catalogs.Catalog, openShift string, asked Gates) Severity {
	severity := Off
	switch olm := f.Gates & (GateOLMv0 | GateOLMv1); {
	case f.Gates&(GateOPM|GateServe) != 0, f.Gates&(GateOLMv0|GateOLMv1|GatePipelines) == 0:
		return f.Severity
	case olm != 0:
		severity = c.severityForOLMs(f, openShift, asked)
	case f.Gates&GateAPIServer != 0:
		return f.Severity
	case f.Gates&GateAdvice != 0 && f.published && !(f.unbased && asked != 0):
		return min(f.Severity, Info)
	case f.Gates&GateAdvice != 0:
		severity = min(f.Severity, Warning)
	}
	if f.Gates&GatePipelines != 0 {
		severity = max(severity, c.severityInPipelines(f, cat, asked))
	}
	return severity
}

// severityInPipelines returns the severity of a finding for the pipeline that judges the catalog: Off if that does not have it, or none is known to.
// The pipelines check the folders of bundles: the contents of a bundle in any other form of catalog have been published, and are at most a
// Warning, and those of one that the base has are at most Info. The requested gates are assumed to judge it.
func (c *Config) severityInPipelines(f *Finding, cat *catalogs.Catalog, asked Gates) Severity {
	judges, _ := c.pipeline(cat)
	if asked &= GatePipelines; asked != 0 {
		judges = asked
	}
	switch has, rejects := f.Gates&judges, f.Gates&judges&^f.WarningGates; {
	case has == 0:
		return Off
	case f.published && !(f.unbased && asked != 0):
		return min(f.Severity, Info)
	case (rejects == 0 || f.Severity == Warning) && asked == 0: // the pipeline comments on it
		return min(f.Severity, Info)
	case rejects == 0, f.part == Contents && !isSubmitted(cat):
		return min(f.Severity, Warning)
	}
	return f.Severity
}

// isSubmitted reports whether a catalog is of folders of bundles, as they are submitted to a repository.
func isSubmitted(cat *catalogs.Catalog) bool {
	return slices.Contains([]catalogs.Form{catalogs.BundleFolder, catalogs.Repository, catalogs.PackageManifests}, cat.Form)
}

// IsLoneBundle reports whether the catalog is one bundle folder and nothing else: other bundles of the operator, and those that it requires, are
// elsewhere.
func (p *Pass) IsLoneBundle() bool { return p.Catalog.Form == catalogs.BundleFolder }

// JudgedBy reports whether it is known that one of some pipelines judges the catalog.
func (p *Pass) JudgedBy(pipelines Gates) bool {
	judges, known := p.Config.pipeline(p.Catalog)
	return known && judges&pipelines != 0
}
