package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
)

// TemplateRules returns the rules of the family, in the order in which they are called.
func TemplateRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Templates, Scope: lint.PerCatalog}, []lint.Rule{
		{
			ID: "template/rejected", Unchecked: lint.RejectedTemplate, Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `opm rejects a template
opm alpha render-template makes no catalog of the template, and often names no line. The cause is, for example, an
unknown key of an olm.semver template, a bundle twice in a stream, or a bundle of a basic template that has more
than its image. The channels of an olm.semver template were then not checked, so this rule cannot be turned off.
Correct the template.`,
			Reference: "operator-registry alpha/template",
			Check:     eachFault(false),
		},
		{
			ID: "template/lost", Severity: lint.Error, Gates: lint.GateAdvice,
			Doc: `opm silently drops a part of a template
opm reads only the first document of a template. It ignores the case of keys: of Stable and stable it takes the last
one in alphabetical order. Of a basic template it takes the last of repeated keys, and ignores unknown ones; one that
resembles no known key is a warning. Channels or bundles are then missing from the catalog, and users get no upgrades.
Keep one key, or one document in a file.`,
			Reference: "operator-registry alpha/template, sigs.k8s.io/yaml",
			Check:     eachFault(true),
		},
		{
			ID: "template/unknown-bundles", Unchecked: lint.UnknownBundles, Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `bundles of a template are not known
A template names bundles by their images. olmgraph takes a bundle with that image from the catalogs of the repository, from those of --catalog,
or from a bundle folder; it pulls images only with --pull missing. It takes the versions of others from the names of entries, as NAME.v1.2.3,
and cannot check what they contain. It checks nothing of an olm.semver template if a bundle is unknown, which catalog/no-package reports.
Give a catalog that has them with --catalog, their folders with --bundles, or the images with --pull missing.`,
			Reference: "operator-registry alpha/template/basic",
			Check:     checkUnknownBundles,
		},
		drift,
	})
}

// eachFault returns a Check that reports the faults of templates which opm accepts, or those for which it rejects them.
func eachFault(accepted bool) func(*lint.Pass) {
	return lint.EachProblemAs("", func(problem *catalogs.Problem, f *lint.Finding) bool {
		f.Bundle, f.Cause = "", append([]string{judge.FieldPath(problem.Field)}, problem.Cause...)
		if accepted && len(problem.Cause) == 1 && problem.Cause[0] == template.UnknownKey { // it is like no known key
			f.Severity = lint.Warning
		}
		return problem.Kind == catalogs.TemplateFault && problem.Accepted == accepted
	})
}

// checkUnknownBundles reports once, at the first image.
func checkUnknownBundles(p *lint.Pass) {
	message, fix := p.Catalog.UnknownBundles()
	if t := p.Catalog.Template; message != "" && !t.IsGenerated() {
		f := lint.Finding{Cause: lint.OncePerPackage(), Pos: t.Unknown[0].Pos, Message: message, Fix: fix}
		for _, image := range t.Unknown {
			f.Faults = append(f.Faults, image.Value)
			f.Details = append(f.Details, lint.Related{Pos: image.Pos, Message: fmt.Sprintf("%q is in none", image.Value)})
		}
		p.Report(f)
	}
}
