package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// checkRequiredRange reports ranges of required packages that OLM cannot read, or that crash it.
func checkRequiredRange(p *Pass, b *catalogs.Bundle) {
	if !b.MayRequire() {
		return
	}
	for _, r := range p.dependencies(b).Requires {
		if r.Package == "" {
			continue
		}
		in := readRange(r.Range)
		switch {
		case r.Range == "" || in.err != nil:
			why, fix := rangeMistake(r.Range)
			if why != "" {
				why = ": " + why
			}
			p.reportRequirement(b, r.Pos, fmt.Sprintf("requires package %q in the invalid range %q%s", r.Package, r.Range, why),
				cmp.Or(fix, "write a range as in >=1.0.0 <2.0.0"), r.Parts()...)
		case in.crashes():
			p.reportRequirement(b, r.Pos, fmt.Sprintf("requires package %q in the range %q, which crashes OLM", r.Package, r.Range),
				"write whole versions on both sides of each ||", r.Parts()...)
		}
	}
}

func (p *Pass) reportRequirement(b *catalogs.Bundle, at catalogs.Pos, says, fix string, cause ...string) {
	p.Report(Finding{
		Subject: Subject{Bundle: b.Name.Value}, Cause: append([]string{b.Name.Value}, cause...), Pos: at, Fix: fix,
		Message: fmt.Sprintf("%q %s: OLM v0 resolves nothing in namespaces where the bundle is a candidate", b.Name.Value, says),
	})
}

// checkConstraint reports constraints that OLM cannot read, and rules that do not come to an end.
func checkConstraint(p *Pass, b *catalogs.Bundle) {
	if !b.MayRequire() {
		return
	}
	m := p.dependencyIndex()
	o, ok := p.indexed(m, p.Package, b)
	if !ok {
		return
	}
	for _, fault := range o.Faults() {
		if fault.Type == catalogs.TypeConstraint {
			p.reportRequirement(b, fault.Pos, fmt.Sprintf("has an olm.constraint that cannot be read: %v", fault.Err),
				"write it as one of gvk, package, all, any, not and cel", fault.Parts...)
		}
	}
	for _, n := range m.DependenciesOf(o) {
		if n.Costly {
			p.reportRequirement(b, n.Pos, fmt.Sprintf("has a rule that takes too long to evaluate for the bundles of the catalog: %s", n),
				"read each property once, for example properties.exists(p, …)", n.Parts()...)
		}
	}
}

// checkEmptyAPI reports APIs that lack a part, provided or required.
func checkEmptyAPI(p *Pass) {
	f := newFold(p)
	add := func(b *catalogs.Bundle, verb string, api *catalogs.API, at catalogs.Pos) {
		if part := missingPart(api); part != "" {
			f.add(verb+api.String(), Finding{
				Subject: Subject{Bundle: b.Name.Value}, Cause: []string{verb, api.Group, api.Version, api.Kind}, Pos: firstKnown(at, b.Pos),
				Message: fmt.Sprintf("%q %s the API %q without a %s: it matches no other bundle", b.Name.Value, verb, api, part),
				Fix:     "write its group, version and kind",
			})
		}
	}
	for _, b := range newestFirst(p.Package) {
		deps := p.dependencies(b)
		var places []catalogs.Pos
		for i := range b.Properties {
			if b.Properties[i].Type.Value == catalogs.TypeGVK {
				places = append(places, b.Properties[i].Pos)
			}
		}
		for i := range deps.Provides {
			var at catalogs.Pos
			if len(places) == len(deps.Provides) {
				at = places[i]
			}
			add(b, "provides", &deps.Provides[i], at)
		}
		for _, r := range deps.Requires {
			if r.API != nil {
				add(b, "requires", r.API, r.Pos)
			}
		}
	}
	f.report("older bundle")
}

func missingPart(api *catalogs.API) string {
	switch {
	case api.Kind == "":
		return "kind"
	case api.Version == "":
		return "version"
	case api.Group == "":
		return "group"
	}
	return ""
}

// checkLabels looks for labels in metadata/dependencies.yaml.
func checkLabels(p *Pass) {
	f := newFold(p)
	for _, b := range newestFirst(p.Package) {
		folder := b.Folder()
		if folder == nil {
			continue
		}
		for _, d := range folder.Dependencies {
			if d.Type == "olm.label" {
				f.add(string(d.JSON), Finding{
					Subject: Subject{Bundle: b.Name.Value}, Cause: []string{string(d.JSON)}, Pos: d.Pos,
					Message: fmt.Sprintf("%q depends on a label, %s: opm makes it a label of the bundle, and no OLM reads it",
						b.Name.Value, d.JSON),
					Fix: "use an olm.constraint with a CEL rule, or remove it",
				})
			}
		}
	}
	f.report("older bundle")
}

// checkDependsV1 reports the newest bundle that OLM v1 does not install, for what it requires.
func checkDependsV1(p *Pass) {
	if p.Config.OLM == "v0" {
		return
	}
	bundles, heads, f := newestFirst(p.Package), p.heads(), newFold(p)
	var installs string
	if i := slices.IndexFunc(bundles, func(b *catalogs.Bundle) bool { return p.firstRequirement(b) == nil }); i >= 0 {
		installs = bundles[i].Name.Value
	}
	for _, b := range bundles {
		r := p.firstRequirement(b)
		if r == nil {
			continue
		}
		severity := Info
		if slices.Contains(heads, b) {
			severity = Warning
		}
		finding := Finding{
			Subject: Subject{Bundle: b.Name.Value}, Cause: oncePerPackage(), Pos: r.Pos, Severity: severity, Fix: dependsFix(severity, installs),
			Message: fmt.Sprintf("%q requires %s: OLM v1 does not install it, and tries no other version", b.Name.Value, r),
		}
		if severity == Warning {
			finding.setInHead()
		}
		f.add("", finding)
	}
	f.report("older bundle")
}

// firstRequirement returns the first requirement of a bundle that OLM v1 minds, or nil: labels it does not know.
func (p *Pass) firstRequirement(b *catalogs.Bundle) *catalogs.Requirement {
	if !b.MayRequire() {
		return nil
	}
	all := p.dependencies(b).Requires
	if i := slices.IndexFunc(all, func(r catalogs.Requirement) bool { return r.Label == "" }); i >= 0 {
		return &all[i]
	}
	return nil
}

// dependsFix speaks of the newest bundle that OLM v1 installs, if there is one.
func dependsFix(severity Severity, installs string) string {
	switch {
	case installs == "":
		return "ask users to install the dependencies themselves, and publish a version without the requirement"
	case severity == Warning:
		return fmt.Sprintf("the newest version that OLM v1 installs is %q: ask users to pin it, or remove the requirement", installs)
	}
	return fmt.Sprintf("newer versions, up to %q, have no requirements: ask users of OLM v1 to install one of these", installs)
}
