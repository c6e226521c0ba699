package crd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// compareRejected orders upgrades: first those of users that there can be, from the newest entry, then to the oldest.
func compareRejected(a, b judge.Rejected) int {
	return cmp.Or(cmp.Compare(max(a.From.Place, graph.ForOthers), max(b.From.Place, graph.ForOthers)), versions.CompareKnown(b.From.Bundle, a.From.Bundle), versions.CompareKnown(a.To.Bundle, b.To.Bundle))
}

// lostVersion is a version in which objects may be stored, and the upgrades that are rejected because they remove it.
type lostVersion struct {
	stored       *judge.StoredVersion
	upgrade      judge.Rejected   // the one that is told
	all          []judge.Rejected // of all channels
	severity     lint.Severity
	warningGates lint.Gates
	path         string // from the entry that stores it; "" for the upgraded one itself
	migrated     bool   // unless an operator on the way removes it from status.storedVersions, which it may
}

// name returns the version and the CRD.
func (l *lostVersion) name() string { return l.stored.Version + " of " + l.stored.CRD }

// byVersion lists CRDs by the version that they lose.
func byVersion(lost []lostVersion) string {
	names := map[string][]string{}
	for i := range lost {
		v := lost[i].stored.Version
		names[v] = append(names[v], lost[i].stored.CRD)
	}
	return listByVersion(names)
}

// reportLost reports the versions that are lost in the same upgrade together, with the message for them.
func reportLost(p *lint.Pass, lost []lostVersion, message func(*judge.Rejected, []lostVersion) string) {
	type key struct {
		from, to string
		severity lint.Severity
		migrated bool
	}
	var together memo.Groups[key, lostVersion]
	for _, l := range lost {
		r := &l.upgrade
		together.Add(key{r.From.Name, r.To.Name, l.severity, l.migrated}, l)
	}
	for _, all := range together.All() {
		f := lostFinding(all)
		f.Message = message(&all[0].upgrade, all) + words.AndMore(len(f.Also), "upgrade")
		p.Report(f)
	}
}

// lostFinding returns the finding about versions that are lost in the same upgrade, without a message.
func lostFinding(lost []lostVersion) lint.Finding {
	r := &lost[0].upgrade
	f := lint.Finding{
		Severity: lost[0].severity, Gates: lint.GateAPIServer, WarningGates: lint.GateOLMv0 | lint.GateOLMv1,
		Subject: lint.Subject{Channel: r.Graph.Channel.Name.Value, Bundle: r.To.Name},
		From:    r.From.Name,
		Cause:   lint.OncePerPackage(),
	}
	var versions []string
	told := map[[2]string]bool{{r.From.Name, r.To.Name}: true}
	for i := range lost {
		l := &lost[i]
		f.Faults = append(f.Faults, l.stored.CRD+"/"+l.stored.Version)
		f.WarningGates &= l.warningGates
		to := l.stored.At(r.To)
		f.Details = append(f.Details, lint.Related{Pos: to.Manifest.At("spec.versions"), Message: cmp.Or(l.path, l.name())})
		versions = append(versions, l.stored.Version)
		for j := range l.all {
			other := &l.all[j]
			f.Gates |= lint.OLMGates(other.V0, other.V1)
			if other.Graph != r.Graph {
				f.Channel = ""
			}
			if pair := [2]string{other.From.Name, other.To.Name}; !told[pair] {
				told[pair] = true
				f.Also = append(f.Also, atEntry(other, l.stored.CRD))
			}
		}
	}
	slices.Sort(versions)
	f.Fix = lostFix(r, words.JoinSome(slices.Compact(versions), 2), lost[0].migrated)
	f = f.At(lost[0].stored.At(r.To).Manifest, "spec.versions")
	from := lost[0].stored.At(r.From)
	f.Related = []lint.Related{{Pos: from.Manifest.At(versionPath(from, from.StorageVersion())), Message: "upgraded from here"}}
	if len(lost) == 1 {
		f.CRD, f.Details = lost[0].stored.CRD, nil
	}
	return f
}

// lostFix returns the fix for versions that an upgrade removes.
func lostFix(r *judge.Rejected, versions string, migrated bool) string {
	keep := fmt.Sprintf("keep %s in %q, with served: false, until no cluster has it in status.storedVersions", versions, r.To.Name)
	if migrated {
		return keep + "; if the operator removes it there, add migratesStorage to the configuration"
	}
	return keep + ": OLM never removes it there"
}

// atEntry returns the place of another rejected upgrade: its target.
func atEntry(r *judge.Rejected, crd string) lint.Occurrence {
	at := contents.AtBundle(r.To.Bundle, crd)
	at.Channel = r.Graph.Channel.Name.Value
	return at
}

// checkStorageRemoved reports upgrades to CRDs without the storage version of the previous bundle, each version of a CRD once.
func checkStorageRemoved(p *lint.Pass) {
	var lost []lostVersion
	for _, s := range p.Judge().StoredVersions() {
		direct, _ := s.RejectedUpgrades()
		if len(direct) == 0 {
			continue
		}
		l := lostVersion{stored: s, all: direct, severity: lint.Error}
		if l.upgrade = slices.MinFunc(direct, compareRejected); l.upgrade.From.Place > graph.ForOthers {
			l.severity = lint.Warning
		}
		lost = append(lost, l)
	}
	reportLost(p, lost, func(r *judge.Rejected, lost []lostVersion) string {
		first, from, to, place := lost[0].stored, r.From.Name, r.To.Name, placeSuffix(r.From, r.Graph)
		if len(lost) == 1 {
			return fmt.Sprintf("%q%s stores the objects of %s in %s, which %q does not have: Kubernetes rejects the upgrade (\"risk of data loss\")",
				from, place, first.CRD, first.Version, to)
		}
		return fmt.Sprintf("%q%s stores the objects of %d CRDs in versions that %q does not have: Kubernetes rejects the upgrade (\"risk of data loss\"): %s",
			from, place, len(lost), to, byVersion(lost))
	})
}

// checkStoredPath reports upgrades that are rejected only for users who upgraded from an older version.
func checkStoredPath(p *lint.Pass) {
	var lost []lostVersion
	for _, s := range p.Judge().StoredVersions() {
		if l, ok := lostOnPath(p, s); ok {
			lost = append(lost, l)
		}
	}
	reportLost(p, lost, func(r *judge.Rejected, lost []lostVersion) string {
		others, unless := "", ""
		if len(lost) > 1 {
			others = ", and so " + byVersion(lost[1:])
		}
		if lost[0].migrated {
			unless = fmt.Sprintf(" unless the operator removed %s from status.storedVersions, which it may", lost[0].stored.Version)
		}
		return fmt.Sprintf("clusters that had %q installed cannot upgrade from %q to %q (\"risk of data loss\")%s: %s%s",
			r.Path[0].Name, r.From.Name, r.To.Name, unless, lost[0].path, others)
	})
}

// lostOnPath returns the upgrades that are rejected for users who upgraded from a bundle that stores a version; false if there are
// none. It is a warning if they came only along edges that no OLM follows automatically now, if an operator on the way may have removed
// the version from status.storedVersions, which the catalog does not say, if all that lack it have been replaced, or if the bundle is in no
// channel.
func lostOnPath(p *lint.Pass, s *judge.StoredVersion) (lost lostVersion, ok bool) {
	may := memo.Map[*catalogs.Bundle, bool]{}
	kept := s.IfMigratedBy(func(b *catalogs.Bundle) bool {
		return may.Get(b, func() bool { return p.Judge().MayEditStoredVersions(b, s.CRD) })
	})
	automatic, any := []judge.Route{judge.AutomaticV0, judge.AutomaticV1}, []judge.Route{judge.AnyRoute}
	for _, of := range []struct {
		stored *judge.StoredVersion
		routes []judge.Route
		last   graph.Place
	}{
		{kept, automatic, graph.ForOthers}, {s, automatic, graph.ForOthers}, {kept, any, graph.ForOthers}, {s, any, graph.ForOthers}, {kept, any, graph.Unlisted},
	} {
		if lost, ok = lostAlong(of.stored, of.routes, of.last); ok {
			lost.stored, lost.migrated, lost.severity = s, of.stored == s, lint.Warning
			if of.stored == kept && of.routes[0] != judge.AnyRoute && slices.ContainsFunc(lost.all, leadsToHead) {
				lost.severity = lint.Error
			}
			return lost, true
		}
	}
	return lost, false
}

// leadsToHead reports whether an upgrade leads to a head of its channel.
func leadsToHead(r judge.Rejected) bool {
	head := r.Graph.HeadName()
	return head == "" || head == r.To.Name
}

// lostAlong returns the upgrades that are rejected for users who came along one of the routes.
func lostAlong(s *judge.StoredVersion, routes []judge.Route, last graph.Place) (lost lostVersion, ok bool) {
	_, lost.all = s.RejectedUpgrades()
	found := map[judge.Route]bool{}
	for _, by := range routes {
		if r, ok := s.PathTo(lost.all, by, last); ok {
			if len(found) == 0 || compareRejected(r, lost.upgrade) < 0 {
				lost.upgrade = r
			}
			found[by] = true
		}
	}
	if len(found) == 0 {
		return lost, false
	}
	lost.path = storedAlong(s, &lost.upgrade)
	lost.warningGates = lint.OLMGates(!found[judge.AutomaticV0], !found[judge.AutomaticV1])
	return lost, true
}

// storedAlong describes where the storage version changes along the path, and where the version is removed.
func storedAlong(s *judge.StoredVersion, r *judge.Rejected) string {
	var said []string
	stored := ""
	for _, at := range r.Path {
		c := s.At(at)
		if c == nil || c.StorageVersion() == stored {
			continue
		}
		stored = c.StorageVersion()
		part := fmt.Sprintf("%s%s stores %s", at.Name, placeSuffix(at, r.Graph), stored)
		if stored != s.Version {
			part += ", still has " + s.Version
		}
		said = append(said, part)
	}
	return fmt.Sprintf("%s → %s drops %s of %s", strings.Join(said, " → "), r.To.Name, s.Version, s.CRD)
}

// placeSuffix says where an origin is, if that is not the channel.
func placeSuffix(o *graph.Origin, g *graph.Graph) string {
	_, listed := g.Index(o.Name)
	switch {
	case listed:
		return ""
	case o.Place == graph.InChannel:
		return fmt.Sprintf(" of channel %q", o.Channels[0])
	}
	return [...]string{graph.InBase: ", published before,", graph.ForOthers: ", for earlier OpenShift versions,", graph.Unlisted: ", in no channel,"}[o.Place]
}
