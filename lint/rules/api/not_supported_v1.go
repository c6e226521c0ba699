package api

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var notSupportedV1 = lint.Rule{
	ID: "api/not-supported-v1", Severity: lint.Warning, Gates: lint.GateOLMv1,
	Doc: `OLM v1 does not install bundles with dependencies
OLM v1 does not resolve dependencies. If the version that it has chosen has a property olm.gvk.required, olm.package.required or
olm.constraint, it reports an error and tries no other version.
Ask users of OLM v1 to install the dependencies themselves, and publish versions without these properties.`,
	Reference: "operator-controller internal/resolve validation.go",
	Check:     checkDependsV1,
}

// checkDependsV1 reports the newest bundle that OLM v1 does not install because of its requirements.
func checkDependsV1(p *lint.Pass) {
	if p.Config.OLM == "v0" {
		return
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
		severity := lint.Info
		if slices.Contains(heads, b) {
			severity = lint.Warning
		}
		finding := lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value}, Cause: lint.OncePerPackage(), Pos: r.Pos, Severity: severity, Fix: dependsFix(severity, installs),
			Message: fmt.Sprintf("%q requires %s: OLM v1 does not install it, and tries no other version", b.Name.Value, r),
		}
		if severity == lint.Warning {
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
	if i := slices.IndexFunc(all, func(r catalogs.Requirement) bool { return r.Label == "" }); i >= 0 {
		return &all[i]
	}
	return nil
}

// dependsFix returns the fix, with the newest bundle that OLM v1 installs, if any.
func dependsFix(severity lint.Severity, installs string) string {
	switch {
	case installs == "":
		return "ask users to install the dependencies themselves, and publish a version without the requirement"
	case severity == lint.Warning:
		return fmt.Sprintf("the newest version that OLM v1 installs is %q: ask users to pin it, or remove the requirement", installs)
	}
	return fmt.Sprintf("newer versions, up to %q, have no requirements: ask users of OLM v1 to install one of these", installs)
}
