// Package pipeline has the rules on what configures the pipeline of a catalog repository.
package pipeline

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/lint"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{repositoryConfig, ciConfig, catalogMapping, certProject, releaseConfig, updateGraph, fileBased}
}

// check returns a Check that reports the problems of a kind, but not those of operators that the base has and that have not changed,
// and of published bundles only those that the base does not have.
func check(kind catalogs.ProblemKind, fix string) func(*lint.Pass) {
	return func(p *lint.Pass) { reportAs(p, kind, fix, func(*lint.Finding) bool { return true }) }
}

// reportAs is check for one pass; as completes each finding, and reports whether it is to be told.
func reportAs(p *lint.Pass, kind catalogs.ProblemKind, fix string, as func(*lint.Finding) bool) {
	for _, problem := range judged(p, kind) {
		f := lint.Finding{Subject: lint.Subject{Package: problem.Package}, Cause: append([]string{lint.FieldPath(problem.Field)}, problem.Cause...),
			Pos: problem.Pos, Message: problem.Message, Fix: cmp.Or(problem.Fix, fix)}
		if problem.Accepted {
			f.Severity, f.Gates = lint.Warning, lint.GateAdvice
		}
		if as(&f) {
			p.Report(f)
		}
	}
}

// judged returns the problems of a kind that a pipeline judges.
func judged(p *lint.Pass, kind catalogs.ProblemKind) []catalogs.Problem {
	return slices.DeleteFunc(slices.Clone(p.Catalog.Configuration), func(problem catalogs.Problem) bool {
		return problem.Kind != kind || isInBase(p, &problem) || problem.Published && !compare.IsNewFile(p.Catalog, problem.Pos.File, p.BaseCatalog) ||
			kind == catalogs.ReleaseConfig && p.BaseCatalog != nil && compare.SameFile(p.Catalog, problem.Pos.File, p.BaseCatalog) // it was released
	})
}

// isInBase reports whether the base has the problem too, of an operator that is the same there.
func isInBase(p *lint.Pass, of *catalogs.Problem) bool {
	if p.BaseCatalog == nil || slices.Contains(p.ChangedPackages, of.Package) {
		return false
	}
	return slices.ContainsFunc(p.BaseCatalog.Configuration, func(other catalogs.Problem) bool {
		return other.Kind == of.Kind && other.Package == of.Package && other.Field == of.Field && slices.Equal(other.Cause, of.Cause)
	})
}
