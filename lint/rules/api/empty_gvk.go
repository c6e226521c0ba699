package api

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var emptyGVK = lint.Rule{
	ID: "api/empty-gvk", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an API without a group, a version or a kind
OLM compares group, version and kind, case-sensitively. A provided API without one of them meets no requirement, and a required
API without one of them is met by no bundle.
Set group, version and kind of the API.`,
	Reference: "operator-registry alpha/property GVK",
	Check:     checkEmptyAPI,
}

// checkEmptyAPI reports provided and required APIs without a group, version or kind.
func checkEmptyAPI(p *lint.Pass) {
	f := contents.NewFindingGroups(p)
	add := func(b *catalogs.Bundle, verb string, api *catalogs.API, at catalogs.Pos) {
		if part := missingPart(api); part != "" {
			f.Add(verb+api.String(), lint.Finding{
				Subject: lint.Subject{Bundle: b.Name.Value}, Cause: []string{verb, api.Group, api.Version, api.Kind}, Pos: words.FirstKnown(at, b.Pos),
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
