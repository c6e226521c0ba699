package pipeline

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var repositoryConfig = lint.Rule{
	ID: "pipeline/repository-config", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `the config.yaml of a catalog repository is invalid
The pipelines read from it which organization the repository is of, which registries bundles may come from, the images of the index, and
the checks that operators are exempt from. They have no schema for it: a value of the wrong type, or one that is missing, makes them fail.
They ignore unknown keys, which is a warning if a key looks misspelt.
Correct the file.`,
	Reference: "operator-pipelines Repo.config, enrich_indices_with_repo_context, apply_test_waivers",
	Check:     check(catalogs.PipelineConfig, "correct the file"),
}
