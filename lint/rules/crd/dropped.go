package crd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// droppedCRD is a CRD, or without manifests a kind, that an upgrade removes.
type droppedCRD struct {
	name    string // of the CRD, or of the kind
	kind    string // Kind.group, by which a catalog without manifests has the same fault
	before  lint.Related
	instead string // a new CRD of the same kind
	decided bool   // before the target of the upgrade
}

type droppedGroup = contents.PartGroup[*judge.Upgrade, droppedCRD]

// checkDropped reports each upgrade that removes CRDs, each CRD once.
func checkDropped(p *lint.Pass) {
	var crds, kinds contents.PartGroups[*judge.Upgrade, droppedCRD]
	var all decisions
	steps := p.Judge().Upgrades()
	for i := range steps {
		s := &steps[i]
		if !s.To.HasManifests() {
			continue // its CRDs are not known
		}
		for _, old := range p.Judge().CRDs(s.From) {
			name := old.Manifest.Name
			if p.Judge().CRD(s.To, name) != nil {
				continue
			}
			before := decidedBefore(p, s, func(b *catalogs.Bundle) bool { return b.HasManifests() && p.Judge().CRD(b, name) == nil })
			all.add(name, before, func() {
				if d, isNew := crds.Add(s, name, contents.AtUpgrade(s, name)); isNew {
					*d = droppedCRD{name, kindOf(old), relatedBefore(old, ""), sameKind(old, p.Judge().CRDs(s.To)), before}
				}
			})
		}
	}
	all.tellRest()
	all = decisions{}
	eachKindUpgrade(p, func(s *judge.Upgrade, kind string, _, new []string) {
		if len(new) > 0 {
			return
		}
		before := decidedBefore(p, s, func(b *catalogs.Bundle) bool {
			kinds := cachedProvided(p, b)
			return len(kinds) > 0 && len(kinds[kind]) == 0
		})
		all.add(kind, before, func() {
			if d, isNew := kinds.Add(s, kind, contents.AtUpgrade(s, "")); isNew {
				*d = droppedCRD{name: kind, kind: kind, before: lint.Related{Pos: s.From.Pos, Message: "this one does"}, decided: before}
			}
		})
	})
	all.tellRest()
	for _, g := range crds.All {
		reportDropped(p, g, "contains", phrase.Plural(len(g.Parts), "the CRD ", "the CRDs "), "has")
	}
	for _, g := range kinds.All {
		reportDropped(p, g, "provides", "", "does")
	}
}

// reportDropped reports what an upgrade removes. If the operator creates CRDs, it probably creates these too; without manifests that is not
// known.
func reportDropped(p *lint.Pass, g *droppedGroup, contains, what, has string) {
	s := g.Key
	f := lint.Finding{
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		Cause:   lint.OncePerPackage(),
		From:    s.From.Name.Value,
		Pos:     s.To.Pos,
		Fix:     "keep the CRD, or document before the upgrade what to do with the objects",
		Related: []lint.Related{g.Parts[0].before},
		Also:    g.Also,
	}
	var names []string
	instead := ""
	for _, d := range g.Parts {
		names, f.Faults = append(names, d.name), append(f.Faults, d.kind)
		detail := d.name
		if d.instead != "" {
			detail += ": " + d.instead
			instead = cmp.Or(instead, fmt.Sprintf(" (%s)", d.instead))
		}
		f.Details = append(f.Details, lint.Related{Pos: d.before.Pos, Message: detail})
	}
	it, their, them := "this one", "its", "the CRD"
	if len(names) > 1 {
		it, their, them = "these", "their", "their CRDs"
	}
	if len(g.Parts) == 1 {
		f.Details = nil
	} else {
		instead = "" // the details say it
	}
	f.Message = fmt.Sprintf("%q no longer %s %s%s, which %q %s", s.To.Name.Value, contains, what, words.Some(names), s.From.Name.Value, has)
	if isNightly(s) || !slices.ContainsFunc(g.Parts, func(d *droppedCRD) bool { return !d.decided }) {
		f.Severity = lint.Info
	}
	switch {
	case mayCreateCRDs(p, s.To):
		f.Severity = lint.Info
		f.Message += fmt.Sprintf(", but may create CRDs and probably creates %s: otherwise", it)
	case what == "":
		f.Message += fmt.Sprintf(": unless the operator creates %s,", them)
	default:
		f.Message += ":"
	}
	f.Message += fmt.Sprintf(" OLM v0 leaves %s objects without an operator, OLM v1 deletes them%s%s", their, instead, words.AndMore(len(g.Also), "upgrade"))
	p.Report(f)
}

// mayCreateCRDs reports whether the permissions of an operator let it create CRDs. Rules with resourceNames do not allow create
// (Kubernetes: RBAC).
func mayCreateCRDs(p *lint.Pass, b *catalogs.Bundle) bool {
	return allowsOnCRDs(p, b, func(r *csv.PolicyRule) bool {
		return words.AnyOf(r.Resources, "customresourcedefinitions", "*") && words.AnyOf(r.Verbs, "create", "*") && len(r.ResourceNames) == 0
	})
}

// mayEditStoredVersions reports whether the permissions of an operator name what it needs to remove a version from status.storedVersions
// of a CRD: customresourcedefinitions/status (Kubernetes: apiextensions-apiserver). Those for all resources do not say that it does.
func mayEditStoredVersions(p *lint.Pass, b *catalogs.Bundle, crd string) bool {
	return allowsOnCRDs(p, b, func(r *csv.PolicyRule) bool {
		return words.AnyOf(r.Resources, "customresourcedefinitions/status") && words.AnyOf(r.Verbs, "update", "patch", "*") &&
			(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, crd))
	})
}

// allowsOnCRDs reports whether a rule on CRDs in the permissions of an operator is as wanted. CRDs are cluster-scoped, so that namespaced
// permissions count only if the operator watches all namespaces (OLM: ensureSingletonRBAC).
func allowsOnCRDs(p *lint.Pass, b *catalogs.Bundle, wanted func(*csv.PolicyRule) bool) bool {
	c := &contents.Contents{Bundle: b, Pass: p, CSV: p.Judge().CSV(b)}
	for _, o := range c.Pass.Judge().ObjectsWithRules(c.Bundle) {
		if o.Manifest.Kind != csv.Kind || !o.ClusterWide && !slices.Contains(c.CSV.InstallModes(), csv.AllNamespaces) {
			continue
		}
		for i := range o.Rules {
			if r := &o.Rules[i]; words.AnyOf(r.APIGroups, "apiextensions.k8s.io", "*") && wanted(r) {
				return true
			}
		}
	}
	return false
}

// decidedBefore reports whether a bundle between those of an upgrade lacks already what the upgrade removes.
func decidedBefore(p *lint.Pass, s *judge.Upgrade, lacks func(*catalogs.Bundle) bool) bool {
	return slices.ContainsFunc(p.Judge().Between(s.From, s.To), lacks)
}

// decisions orders what upgrades do: what their targets decide comes before what a bundle between had decided before, which is left out if
// another upgrade does the same because its target decides it.
type decisions struct {
	told   map[string]bool
	before []decision
}

type decision struct {
	id   string
	tell func()
}

// add tells what the target of an upgrade decides, and keeps what was decided before.
func (d *decisions) add(id string, before bool, tell func()) {
	if before {
		d.before = append(d.before, decision{id, tell})
		return
	}
	if d.told == nil {
		d.told = map[string]bool{}
	}
	d.told[id] = true
	tell()
}

// tellRest tells what was decided before, and nothing else tells.
func (d *decisions) tellRest() {
	for _, one := range d.before {
		if !d.told[one.id] {
			one.tell()
		}
	}
}

// kindOf returns the kind of a CRD as catalogs without manifests name it, Kind.group; the name of a CRD that could not be read.
func kindOf(c *judge.CRD) string {
	if c.Outline == nil {
		return c.Manifest.Name
	}
	return c.Kind + "." + c.Group
}

// sameKind names a new CRD of the same kind, "" if there is none.
func sameKind(old *judge.CRD, after []*judge.CRD) string {
	for _, c := range after {
		if c.Outline != nil && old.Outline != nil && c.Kind == old.Kind {
			return fmt.Sprintf("%s is new, of the same kind: the objects are not migrated", c.Manifest.Name)
		}
	}
	return ""
}

// provided has the versions of the kinds that a bundle provides, by Kind.group: from olm.gvk if the catalog has no manifests
// (operator-registry: all versions of an owned CRD, served or not).
type provided map[string][]string

// providedBy returns the kinds that a bundle provides.
func providedBy(deps *catalogs.Dependencies) provided {
	kinds := provided{}
	for _, api := range deps.Provides {
		key := api.Kind + "." + api.Group
		kinds[key] = append(kinds[key], api.Version)
	}
	return kinds
}

// providedKinds caches the provided kinds of bundles.
type providedKinds struct {
	memo.Map[*catalogs.Bundle, provided]
}

// cachedProvided returns providedBy for a bundle, computed once for all rules.
func cachedProvided(p *lint.Pass, b *catalogs.Bundle) provided {
	return lint.Shared[providedKinds](p).Get(b, func() provided { return providedBy(p.Dependencies(b)) })
}

func (k provided) sorted() []string {
	var all []string
	for kind := range k {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

// eachKindUpgrade calls do for each kind that the old bundle of an upgrade provides, if one of the bundles has no manifests.
func eachKindUpgrade(p *lint.Pass, do func(s *judge.Upgrade, kind string, old, new []string)) {
	steps := p.Judge().Upgrades()
	for i := range steps {
		s := &steps[i]
		if s.From.HasManifests() && s.To.HasManifests() {
			continue
		}
		before, after := cachedProvided(p, s.From), cachedProvided(p, s.To)
		if len(after) == 0 {
			continue // its kinds are not known
		}
		for _, kind := range before.sorted() {
			do(s, kind, before[kind], after[kind])
		}
	}
}
