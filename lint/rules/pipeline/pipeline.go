// Package pipeline has the rules on what configures the pipeline of a catalog repository.
package pipeline

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/lint"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Pipelines, Scope: lint.PerCatalog}, []lint.Rule{
		{
			ID: "pipeline/repository-config", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `the config.yaml of a catalog repository is invalid
The pipelines read from it which organization the repository is of, which registries bundles may come from, the images of the index, and
the checks that operators are exempt from. They have no schema for it: a value of the wrong type, or one that is missing, makes them fail.
They ignore unknown keys, which is a warning if a key looks misspelt.
Correct the file.`,
			Reference: "operator-pipelines Repo.config, enrich_indices_with_repo_context, apply_test_waivers",
			Check:     check(catalogs.PipelineConfig, "correct the file"),
		},
		{
			ID: "pipeline/ci-config", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `the ci.yaml of an operator is invalid
The pipelines check operators/NAME/ci.yaml by a schema: its values, the keys of fbc and of each template in catalog_mapping. They reject
updateGraph beside fbc, and a catalog that two templates are mapped to. They ignore other unknown keys, which is a warning if a key
looks misspelt.
Correct the file.`,
			Reference: "operator-pipelines static_tests/common check_schema_operator_ci_config, check_catalog_usage_ci_config; task read-config",
			Check:     check(catalogs.CIConfig, "correct the file"),
		},
		{
			ID: "pipeline/catalog-mapping", Severity: lint.Error, Gates: lint.GateAdvice,
			Doc: `ci.yaml maps templates to catalogs that do not fit what there is
make catalogs first removes the operator from all catalogs in catalogs/, and then makes those of catalog_mapping in ci.yaml. It fails if a
template is not there or has another type, so that nothing is published any more; and a catalog that nothing is mapped to is gone, which is a
warning. A template that is mapped to no catalog reaches nobody, which is an info.
Correct catalog_mapping in ci.yaml.`,
			Reference: "operator-pipelines fbc/Makefile, render_catalogs.sh",
			Check:     checkCatalogMapping,
		},
		{
			ID: "pipeline/cert-project", Severity: lint.Error, Gates: lint.GateCertified | lint.GateMarketplace,
			Doc: `an operator does not name its certification project
The pipelines of the certified and the marketplace catalog take the certification project of an operator from cert_project_id in its
ci.yaml, and reject a pull request without one. Whether the project exists is not known offline.
Set cert_project_id in ci.yaml.`,
			Reference: "operator-pipelines check_certification_projects",
			Check:     check(catalogs.NoCertProject, "set cert_project_id in ci.yaml"),
		},
		releaseConfig,
		{
			ID: "pipeline/update-graph", Severity: lint.Warning, Gates: lint.GateCommunity,
			Doc: `an operator does not say how its bundles upgrade
updateGraph in ci.yaml is replaces-mode or semver-mode. Without it the pipelines take replaces-mode, and that of the community catalog
warns. Operators with file-based catalogs have their upgrades in templates.
Set updateGraph in ci.yaml.`,
			Reference: "operator-pipelines static_tests/community check_ci_upgrade_graph",
			Check:     check(catalogs.NoUpdateGraph, "set updateGraph in ci.yaml"),
		},
		{
			ID: "pipeline/file-based", Severity: lint.Warning, Gates: lint.GateCommunity,
			Doc: `an operator does not use file-based catalogs
The bundles of an operator without templates are added to the index one by one, and a release cannot change the upgrades of an earlier
one. The pipeline of the community catalog warns of it.
Enable fbc in ci.yaml, with a template for each catalog.`,
			Reference: "operator-pipelines static_tests/community check_using_fbc",
			Check:     check(catalogs.WithoutTemplates, "enable fbc in ci.yaml, with templates"),
		},
	})
}

// check returns a Check that reports the problems of a kind, but not those of operators that the base has and that have not changed,
// and of published bundles only those that the base does not have.
func check(kind catalogs.ProblemKind, fix string) func(*lint.Pass) {
	return func(p *lint.Pass) { p.ReportProblems(judged(p, kind), fix, as) }
}

// as completes the finding about a problem.
func as(problem *catalogs.Problem, f *lint.Finding) bool {
	f.Bundle, f.Cause = "", append([]string{lint.FieldPath(problem.Field)}, problem.Cause...)
	if problem.Accepted {
		f.Severity, f.Gates = lint.Warning, lint.GateAdvice
	}
	return true
}

// judged returns the problems of a kind that a pipeline judges.
func judged(p *lint.Pass, kind catalogs.ProblemKind) []catalogs.Problem {
	return slices.DeleteFunc(slices.Clone(p.Catalog.Configuration), func(problem catalogs.Problem) bool {
		return problem.Kind != kind || isInBase(p, &problem) || problem.Published && !compare.IsNewFile(p.Catalog, problem.Pos.File, p.BaseCatalog) ||
			kind == catalogs.ReleaseConfig && p.BaseCatalog != nil && compare.SameFile(p.Catalog, problem.Pos.File, p.BaseCatalog) // it was released
	})
}

// isInBase reports whether the base has the problem too, of an operator that is the same there.
func isInBase(p *lint.Pass, of *catalogs.Problem) bool {
	if p.BaseCatalog == nil || slices.Contains(p.ChangedPackages, of.Package) {
		return false
	}
	return slices.ContainsFunc(p.BaseCatalog.Configuration, func(other catalogs.Problem) bool {
		return other.Kind == of.Kind && other.Package == of.Package && other.Field == of.Field && slices.Equal(other.Cause, of.Cause)
	})
}

func checkCatalogMapping(p *lint.Pass) {
	check(catalogs.CatalogMapping, "correct catalog_mapping in ci.yaml")(p)
	p.ReportProblems(judged(p, catalogs.UnmappedTemplate), "", func(problem *catalogs.Problem, f *lint.Finding) bool {
		as(problem, f)
		f.Severity = lint.Info
		return true
	})
}
