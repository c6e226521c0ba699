package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// crdName returns "the CRD" and its name, if it has one.
func crdName(name string) string {
	if name == "" {
		return "a CRD without a name"
	}
	return "the CRD " + name
}

// versionPath returns the path of a version of a CRD, or that of all versions.
func versionPath(c *judge.CRD, version string) string {
	if i := c.VersionIndex(version); i >= 0 {
		return fmt.Sprintf("spec.versions[%d]", i)
	}
	return "spec.versions"
}

// eachCRDUpgrade returns a Check that calls check for each CRD before and after each upgrade.
func eachCRDUpgrade(check func(p *lint.Pass, s *judge.Upgrade, old, new *judge.CRD)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		for _, s := range fewestChangesFirst(p) {
			for _, old := range p.Judge().CRDs(s.From) {
				if new := p.Judge().ReadableCRD(s.To, old.Manifest.Name); new != nil && old.Outline != nil {
					check(p, s, old, new)
				}
			}
		}
	}
}

// fewestChangesFirst returns the upgrades of a package: what several have is told of the one with the fewest other changes.
func fewestChangesFirst(p *lint.Pass) (steps []*judge.Upgrade) {
	all := p.Judge().Upgrades()
	for i := range all {
		steps = append(steps, &all[i])
	}
	slices.SortStableFunc(steps, func(a, b *judge.Upgrade) int { return versions.CompareKnown(b.From, a.From) })
	return steps
}

// releaseSuffix returns " (a patch release)" for upgrades that change nothing else than the patch version, otherwise "".
func releaseSuffix(s *judge.Upgrade) string {
	from, to := s.From.Semver(), s.To.Semver()
	if from == nil || to == nil || from.Major != to.Major || from.Minor != to.Minor || from.Major == 0 || len(from.Pre) > 0 {
		return ""
	}
	return " (a patch release)"
}

// isNightly reports whether an upgrade leads from one nightly build to another, of which nothing is guaranteed.
func isNightly(s *judge.Upgrade) bool {
	return strings.Contains(s.From.Version.Value, "nightly") && strings.Contains(s.To.Version.Value, "nightly")
}

// relatedBefore returns the position in the CRD that an upgrade replaces.
func relatedBefore(old *judge.CRD, at string) lint.Related {
	return lint.Related{Pos: old.Manifest.At(at), Message: "before"}
}

// checkExamples reports examples of the old bundle, as the old CRD stores them, that the new CRD rejects.
func checkExamples(p *lint.Pass, s *judge.Upgrade, old, new *judge.CRD) {
	if old.Manifest.Object == new.Manifest.Object || !s.V0 || narrowsIn(p, s, new.Manifest.Name) {
		return
	}
	for _, example := range p.Judge().BrokenExamples(s.From, old, new) {
		f := lint.Finding{
			Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
			From:    s.From.Name.Value,
			Cause:   append(judge.FaultCause(new, &example.Faults[0]), s.From.Name.Value, new.Manifest.Name, example.API.Version),
			Message: fmt.Sprintf("%s of example %d in %q does not match its CRD in %q: %s", example.API.Kind, example.Index+1, s.From.Name.Value, s.To.Name.Value,
				crd.Summary(example.Faults)),
			Fix: "let the new schema accept what the old one accepted, or ship it as a new version",
		}
		p.Report(f.At(new.Manifest, versionPath(new, example.API.Version)))
	}
}

// checkImmutable reports what the API server rejects in the update of a CRD.
func checkImmutable(p *lint.Pass) {
	for _, u := range contents.NewestUpgrades(p) {
		for _, r := range p.Judge().FindBetween(judge.FindRow(p.Rule.ID), u.From, u.To) {
			minor, _ := p.KubeMinor()
			if minor > 0 && slices.ContainsFunc(r.Where, func(w judge.Condition) bool { return minor < w.Minor }) {
				continue
			}
			f := contents.UpgradeFinding(u, r)
			f.Gates = lint.GateAPIServer | upgradeGates(u)
			f.Cause = append(f.Cause, u.From.Name.Value, r.Name)
			f.Message += releaseSuffix(u)
			p.Report(f)
		}
	}
}

// upgradeGates returns the gates of the OLM generations that make an upgrade.
func upgradeGates(s *judge.Upgrade) lint.Gates { return lint.OLMGates(s.V0, s.V1) }

// removedVersion is a served version of a CRD that an upgrade removes. Without manifests the kind is known instead of the CRD, and not
// whether the version was served.
type removedVersion struct {
	crd, version string // or Kind.group
	before       lint.Related
	pos          catalogs.Pos
	severity     lint.Severity
}

// checkServedRemoved reports each upgrade that removes served versions, each version once. Those that are there and not served are told by
// upgrade/owned-version-unserved.
func checkServedRemoved(p *lint.Pass) {
	var served, kinds contents.PartGroups[*judge.Upgrade, removedVersion]
	var all decisions
	for _, s := range fewestChangesFirst(p) {
		for _, r := range p.Judge().FindBetween(judge.FindRow(p.Rule.ID), s.From, s.To) {
			version, id := r.Cause[0], r.Name+" "+r.Cause[0]
			if r.Old == nil {
				if part, isNew := kinds.Add(s, id, contents.AtUpgrade(s, "")); isNew {
					*part = removedVersion{r.Name, version, lint.Related{Pos: s.From.Pos, Message: "this one has it"}, s.To.Pos, lint.Info}
				}
				continue
			}
			if p.Judge().CRD(s.To, r.Name).Has(version) {
				continue
			}
			before := decidedBefore(p, s, func(b *catalogs.Bundle) bool { return lacksVersion(p, b, r.Name, version) })
			severity := lint.Warning
			if before || r.Weight == judge.Notes || isNightly(s) {
				severity = lint.Info
			}
			all.add(id, before, func() {
				if part, isNew := served.Add(s, id, contents.AtUpgrade(s, r.Name)); isNew {
					*part = removedVersion{r.Name, version, lint.Related{Pos: r.Old.At(r.OldPath), Message: "before"}, r.Manifest.At(r.Path), severity}
				}
			})
		}
	}
	all.tellRest()
	for _, g := range served.All {
		n := len(g.Parts)
		f := versionsRemoved(g, words.Plural(n, ", which was served until then", ", which were served until then"))
		f.Message += words.Plural(n, ": its clients fail immediately", ": their clients fail immediately")
		f.Fix = "deprecate a version first, then ship it with served: false, and only then drop it"
		p.Report(f)
	}
	for _, g := range kinds.All {
		f := versionsRemoved(g, "")
		it := words.Plural(len(g.Parts), "it", "them")
		f.Message += fmt.Sprintf(": clients that use %s fail, and the upgrade is rejected where objects are stored in %[1]s", it)
		f.Fix = "give the manifests with --bundles FOLDER to check; before a version is removed, it is no longer served, then no longer stored"
		p.Report(f)
	}
}

// lacksVersion reports whether a bundle has a CRD, but not a version of it.
func lacksVersion(p *lint.Pass, b *catalogs.Bundle, crd, version string) bool {
	c := p.Judge().CRD(b, crd)
	return c != nil && c.Outline != nil && !c.Has(version)
}

// versionsRemoved returns the finding about the versions that an upgrade removes, with the first part of its message.
func versionsRemoved(g *contents.PartGroup[*judge.Upgrade, removedVersion], served string) lint.Finding {
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
		said = append(said, version+" of "+words.JoinSome(names[version], 2))
	}
	return strings.Join(said, ", ")
}
