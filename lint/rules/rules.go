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
	"github.com/olmgraph/olmgraph/lint/rules/image"
	"github.com/olmgraph/olmgraph/lint/rules/manifest"
	"github.com/olmgraph/olmgraph/lint/rules/object"
	"github.com/olmgraph/olmgraph/lint/rules/openshift"
	"github.com/olmgraph/olmgraph/lint/rules/pipeline"
	"github.com/olmgraph/olmgraph/lint/rules/published"
	"github.com/olmgraph/olmgraph/lint/rules/template"
	"github.com/olmgraph/olmgraph/lint/rules/upgrade"
	"github.com/olmgraph/olmgraph/lint/rules/version"
)

// All returns all rules, family by family.
func All() []lint.Rule {
	return slices.Concat(catalog.Rules(), graph.Rules(), version.Rules(), deprecation.Rules(), manifest.Rules(), template.Rules(), pipeline.Rules(), bundle.Rules(), csv.Rules(),
		object.Rules(), crd.Rules(), upgrade.Rules(), api.Rules(), published.Rules(), openshift.Rules(), image.Rules(),
		[]lint.Rule{lint.UnusedSuppression, lint.ExpiredSuppression, lint.BadIgnore, lint.StaleBaseline, lint.Changed})
}
