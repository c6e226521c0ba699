// Package problems reports the problems that were found when a catalog was read.
package problems

import (
	"cmp"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// Check returns a Check that reports the problems of a kind.
func Check(kind catalogs.ProblemKind, fix string) func(*lint.Pass) {
	return CheckMatching(func(problem *catalogs.Problem) bool {
		return problem.Kind == kind && problem.Field != versions.VersionField
	}, fix)
}

// CheckMatching returns a Check that reports the matching problems: of the catalog when it is called for that, of the manifests
// of the bundles when it is called for a package. complete are called with each finding.
func CheckMatching(match func(*catalogs.Problem) bool, fix string, complete ...func(*lint.Finding)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		all := p.Catalog.Problems
		if p.Package != nil {
			all = manifestProblems(p)
		}
		for _, problem := range all {
			if match(&problem) {
				f := lint.Finding{
					Subject: lint.Subject{Package: problem.Package, Bundle: problem.Bundle},
					Cause:   append([]string{problem.Bundle, fieldOf(&problem)}, problem.Cause...),
					Pos:     problem.Pos,
					Message: problem.Message,
					Fix:     cmp.Or(problem.Fix, fix),
				}
				for _, as := range complete {
					as(&f)
				}
				p.Report(f)
			}
		}
	}
}

// packageProblems caches the problems in the manifests of the bundles of a package.
type packageProblems struct {
	memo.Map[*catalogs.Package, []catalogs.Problem]
}

// manifestProblems returns what opm would reject in the manifests of the bundles of the package.
func manifestProblems(p *lint.Pass) []catalogs.Problem {
	return lint.Shared[packageProblems](p).Get(p.Package, func() []catalogs.Problem {
		var all []catalogs.Problem
		for _, b := range p.Package.Bundles {
			all = append(all, fbc.CheckManifestProperties(b)...)
		}
		return all
	})
}

// fieldOf returns the path of the field of a problem. A field that is a description, for example "an entry", gives "".
func fieldOf(p *catalogs.Problem) string {
	if strings.Contains(p.Field, " ") {
		return ""
	}
	return lint.FieldPath(p.Field)
}

// NearestPackage returns the defined package with the most similar name, "" if none is similar.
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
