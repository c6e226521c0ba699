package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// invalidCRD is a CRD of a bundle.
type invalidCRD struct {
	bundle *catalogs.Bundle
	own    *judge.CRD
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
	isHead := contents.HeadSet(p)
	if !p.Judge().MayHaveNewFaults(contents.Heads(p), contents.PublishedHeads(p)) {
		return
	}
	for _, b := range contents.NewestFirst(p) {
		for _, m := range p.Judge().CRDManifests(b) {
			own, faults, err := p.Judge().Faults(m)
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
				f.inHead = f.inHead || isHead[b]
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
		fault := strings.Join(judge.FaultCause(own, &part.Fault), "/")
		if f.Faults = append(f.Faults, fault); part.inHead {
			f.Faults = append(f.Faults, "head/"+fault)
		}
		f.Details = append(f.Details, lint.Related{Pos: catalogs.KnownPos(own.Manifest.At(part.Path), b.Pos), Message: part.String()})
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
		Pos:     catalogs.KnownPos(m.At(""), b.Pos),
		Message: fmt.Sprintf("%q contains %s, which is not checked: %v", b.Name.Value, crdName(m.Name), err),
		Fix:     "test it on a cluster, or make it smaller",
	}
}

// checkV1beta1 reports the CRDs that newer clusters reject, once for a package. Heads come first, even if there are newer bundles.
func checkV1beta1(p *lint.Pass) {
	isHead := contents.HeadSet(p)
	minor, _ := p.KubeMinor()
	var names []string
	own := 0 // CRDs of the first bundle
	f := lint.Finding{Cause: lint.OncePerPackage(), Fix: "convert it to apiextensions.k8s.io/v1"}
	for _, b := range find.Distinct(slices.Concat(contents.Heads(p), contents.NewestFirst(p))) {
		all := slices.DeleteFunc(p.Judge().CRDManifests(b), func(m *bundled.Manifest) bool {
			return m.APIVersion != crd.V1beta1 || onlyBefore(p, b, lastV1beta1)
		})
		for _, m := range all {
			if isHead[b] && !slices.Contains(f.Faults, "head/"+m.Name) {
				f.Faults = append(f.Faults, "head/"+m.Name)
			}
			if !slices.Contains(names, m.Name) {
				names, f.Faults = append(names, m.Name), append(f.Faults, m.Name)
				f.Details = append(f.Details, lint.Related{Pos: m.At("apiVersion"), Message: fmt.Sprintf("%s, in %q", crdName(m.Name), b.Name.Value)})
			}
		}
		switch {
		case len(all) == 0:
		case f.Bundle != "":
			f.Also = append(f.Also, contents.AtBundle(b, ""))
		default:
			f.Bundle, own = b.Name.Value, len(names)
			if isHead[b] && minor >= 22 {
				f.Severity = lint.Error
			}
		}
	}
	if f.Bundle == "" {
		return
	}
	f.Pos, f.Message = f.Details[0].Pos, v1beta1Message(&f, names, own)
	if len(names) == 1 {
		f.CRD, f.Details = names[0], nil
	}
	p.Report(f)
}

// lastV1beta1 is the last OpenShift 4 that serves CRDs in v1beta1.
const lastV1beta1 = 8

// onlyBefore reports whether a bundle supports no OpenShift after 4.last: by its annotation com.redhat.openshift.versions or its
// olm.maxOpenShiftVersion.
func onlyBefore(p *lint.Pass, b *catalogs.Bundle, last plan.Minor) bool {
	if limit, err := plan.ParseMaxOpenShift(p.Dependencies(b).MaxOpenShift.Value); err == nil && limit <= last {
		return true
	}
	folder := b.Folder
	if folder == nil {
		return false
	}
	const lastOf4 = 22 // OpenShift 5.0 follows it
	for minor := last + 1; minor <= lastOf4; minor++ {
		if folder.AnnotationSelects(minor.String()) {
			return false
		}
	}
	return true
}

// v1beta1Message names the CRDs of the bundle of a finding, which come first, and counts the others.
func v1beta1Message(f *lint.Finding, names []string, own int) string {
	others := words.AndMore(len(f.Also), "other bundle")
	if more := len(names) - own; more > 0 {
		others = fmt.Sprintf(" (and %s in %s)", words.Plural(more, "one more CRD", fmt.Sprintf("%d more CRDs", more)),
			words.Plural(len(f.Also), "another bundle", fmt.Sprintf("%d other bundles", len(f.Also))))
	}
	crds := "CRDs " + words.JoinSome(names[:own], 2)
	if own == 1 {
		crds = crdName(names[0])
	}
	return fmt.Sprintf("%q contains %s in v1beta1, which Kubernetes 1.22 (OpenShift 4.9) and later reject%s", f.Bundle, crds, others)
}
