package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var invalid = lint.Rule{
	ID: "crd/invalid", Severity: lint.Error, Gates: lint.GateAPIServer,
	Doc: `a CRD that the API server rejects
The API server validates a CustomResourceDefinition when it is created: names, versions, and the schema of each version with its
defaults and rules. A CRD that it rejects cannot be installed, and OLM fails the whole bundle. If schemas exceed the limits of
olmgraph, an info says that they are not checked.
Correct the field in the manifest of the next bundle.`,
	Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinition",
	Check:     checkInvalid,
	Asks:      preflight.CheckFaults,
}

// invalidCRD is a CRD of a bundle.
type invalidCRD struct {
	bundle *catalogs.Bundle
	own    *preflight.CRD
}

// crdKey identifies a CRD of a bundle. Two manifests can have the same name.
type crdKey struct {
	bundle *catalogs.Bundle
	object *bundled.Object
}

// crdFault is a fault of a CRD. inHead is set if a head has it.
type crdFault struct {
	crd.Fault
	in     invalidCRD
	inHead bool
}

// checkInvalid reports why the API server rejects a CRD, each fault once for all bundles, and which CRDs were not checked.
func checkInvalid(p *lint.Pass) {
	var faulty contents.PartGroups[crdKey, crdFault]
	unchecked := contents.NewFindingGroups(p)
	heads := contents.Heads(p)
	if !p.Preflight().MayHaveNewFaults(heads, contents.PublishedHeads(p)) {
		return
	}
	for _, b := range contents.NewestFirst(p.Package) {
		for _, m := range p.Preflight().CRDManifests(b) {
			own, faults, err := p.Preflight().Faults(m)
			switch {
			case crd.IsUnchecked(own.Err):
				err = own.Err
			case own.Err != nil:
				faults = append(faults, crd.Fault{Message: own.Err.Error()})
			}
			for i := range faults {
				id := fmt.Sprintf("%s %s %t", m.Name, faults[i], own.Err == nil)
				f, isNew := faulty.Add(crdKey{b, m.Object}, id, contents.AtBundle(b, m.Name))
				if isNew {
					f.Fault, f.in = faults[i], invalidCRD{b, own}
				}
				f.inHead = f.inHead || slices.Contains(heads, b)
			}
			if err != nil {
				unchecked.Add(m.Name+err.Error(), notChecked(b, m, err))
			}
		}
	}
	for _, g := range faulty.All {
		p.Report(invalidFinding(g))
	}
	unchecked.Report("older bundle")
}

// invalidFinding returns the finding about the faults of a CRD.
func invalidFinding(g *contents.PartGroup[crdKey, crdFault]) lint.Finding {
	parts := slices.Clone(g.Parts)
	slices.SortStableFunc(parts, func(a, b *crdFault) int { return len(a.Path) - len(b.Path) })
	first := parts[0]
	b, own := first.in.bundle, first.in.own
	f := lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value, CRD: own.Manifest.Name},
		Cause:   []string{own.Manifest.Name},
		Pos:     b.Pos,
		Fix:     "correct the field in the next bundle",
		Also:    g.Also,
	}
	for _, part := range parts {
		fault := strings.Join(causeOf(own, &part.Fault), "/")
		if f.Faults = append(f.Faults, fault); part.inHead {
			f.Faults = append(f.Faults, "head/"+fault)
		}
		f.Details = append(f.Details, lint.Related{Pos: words.FirstKnown(own.Manifest.At(part.Path), b.Pos), Message: part.String()})
	}
	says := "which Kubernetes rejects: "
	if own.Err != nil {
		says = "which cannot be used: "
	}
	f.Message = fmt.Sprintf("%q contains %s, %s%s", b.Name.Value, crdName(own.Manifest.Name), says, first)
	if n := len(parts); n > 1 {
		f.Message += fmt.Sprintf(", and %s", words.Plural(n-1, "one more fault", fmt.Sprintf("%d more faults", n-1)))
	} else {
		f.Details = nil
	}
	f.Message += words.AndMore(len(g.Also), "older bundle")
	return f.At(own.Manifest, first.Path)
}

// notChecked returns the finding that a CRD was not checked.
func notChecked(b *catalogs.Bundle, m *bundled.Manifest, err error) lint.Finding {
	return lint.Finding{
		Severity: lint.Info, Gates: lint.GateAdvice,
		Subject: lint.Subject{Bundle: b.Name.Value, CRD: m.Name},
		Cause:   []string{m.Kind, m.Name},
		Pos:     words.FirstKnown(m.At(""), b.Pos),
		Message: fmt.Sprintf("%q contains %s, which is not checked: %v", b.Name.Value, crdName(m.Name), err),
		Fix:     "test it on a cluster, or make it smaller",
	}
}
