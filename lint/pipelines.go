package lint

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
)

// PipelineNames returns the names of the pipelines that judge the changes of catalog repositories: the gates GatePipelines.
func PipelineNames() []string { return GatePipelines.Names() }

// pipelineOf returns the gate of the pipeline of an organization as the config.yaml of a repository names it; 0 if it is unknown
// (operator-pipelines: check_marketplace_annotation, preflight_result_filter).
func pipelineOf(organization string) Gates {
	return map[string]Gates{pipelineconfig.Community: GateCommunity, pipelineconfig.Certified: GateCertified, pipelineconfig.Marketplace: GateMarketplace}[organization]
}

// pipeline returns the gate of the one that judges a catalog, and whether one is known: the one of the configuration, or of the
// organization in the config.yaml of its repository.
func (c *Config) pipeline(cat *catalogs.Catalog) (Gates, bool) {
	gate, known := ParseGate(c.Pipeline)
	if !known && cat.Repository != nil {
		gate = pipelineOf(cat.Repository.Organization.Value)
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

// JudgedBy reports whether it is known that one of some pipelines judges the catalog.
func (p *Pass) JudgedBy(pipelines Gates) bool {
	judges, known := p.Config.pipeline(p.Catalog)
	return known && judges&pipelines != 0
}
