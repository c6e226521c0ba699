package pipeline

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var ciConfig = lint.Rule{
	ID: "pipeline/ci-config", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `the ci.yaml of an operator is invalid
The pipelines check operators/NAME/ci.yaml by a schema: its values, the keys of fbc and of each template in catalog_mapping. They reject
updateGraph beside fbc, and a catalog that two templates are mapped to. They ignore other unknown keys, which is a warning if a key
looks misspelt.
Correct the file.`,
	Reference: "operator-pipelines static_tests/common check_schema_operator_ci_config, check_catalog_usage_ci_config; task read-config",
	Check:     check(catalogs.CIConfig, "correct the file"),
}
