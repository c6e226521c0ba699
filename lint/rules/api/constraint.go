package api

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var constraint = lint.Rule{
	ID: "api/constraint", Severity: lint.Error, Gates: lint.GateOLMv0,
	Doc: `a constraint cannot be read
An olm.constraint is one of gvk, package, all, any, not and cel, has no other field, and is at most 128 KiB; a CEL rule must
return true or false for the list properties. opm does not check it. OLM v0 does when the bundle is a candidate, and then resolves
nothing in the namespace. OLM v0 also evaluates each rule for each bundle of each catalog, without a cost limit.
Write the constraint as OLM reads it.`,
	Reference: "operator-framework/api pkg/constraints; OLM resolver predicateForConstraintProperty",
	Check:     lint.EachBundle(checkConstraint),
}

// checkConstraint reports constraints that OLM cannot parse, and CEL rules that exceed the cost limit.
func checkConstraint(p *lint.Pass, b *catalogs.Bundle) {
	if !b.MayRequire() {
		return
	}
	index := p.DependencyIndex()
	o, ok := p.Indexed(index, p.Package, b)
	if !ok {
		return
	}
	for _, fault := range o.Faults() {
		if fault.Type == catalogs.TypeConstraint {
			reportRequirement(p, b, fault.Pos, fmt.Sprintf("has an olm.constraint that cannot be read: %v", fault.Err),
				"write it as one of gvk, package, all, any, not and cel", fault.Parts...)
		}
	}
	for _, n := range index.DependenciesOf(o) {
		if n.Costly {
			reportRequirement(p, b, n.Pos, fmt.Sprintf("has a rule that takes too long to evaluate for the bundles of the catalog: %s", n),
				"read each property once, for example properties.exists(p, …)", n.Parts()...)
		}
	}
}
