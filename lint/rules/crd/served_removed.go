package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// removedVersions returns the versions that are in old and not in new.
func removedVersions(old, new []string) []string {
	return slices.DeleteFunc(slices.Clone(old), func(v string) bool { return slices.Contains(new, v) })
}

// removedVersion is a served version of a CRD that an upgrade removes. Without manifests the kind is known instead of the CRD, and not
// whether the version was served.
type removedVersion struct {
	crd, version string // or Kind.group
	before       lint.Related
	pos          catalogs.Pos
	severity     lint.Severity
}

// checkServedRemoved reports each upgrade that removes served versions, each version once.
func checkServedRemoved(p *lint.Pass) {
	var served, kinds contents.PartGroups[*preflight.Upgrade, removedVersion]
	var all decisions
	eachCRDUpgrade(func(p *lint.Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
		for i, v := range old.Versions {
			if !v.Served || new.Has(v.Name) {
				continue
			}
			name := new.Manifest.Name
			before := decidedBefore(p, s, func(b *catalogs.Bundle) bool { return lacksVersion(p, b, name, v.Name) })
			severity := lint.Warning
			if before || v.Deprecated || isAlpha(v.Name) || isNightly(s) { // clients are warned of a deprecated one
				severity = lint.Info
			}
			id := name + " " + v.Name
			all.add(id, before, func() {
				if r, isNew := served.Add(s, id, contents.AtUpgrade(s, name)); isNew {
					*r = removedVersion{name, v.Name, relatedBefore(old, fmt.Sprintf("spec.versions[%d]", i)), new.Manifest.At("spec.versions"), severity}
				}
			})
		}
	})(p)
	all.tellRest()
	eachKindUpgrade(p, func(s *preflight.Upgrade, kind string, old, new []string) {
		for _, v := range removedVersions(old, new) {
			if len(new) == 0 {
				break // crd/dropped
			}
			if r, isNew := kinds.Add(s, kind+" "+v, contents.AtUpgrade(s, "")); isNew {
				*r = removedVersion{kind, v, lint.Related{Pos: s.From.Pos, Message: "this one has it"}, s.To.Pos, lint.Info}
			}
		}
	})
	for _, g := range served.All {
		n := len(g.Parts)
		f := versionsRemoved(g, phrase.Plural(n, ", which was served until then", ", which were served until then"))
		f.Message += phrase.Plural(n, ": its clients fail immediately", ": their clients fail immediately")
		f.Fix = "deprecate a version first, then ship it with served: false, and only then drop it"
		p.Report(f)
	}
	for _, g := range kinds.All {
		f := versionsRemoved(g, "")
		it := phrase.Plural(len(g.Parts), "it", "them")
		f.Message += fmt.Sprintf(": clients that use %s fail, and the upgrade is rejected where objects are stored in %[1]s", it)
		f.Fix = "give the manifests with --bundles FOLDER to check; before a version is removed, it is no longer served, then no longer stored"
		p.Report(f)
	}
}

// lacksVersion reports whether a bundle has a CRD, but not a version of it.
func lacksVersion(p *lint.Pass, b *catalogs.Bundle, crd, version string) bool {
	c := p.Preflight().CRD(b, crd)
	return c != nil && c.Outline != nil && !c.Has(version)
}

// versionsRemoved returns the finding about the versions that an upgrade removes, with the first part of its message.
func versionsRemoved(g *contents.PartGroup[*preflight.Upgrade, removedVersion], served string) lint.Finding {
	s := g.Key
	f := lint.Finding{
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		From:    s.From.Name.Value, Cause: lint.OncePerPackage(), Pos: g.Parts[0].pos, Related: []lint.Related{g.Parts[0].before}, Also: g.Also,
	}
	names := map[string][]string{}
	for _, r := range g.Parts {
		f.Severity = max(f.Severity, r.severity)
		f.Faults = append(f.Faults, r.crd+"/"+r.version)
		f.Details = append(f.Details, lint.Related{Pos: r.pos, Message: r.version + " of " + r.crd})
		names[r.version] = append(names[r.version], r.crd)
	}
	f.Message = fmt.Sprintf("the upgrade from %q to %q removes %s%s%s%s", s.From.Name.Value, s.To.Name.Value, listByVersion(names), served,
		releaseSuffix(s), words.AndMore(len(g.Also), "upgrade"))
	if len(g.Parts) == 1 {
		f.Details = nil
	}
	return f
}

// listByVersion lists the CRDs of each version.
func listByVersion(names map[string][]string) string {
	var said []string
	for _, version := range words.SortedKeys(names) {
		said = append(said, version+" of "+words.Some(names[version]))
	}
	return strings.Join(said, ", ")
}
