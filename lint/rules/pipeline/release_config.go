package pipeline

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var releaseConfig = lint.Rule{
	ID: "pipeline/release-config", Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `the release-config.yaml of a bundle is invalid
The pipelines add a bundle to the templates that its release-config.yaml names. They check the file by a schema, and reject it if ci.yaml
does not enable fbc, if a template is not in catalog_mapping there, if defaultChannel is not in channels, and if a channel of a template of
type olm.semver is not Fast, Candidate or Stable. For such a template they ignore everything but the channels, which is a warning. To a basic
template they add an entry even if it lists the bundle already with other replaces or skips; opm rejects two entries of one name.
Correct the file.`,
	Reference: "operator-pipelines static_tests/common check_bundle_release_config, check_validate_schema_bundle_release_config; add_bundle_to_fbc",
	Check:     check(catalogs.ReleaseConfig, "correct the file"),
}
