package contents

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// FindingGroups reports findings with the same key once, at the first position, with the others. An author can fix the next bundle
// only.
type FindingGroups struct {
	pass  *lint.Pass
	order []string
	byKey map[string]*lint.Finding
	had   []func() // add findings that are not new
}

// NewFindingGroups returns empty groups that report to p.
func NewFindingGroups(p *lint.Pass) *FindingGroups {
	return &FindingGroups{pass: p, byKey: map[string]*lint.Finding{}}
}

// Add adds a finding, or its place and its other faults to the first one with the same key.
func (f *FindingGroups) Add(key string, finding lint.Finding) {
	if known := f.byKey[key]; known != nil {
		known.Also = append(known.Also, lint.Occurrence{Subject: finding.Subject, Pos: finding.Pos})
		known.Faults = append(known.Faults, slices.DeleteFunc(finding.Faults, func(fault string) bool { return slices.Contains(known.Faults, fault) })...)
		return
	}
	f.byKey[key] = &finding
	f.order = append(f.order, key)
}

// AddUnlessHad adds a finding about an upgrade into a channel. If the upgrade to the head of the base does the same to its users, so that it is not
// new, it comes after those that are new, and alone it is a warning.
func (f *FindingGroups) AddUnlessHad(key, channel string, does func(head *catalogs.Bundle) bool, finding lint.Finding) {
	if !HadBefore(f.pass, channel, does) {
		f.Add(key, finding)
		return
	}
	finding.Severity = lint.Warning
	f.had = append(f.had, func() { f.Add(key, finding) })
}

// Report reports the findings. The others are counted as what, for example "older bundle".
func (f *FindingGroups) Report(what string) {
	for _, add := range f.had {
		add()
	}
	for _, key := range f.order {
		one := f.byKey[key]
		one.Message += words.AndMore(len(one.Also), what)
		f.pass.Report(*one)
	}
}

// PartGroups groups parts by what one person decides at once: the changes of a CRD by upgrade, the requirements of a bundle. A part
// that several groups have belongs to the first one.
type PartGroups[K comparable, T any] struct {
	All    []*PartGroup[K, T]
	byKey  map[K]*PartGroup[K, T]
	byPart map[string]*ownedPart[K, T]
}

// PartGroup has the parts that are told together. Also are the other groups with some of them.
type PartGroup[K comparable, T any] struct {
	Key   K
	Parts []*T
	Also  []lint.Occurrence
	last  K // of Also
}

type ownedPart[K comparable, T any] struct {
	part  *T
	owner *PartGroup[K, T]
}

// Add returns the part with an ID: that of the first group which has it, or a new one of the group with that key. If another group
// has it, here becomes one of its other places.
func (g *PartGroups[K, T]) Add(key K, id string, here lint.Occurrence) (part *T, isNew bool) {
	if known := g.byPart[id]; known != nil {
		if owner := known.owner; owner.Key != key && (len(owner.Also) == 0 || owner.last != key) {
			owner.Also, owner.last = append(owner.Also, here), key
		}
		return known.part, false
	}
	if g.byKey == nil {
		g.byKey, g.byPart = map[K]*PartGroup[K, T]{}, map[string]*ownedPart[K, T]{}
	}
	group := g.byKey[key]
	if group == nil {
		group = &PartGroup[K, T]{Key: key}
		g.byKey[key] = group
		g.All = append(g.All, group)
	}
	part = new(T)
	group.Parts = append(group.Parts, part)
	g.byPart[id] = &ownedPart[K, T]{part, group}
	return part, true
}

// AtUpgrade returns another place of what an upgrade does: its target, and optionally a CRD in it.
func AtUpgrade(s *judge.Upgrade, crd string) lint.Occurrence {
	at := AtBundle(s.To, crd)
	at.Channel = s.Channel
	return at
}

// AddedFirst orders bundles for findings that are told at the first of several: those that the base does not have, which the change decides,
// then the newest. A base of nil has none of the package.
func AddedFirst(base *catalogs.Package, a, b *catalogs.Bundle) int {
	switch oldA, oldB := hasBundle(base, a), hasBundle(base, b); {
	case oldA == oldB:
		return versions.CompareKnown(b, a)
	case oldA:
		return 1
	}
	return -1
}

// hasBundle reports whether a package, which may be nil, has a bundle of that name.
func hasBundle(p *catalogs.Package, b *catalogs.Bundle) bool {
	return p != nil && b != nil && p.Bundle(b.Name.Value) != nil
}
