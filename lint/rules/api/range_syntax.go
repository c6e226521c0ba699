package api

import (
	"cmp"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var rangeSyntax = lint.Rule{
	ID: "api/range-syntax", Severity: lint.Error, Gates: lint.GateOLMv0,
	Doc: `the version range of a required package is invalid
OLM v0 parses the versionRange of olm.package.required with blang/semver: full versions after <, <=, >, >=, = or !=, a space for
and, || with spaces for or. opm does not check it. OLM v0 does when the bundle is a candidate, and then resolves nothing in the
namespace.
Write the range in this grammar, for example ">=1.0.0 <2.0.0".`,
	Reference: "OLM resolver predicateForRequiredPackageProperty",
	Check:     lint.EachBundle(checkRequiredRange),
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
