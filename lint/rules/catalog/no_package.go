package catalog

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var noPackage = lint.Rule{
	ID: lint.NoPackageRuleID, Severity: lint.Error, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `nothing was checked: there is no package
opm validate accepts a folder or file without a package, but it is not a catalog. It is, for example, a template, from which opm
generates one; the output of another program about a catalog; or Kubernetes objects. In a repository of bundles it is an operator
without a bundle folder, a template or a catalog. The channels of a template of schema olm.semver are not known without all of its
bundles. None of it was checked, so this rule cannot be turned off.
Give the catalog; the finding says how to get it.`,
	Reference: "operator-registry alpha/declcfg LoadFS, alpha/template",
	Check:     checkNoPackage,
}

// checkNoPackage reports what was not checked, since it is not a catalog or is generated from a template. What cannot be read is
// already reported.
func checkNoPackage(p *lint.Pass) {
	problems.Check(catalogs.UnreadFolder, "")(p)
	found, none := p.Catalog.NoPackage()
	if unknown, fix := p.Catalog.UnknownBundles(); none && unknown != "" && p.Catalog.Template.Generated() {
		p.Report(lint.Finding{Pos: found.Pos, Message: "nothing was checked: " + unknown, Fix: fix})
		return
	}
	if !none || found.Unread || withoutAnnotation(p.Catalog) {
		return
	}
	if wrong, right := fbc.MisspeltFolder(p.Catalog); wrong != "" {
		p.Report(lint.Finding{Pos: found.Pos, Message: fmt.Sprintf("nothing was checked: a bundle has the folders manifests/ and metadata/, and this one has %s/: did you mean %s/?",
			wrong, right), Fix: fmt.Sprintf("rename the folder %s to %s", wrong, right)})
		return
	}
	p.Report(lint.Finding{Pos: found.Pos, Message: "nothing was checked: " + found.Message(), Fix: found.Fix})
}

// withoutAnnotation reports whether a bundle does not name its package, which manifest/annotations reports.
func withoutAnnotation(c *catalogs.Catalog) bool {
	return c.Form == catalogs.BundleFolder && slices.ContainsFunc(c.Problems, func(problem catalogs.Problem) bool {
		return problem.Kind == catalogs.ManifestAnnotations && problem.Package == ""
	})
}
