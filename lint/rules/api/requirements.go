package api

import (
	"cmp"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// reportRequirement reports a requirement that makes OLM v0 fail to resolve. The message begins with the name of the bundle.
func reportRequirement(p *lint.Pass, b *catalogs.Bundle, at catalogs.Pos, says, fix string, cause ...string) {
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value}, Cause: append([]string{b.Name.Value}, cause...), Pos: at, Fix: fix,
		Message: fmt.Sprintf("%q %s: OLM v0 resolves nothing in namespaces where the bundle is a candidate", b.Name.Value, says),
	})
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

// checkRequiredRange reports version ranges of required packages that OLM cannot parse, or that crash it.
func checkRequiredRange(p *lint.Pass, b *catalogs.Bundle) {
	if !b.MayRequire() {
		return
	}
	for _, r := range p.Dependencies(b).Requires {
		if r.Package == "" {
			continue
		}
		in := versions.ParseRange(r.Range)
		switch {
		case r.Range == "" || in.Err != nil:
			why, fix := versions.RangeMistake(r.Range)
			if why != "" {
				why = ": " + why
			}
			reportRequirement(p, b, r.Pos, fmt.Sprintf("requires package %q in the invalid range %q%s", r.Package, r.Range, why),
				cmp.Or(fix, "write a range as in >=1.0.0 <2.0.0"), r.Parts()...)
		case in.Crashes():
			reportRequirement(p, b, r.Pos, fmt.Sprintf("requires package %q in the range %q, which crashes OLM", r.Package, r.Range),
				"write whole versions on both sides of each ||", r.Parts()...)
		}
	}
}
