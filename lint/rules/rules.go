// Package rules collects the rules of all families.
package rules

import (
	"slices"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/api"
	"github.com/olmgraph/olmgraph/lint/rules/bundle"
	"github.com/olmgraph/olmgraph/lint/rules/catalog"
	"github.com/olmgraph/olmgraph/lint/rules/crd"
	"github.com/olmgraph/olmgraph/lint/rules/csv"
	"github.com/olmgraph/olmgraph/lint/rules/deprecation"
	"github.com/olmgraph/olmgraph/lint/rules/graph"
	"github.com/olmgraph/olmgraph/lint/rules/published"
)

// All returns all rules, family by family.
func All() []lint.Rule {
	return slices.Concat(catalog.Rules(), graph.Rules(), graph.VersionRules(), deprecation.Rules(), bundle.ManifestRules(), catalog.TemplateRules(), catalog.PipelineRules(), bundle.Rules(), csv.Rules(),
		bundle.ObjectRules(), crd.Rules(), bundle.UpgradeRules(), api.Rules(), published.Rules(), catalog.OpenShiftRules(), bundle.ImageRules(),
		[]lint.Rule{lint.UnusedSuppression, lint.ExpiredSuppression, lint.BadIgnore, lint.StaleBaseline, lint.Changed})
}
