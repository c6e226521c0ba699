package api

import (
	"cmp"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// reportRequirement reports a requirement that makes OLM v0 fail to resolve. The message begins with the name of the bundle.
func reportRequirement(p *lint.Pass, b *catalogs.Bundle, at catalogs.Pos, says, fix string, cause ...string) {
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value}, Cause: append([]string{b.Name.Value}, cause...), Pos: at, Fix: fix,
		Message: fmt.Sprintf("%q %s: OLM v0 resolves nothing in namespaces where the bundle is a candidate", b.Name.Value, says),
	})
}

// checkLabels reports olm.label dependencies in metadata/dependencies.yaml.
func checkLabels(p *lint.Pass) {
	f := contents.NewFindingGroups(p)
	for _, b := range contents.NewestFirst(p.Package) {
		folder := b.Folder
		if folder == nil {
			continue
		}
		for _, d := range folder.Dependencies {
			if d.Type == "olm.label" {
				f.Add(string(d.JSON), lint.Finding{
					Subject: lint.Subject{Bundle: b.Name.Value}, Cause: []string{string(d.JSON)}, Pos: d.Pos,
					Message: fmt.Sprintf("%q depends on a label, %s: opm makes it a label of the bundle, and no OLM reads it",
						b.Name.Value, d.JSON),
					Fix: "use an olm.constraint with a CEL rule, or remove it",
				})
			}
		}
	}
	f.Report("older bundle")
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

// checkEmptyAPI reports provided and required APIs without a group, version or kind.
func checkEmptyAPI(p *lint.Pass) {
	f := contents.NewFindingGroups(p)
	add := func(b *catalogs.Bundle, verb string, api *catalogs.API, at catalogs.Pos) {
		if part := missingPart(api); part != "" {
			f.Add(verb+api.String(), lint.Finding{
				Subject: lint.Subject{Bundle: b.Name.Value}, Cause: []string{verb, api.Group, api.Version, api.Kind}, Pos: catalogs.KnownPos(at, b.Pos),
				Message: fmt.Sprintf("%q %s the API %q without a %s: it matches no other bundle", b.Name.Value, verb, api, part),
				Fix:     "write its group, version and kind",
			})
		}
	}
	for _, b := range contents.NewestFirst(p.Package) {
		deps := p.Dependencies(b)
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
	f.Report("older bundle")
}

// missingPart returns the part that an API lacks, "" if none.
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
