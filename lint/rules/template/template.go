// Package templates has the rules on the templates from which opm makes catalogs. What they expand to is judged by the rules on catalogs.
package templates

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule { return []lint.Rule{rejected, lost, unknownBundles, opmVersion, drift} }

// finding returns the finding about a fault of a template.
func finding(problem *catalogs.Problem) lint.Finding {
	return lint.Finding{Subject: lint.Subject{Package: problem.Package}, Cause: append([]string{lint.FieldPath(problem.Field)}, problem.Cause...),
		Pos: problem.Pos, Message: problem.Message, Fix: problem.Fix}
}
