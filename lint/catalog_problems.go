package lint

import "github.com/olmgraph/olmgraph/catalogs"

// problems makes a Check that reports what could not be read in one way.
func problems(kind catalogs.ProblemKind, cure string) func(*Pass) {
	return problemsThat(func(problem *catalogs.Problem) bool { return problem.Kind == kind && problem.Field != versionField }, cure)
}

// versionField has a rule of its own: version/number.
const versionField = catalogs.TypePackage + ".version"

// problemsThat makes a Check of a question about one problem: called for the catalog, about what was found when it was
// read; called for a package, about what is found in the manifests of its bundles now.
func problemsThat(match func(*catalogs.Problem) bool, cure string) func(*Pass) {
	return func(p *Pass) {
		all := p.Catalog.Problems
		if p.Package != nil {
			all = p.facts.heavyProblems(p.Package)
		}
		for _, problem := range all {
			if match(&problem) {
				p.Report(Finding{
					Subject: Subject{Package: problem.Package, Bundle: problem.Bundle},
					Pos:     problem.Pos,
					Message: problem.Message,
					Cure:    cure,
				})
			}
		}
	}
}
