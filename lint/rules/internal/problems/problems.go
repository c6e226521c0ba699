// Package problems reports what was wrong with the text of a catalog when it was read.
package problems

import (
	"cmp"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// Check makes a Check that reports what could not be read in one way.
func Check(kind catalogs.ProblemKind, fix string) func(*lint.Pass) {
	return CheckMatching(func(problem *catalogs.Problem) bool {
		return problem.Kind == kind && problem.Field != versions.VersionField
	}, fix)
}

// CheckMatching makes a Check of a question about one problem: called for the catalog, about what was found when it was
// read; called for a package, about what is found in the manifests of its bundles now.
func CheckMatching(match func(*catalogs.Problem) bool, fix string) func(*lint.Pass) {
	return func(p *lint.Pass) {
		all := p.Catalog.Problems
		if p.Package != nil {
			all = manifestProblems(p)
		}
		for _, problem := range all {
			if match(&problem) {
				p.Report(lint.Finding{
					Subject: lint.Subject{Package: problem.Package, Bundle: problem.Bundle},
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
func manifestProblems(p *lint.Pass) []catalogs.Problem {
	return lint.Shared[packageProblems](p).Get(p.Package, func() []catalogs.Problem {
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
	return lint.FieldPath(p.Field)
}

// NearestPackage returns the defined package whose name is most like a name, or "" if none is.
func NearestPackage(c *catalogs.Catalog, name string) string {
	var names []string
	for _, p := range c.Packages {
		if p.Defined() {
			names = append(names, p.Name.Value)
		}
	}
	near, _ := spelling.Nearest(name, names)
	return near
}
