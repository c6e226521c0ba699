package lint

import (
	"cmp"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// EachProblem returns a Check that reports the problems of a kind which were found when a catalog was read. Fix is for those that have none.
func EachProblem(kind catalogs.ProblemKind, fix string) func(*Pass) {
	return EachProblemAs(fix, func(problem *catalogs.Problem, _ *Finding) bool { return problem.Kind == kind })
}

// EachProblemAs returns a Check that reports the problems for which as is true: of the catalog when it is called for that, of the manifests of the
// bundles when it is called for a package. as completes the finding.
func EachProblemAs(fix string, as func(*catalogs.Problem, *Finding) bool) func(*Pass) {
	return func(p *Pass) { p.ReportProblems(p.problems(), fix, as) }
}

// ReportProblems reports those of some problems for which as is true, which completes the finding.
func (p *Pass) ReportProblems(all []catalogs.Problem, fix string, as func(*catalogs.Problem, *Finding) bool) {
	for i := range all {
		problem := &all[i]
		f := Finding{
			Subject: Subject{Package: problem.Package, Bundle: problem.Bundle},
			Cause:   append([]string{problem.Bundle, problemField(problem)}, problem.Cause...),
			Pos:     problem.Pos,
			Message: problem.Message,
			Fix:     cmp.Or(problem.Fix, fix),
		}
		if as(problem, &f) {
			p.Report(f)
		}
	}
}

// packageProblems caches the problems in the manifests of the bundles of a package.
type packageProblems struct {
	memo.Map[*catalogs.Package, []catalogs.Problem]
}

// problems returns the problems of the catalog, or what opm would reject in the manifests of the bundles of the package.
func (p *Pass) problems() []catalogs.Problem {
	if p.Package == nil {
		return p.Catalog.Problems
	}
	return Shared[packageProblems](p).Get(p.Package, func() []catalogs.Problem {
		var all []catalogs.Problem
		for _, b := range p.Package.Bundles {
			all = append(all, fbc.CheckManifestProperties(b)...)
		}
		return all
	})
}

// problemField returns the path of the field of a problem. A field that is a description, for example "an entry", gives "".
func problemField(p *catalogs.Problem) string {
	if strings.Contains(p.Field, " ") {
		return ""
	}
	return FieldPath(p.Field)
}
