package lint

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// problems makes a Check that reports what could not be read in one way.
func problems(kind catalogs.ProblemKind, fix string) func(*Pass) {
	return problemsThat(func(problem *catalogs.Problem) bool { return problem.Kind == kind && problem.Field != versionField }, fix)
}

// versionField has a rule of its own: version/number.
const versionField = catalogs.TypePackage + ".version"

// problemsThat makes a Check of a question about one problem: called for the catalog, about what was found when it was
// read; called for a package, about what is found in the manifests of its bundles now.
func problemsThat(match func(*catalogs.Problem) bool, fix string) func(*Pass) {
	return func(p *Pass) {
		all := p.Catalog.Problems
		if p.Package != nil {
			all = manifestProblems(p)
		}
		for _, problem := range all {
			if match(&problem) {
				p.Report(Finding{
					Subject: Subject{Package: problem.Package, Bundle: problem.Bundle},
					Cause:   append([]string{problem.Bundle, fieldOf(&problem)}, problem.Cause...),
					Pos:     problem.Pos,
					Message: problem.Message,
					Fix:     cmp.Or(problem.Fix, fix),
				})
			}
		}
	}
}

// packageProblems are the problems in the manifests of a package's bundles.
type packageProblems struct {
	memo.Map[*catalogs.Package, []catalogs.Problem]
}

// manifestProblems returns what opm would reject in the manifests of the package's bundles.
func manifestProblems(p *Pass) []catalogs.Problem {
	return Shared[packageProblems](p).Get(p.Package, func() []catalogs.Problem {
		var all []catalogs.Problem
		for _, b := range p.Package.Bundles {
			all = append(all, b.CheckManifestProperties()...)
		}
		return all
	})
}

// fieldOf is the path of the field that a problem is about. An item of a list has only words of ours for it, as "an entry".
func fieldOf(p *catalogs.Problem) string {
	if strings.Contains(p.Field, " ") {
		return ""
	}
	return fieldPath(p.Field)
}

// checkNoPackage reports what was not checked since it is no catalog, or is made of a template. What cannot be read at all has been
// said.
func checkNoPackage(p *Pass) {
	problems(catalogs.UnreadTemplate, "")(p)
	problems(catalogs.UnreadFolder, "")(p)
	found, none := p.Catalog.NoPackage()
	if !none || found.Unread {
		return
	}
	p.Report(Finding{Pos: found.Pos, Message: "nothing was checked: " + found.Message(), Fix: found.Fix})
}

// checkTemplate reports templates beside what was checked.
func checkTemplate(p *Pass) {
	if _, none := p.Catalog.NoPackage(); none {
		return // that has been said
	}
	for _, f := range p.Catalog.Foreign {
		if f.Template {
			p.Report(Finding{Pos: f.Pos, Fix: f.Fix + "; and keep the template outside the catalog's folder, or list it in .indexignore",
				Message: fmt.Sprintf("%s, which was not checked: opm validate accepts it as an object of an unknown schema, and nothing of it is in the catalog", f.What)})
		}
	}
}

// FormatLimitRule tells what the form of a catalog leaves out.
const FormatLimitRule = "catalog/form"

// checkSilent reports what could not be checked since the form of the catalog leaves it out.
func checkSilent(p *Pass) {
	if pos, silent := p.Catalog.FormLimitation(); silent != "" {
		fix := "give the catalog itself, as docker://IMAGE"
		if p.Catalog.Form == catalogs.ConfigMap {
			fix = "serve a file-based catalog from an image, with a CatalogSource of type grpc"
		}
		p.Report(Finding{Pos: pos, Message: silent, Fix: fix})
	}
}
