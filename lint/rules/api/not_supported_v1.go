package api

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// checkDependsV1 reports the newest bundle that OLM v1 does not install because of its requirements.
func checkDependsV1(p *lint.Pass) {
	if p.Config.OLM == "v0" {
		return
	}
	inHead := lint.Info
	if p.AsksOLMv1() {
		inHead = lint.Warning
	}
	bundles, heads, f := contents.NewestFirst(p.Package), contents.Heads(p), contents.NewFindingGroups(p)
	var installs string
	if i := slices.IndexFunc(bundles, func(b *catalogs.Bundle) bool { return firstRequirement(p, b) == nil }); i >= 0 {
		installs = bundles[i].Name.Value
	}
	for _, b := range bundles {
		r := firstRequirement(p, b)
		if r == nil {
			continue
		}
		isHead, severity := slices.Contains(heads, b), lint.Info
		if isHead {
			severity = inHead
		}
		finding := lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value}, Cause: lint.OncePerPackage(), Pos: r.Pos, Severity: severity, Fix: dependsFix(isHead, installs),
			Message: fmt.Sprintf("%q requires %s: OLM v1 does not install it, and tries no other version", b.Name.Value, r),
		}
		if isHead {
			contents.MarkInHead(&finding)
		}
		f.Add("", finding)
	}
	f.Report("older bundle")
}

// firstRequirement returns the first requirement of a bundle that OLM v1 rejects, or nil. OLM v1 ignores labels.
func firstRequirement(p *lint.Pass, b *catalogs.Bundle) *catalogs.Requirement {
	if !b.MayRequire() {
		return nil
	}
	all := p.Dependencies(b).Requires
	return find.Pointer(all, func(r catalogs.Requirement) bool { return r.Label == "" })
}

// dependsFix returns the fix, with the newest bundle that OLM v1 installs, if any.
func dependsFix(isHead bool, installs string) string {
	switch {
	case installs == "":
		return "ask users to install the dependencies themselves, and publish a version without the requirement"
	case isHead:
		return fmt.Sprintf("the newest version that OLM v1 installs is %q: ask users to pin it, or remove the requirement", installs)
	}
	return fmt.Sprintf("newer versions, up to %q, have no requirements: ask users of OLM v1 to install one of these", installs)
}
