package lint

import "github.com/olmgraph/olmgraph/catalogs"

// problems makes a Check that reports what could not be read in one way: called for the catalog, what was found when it
// was read; called for a package, what is found in the manifests of its bundles now.
func problems(kind catalogs.ProblemKind, cure string) func(*Pass) {
	return func(p *Pass) {
		all := p.Catalog.Problems
		if p.Package != nil {
			all = p.facts.heavyProblems(p.Package)
		}
		for _, problem := range all {
			if problem.Kind == kind {
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
