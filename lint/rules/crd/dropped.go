package crd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
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

type droppedGroups = contents.PartGroups[*judge.Upgrade, droppedCRD]

type droppedGroup = contents.PartGroup[*judge.Upgrade, droppedCRD]

// checkDropped reports each upgrade that removes CRDs, each CRD once.
func checkDropped(p *lint.Pass) {
	var crds, kinds droppedGroups
	var all decisions
	steps := p.Judge().Upgrades()
	for i := range steps {
		s := &steps[i]
		for _, r := range p.Judge().FindBetween(judge.FindRow(p.Rule.ID), s.From, s.To) {
			d, groups := droppedCRD{name: r.Name, kind: r.Faults[0], before: lint.Related{Pos: s.From.Pos, Message: "this one does"}}, &kinds
			lacks := func(b *catalogs.Bundle) bool {
				provided := p.Judge().Provides(b)
				return len(provided) > 0 && len(provided[r.Name]) == 0
			}
			if old := p.Judge().CRD(s.From, r.Name); r.Old != nil {
				d.before, d.instead, groups = relatedBefore(old, ""), sameKind(old, p.Judge().CRDs(s.To)), &crds
				lacks = func(b *catalogs.Bundle) bool { return b.HasManifests() && p.Judge().CRD(b, r.Name) == nil }
			}
			d.decided = decidedBefore(p, s, lacks)
			all.add(r.Kind+d.name, d.decided, func() {
				if part, isNew := groups.Add(s, d.name, contents.AtUpgrade(s, d.name)); isNew {
					*part = d
				}
			})
		}
	}
	all.tellRest()
	for _, g := range crds.All {
		reportDropped(p, g, "contains", words.Plural(len(g.Parts), "the CRD ", "the CRDs "), "has")
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
	f.Message = fmt.Sprintf("%q no longer %s %s%s, which %q %s", s.To.Name.Value, contains, what, words.JoinSome(names, 2), s.From.Name.Value, has)
	if isNightly(s) || !slices.ContainsFunc(g.Parts, func(d *droppedCRD) bool { return !d.decided }) {
		f.Severity = lint.Info
	}
	mayCreate := p.Judge().MayCreateCRDs(s.To)
	if mayCreate {
		f.Severity = lint.Info
	}
	switch {
	case mayCreate && p.Judge().ProbablyCreates(s.From, s.To):
		f.Message += fmt.Sprintf(", but may create CRDs and probably creates %s: otherwise", it)
	case mayCreate && what != "":
		f.Message += fmt.Sprintf(": unless the operator creates %s,", words.Plural(len(names), "it", "them"))
	case what == "":
		f.Message += fmt.Sprintf(": unless the operator creates %s,", them)
	default:
		f.Message += ":"
	}
	f.Message += fmt.Sprintf(" OLM v0 leaves %s objects without an operator, OLM v1 deletes them%s%s", their, instead, words.AndMore(len(g.Also), "upgrade"))
	p.Report(f)
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

// sameKind names a new CRD of the same kind, "" if there is none.
func sameKind(old *judge.CRD, after []*judge.CRD) string {
	for _, c := range after {
		if c.Outline != nil && old.Outline != nil && c.Kind == old.Kind {
			return fmt.Sprintf("%s is new, of the same kind: the objects are not migrated", c.Manifest.Name)
		}
	}
	return ""
}
