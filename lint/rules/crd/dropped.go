package crd

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var droppedRule = lint.Rule{
	ID: "crd/dropped", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an upgrade removes a CRD
OLM v0 keeps the CRD and its objects, without an operator for them. OLM v1 deletes the CRD, and with it all objects of its kind.
If another package ships the CRD from now on, its owner has to be changed by hand. It is an info if the operator's own role allows
it to create CRDs: it probably creates this one.
Keep the CRD, or document before the upgrade what to do with the objects.`,
	Reference: "OLM install plans never delete CRDs; operator-controller deletes what a revision lacks",
	Check:     checkDropped,
}

// kindDropped returns the finding that a kind is no longer provided.
func kindDropped(s *preflight.Upgrade, kind string) lint.Finding {
	return lint.Finding{
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		Cause:   []string{kind},
		Pos:     s.To.Pos,
		Message: fmt.Sprintf("%q no longer provides %s, which %q does: OLM v0 leaves its objects without an operator, OLM v1 deletes them",
			s.To.Name.Value, kind, s.From.Name.Value),
		Fix:     "keep the CRD, or document before the upgrade what to do with the objects",
		Related: []lint.Related{{Pos: s.From.Pos, Message: "this one does"}},
	}
}

// checkDropped reports each CRD that an upgrade removes, once.
func checkDropped(p *lint.Pass) {
	f := contents.NewFindingGroups(p)
	steps := p.Preflight().Upgrades()
	for i := range steps {
		s := &steps[i]
		if !s.To.HasManifests() {
			continue // its CRDs are not known
		}
		after := p.Preflight().CRDs(s.To)
		for _, old := range p.Preflight().CRDs(s.From) {
			name := old.Manifest.Name
			if p.Preflight().CRD(s.To, name) != nil {
				continue
			}
			finding := crdDropped(s, old, sameKind(old, after))
			if mayCreateCRDs(p, s.To) {
				finding.Severity = lint.Info
				finding.Message = fmt.Sprintf("%q no longer contains the CRD %s, which %q has, but may create CRDs and probably creates this one: "+
					"otherwise OLM v0 leaves its objects without an operator; OLM v1 deletes them%s",
					s.To.Name.Value, name, s.From.Name.Value, sameKind(old, after))
			}
			f.Add(fmt.Sprint(name, finding.Severity), finding)
		}
	}
	eachKindUpgrade(p, func(s *preflight.Upgrade, kind string, _, new []string) {
		if len(new) == 0 {
			f.Add(kind, kindDropped(s, kind))
		}
	})
	f.Report("upgrade")
}

// crdDropped returns the finding that a bundle no longer contains a CRD.
func crdDropped(s *preflight.Upgrade, old *preflight.CRD, instead string) lint.Finding {
	return lint.Finding{
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: old.Manifest.Name},
		Cause:   []string{old.Manifest.Name},
		Pos:     s.To.Pos,
		Message: fmt.Sprintf("%q no longer contains the CRD %s, which %q has: OLM v0 leaves its objects without an operator, OLM v1 deletes them%s",
			s.To.Name.Value, old.Manifest.Name, s.From.Name.Value, instead),
		Fix:     "keep the CRD, or document before the upgrade what to do with the objects",
		Related: []lint.Related{relatedBefore(old, "")},
	}
}

// mayCreateCRDs reports whether the permissions of an operator let it create CRDs. CRDs are cluster-scoped, so that namespaced
// permissions count only if the operator watches all namespaces (OLM: ensureSingletonRBAC). Rules with resourceNames do not allow
// create (Kubernetes: RBAC).
func mayCreateCRDs(p *lint.Pass, b *catalogs.Bundle) bool {
	c := &contents.Contents{Bundle: b, Pass: p, CSV: p.Preflight().CSV(b)}
	for _, o := range c.ObjectsWithRules() {
		if o.Manifest.Kind != csv.Kind || !o.ClusterWide && !slices.Contains(c.CSV.InstallModes(), csv.AllNamespaces) {
			continue
		}
		creates := func(r csv.PolicyRule) bool {
			return words.AnyOf(r.APIGroups, "apiextensions.k8s.io", "*") && words.AnyOf(r.Resources, "customresourcedefinitions", "*") &&
				words.AnyOf(r.Verbs, "create", "*") && len(r.ResourceNames) == 0
		}
		if slices.ContainsFunc(o.Rules, creates) {
			return true
		}
	}
	return false
}

// sameKind names a new CRD of the same kind, "" if there is none.
func sameKind(old *preflight.CRD, after []*preflight.CRD) string {
	for _, c := range after {
		if c.Outline != nil && old.Outline != nil && c.Kind == old.Kind {
			return fmt.Sprintf(" (%s is new, of the same kind: the objects are not migrated)", c.Manifest.Name)
		}
	}
	return ""
}
