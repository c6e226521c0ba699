package crd

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var v1beta1 = lint.Rule{
	ID: "crd/v1beta1", Severity: lint.Warning, Gates: lint.GateAPIServer,
	Doc: `a CRD in v1beta1
Kubernetes 1.22 (OpenShift 4.9) and later do not serve apiextensions.k8s.io/v1beta1: a bundle with such a CRD cannot be installed
there. It is an error if the catalog is known to be for such a cluster and the bundle is a head. Bundles for OpenShift 4.8 and older alone
are not told.
Convert the CRD to apiextensions.k8s.io/v1: every version needs a structural schema.`,
	Reference: "Kubernetes deprecated API migration guide, v1.22",
	Check:     checkV1beta1,
}

// checkV1beta1 reports the CRDs that newer clusters reject, once for a package. Heads come first, even if there are newer bundles.
func checkV1beta1(p *lint.Pass) {
	heads := contents.Heads(p)
	isHead := func(b *catalogs.Bundle) bool { return slices.Contains(heads, b) }
	others := slices.DeleteFunc(contents.NewestFirst(p.Package), isHead)
	minor, _ := p.KubeMinor()
	var names []string
	own := 0 // CRDs of the first bundle
	f := lint.Finding{Cause: lint.OncePerPackage(), Fix: "convert it to apiextensions.k8s.io/v1"}
	for _, b := range slices.Concat(heads, others) {
		all := slices.DeleteFunc(p.Preflight().CRDManifests(b), func(m *bundled.Manifest) bool {
			return m.APIVersion != crd.V1beta1 || onlyBefore(p, b, lastV1beta1)
		})
		for _, m := range all {
			if isHead(b) && !slices.Contains(f.Faults, "head/"+m.Name) {
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
			if isHead(b) && minor >= 22 {
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
		if folder.SupportsOpenShift(minor.String()) {
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
	crds := "CRDs " + words.Some(names[:own])
	if own == 1 {
		crds = crdName(names[0])
	}
	return fmt.Sprintf("%q contains %s in v1beta1, which Kubernetes 1.22 (OpenShift 4.9) and later reject%s", f.Bundle, crds, others)
}
