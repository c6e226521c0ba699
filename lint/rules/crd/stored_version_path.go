package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
)

var storedVersionPath = lint.Rule{
	ID: "crd/stored-version-path", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
	Doc: `an upgrade fails for users who came from an older version
Kubernetes adds each version that was ever stored to status.storedVersions and removes none; neither does OLM. A cluster that once
had a bundle that stores v1alpha1 keeps v1alpha1 there, also after upgrades to bundles that store v1 and still have v1alpha1,
until the objects are migrated and the status is edited. The CRD that drops v1alpha1 is then rejected, although each upgrade alone
looks safe. It is a warning if users came only along edges that no OLM follows automatically now, or if the permissions of an operator
on the way name customresourcedefinitions/status, so that it can remove the version there.
Keep the version, with served: false, until no cluster can have it. If the operator migrates its objects itself from some version
on, add it to migratesStorage in the configuration.`,
	Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; Kubernetes: versions in CustomResourceDefinitions",
	Check:     checkStoredPath,
}

// checkStoredPath reports upgrades that are rejected only for users who upgraded from an older version.
func checkStoredPath(p *lint.Pass) {
	var lost []lostVersion
	for _, s := range p.Preflight().StoredVersions() {
		if l, ok := lostOnPath(p, s); ok {
			lost = append(lost, l)
		}
	}
	reportLost(p, lost, func(r *preflight.Rejected, lost []lostVersion) string {
		others, unless := "", ""
		if len(lost) > 1 {
			others = ", and so " + byVersion(lost[1:])
		}
		if lost[0].migrated {
			unless = fmt.Sprintf(" unless the operator removed %s from status.storedVersions, which it may", lost[0].stored.Version)
		}
		return fmt.Sprintf("users who came from %q cannot upgrade from %q to %q (\"risk of data loss\")%s: %s%s",
			r.Graph.Name(r.Path[0].From), r.Graph.Name(r.From), r.Graph.Name(r.To), unless, lost[0].path, others)
	})
}

// lostOnPath returns the upgrades that are rejected for users who upgraded from an entry that stores a version; false if there are
// none. It is a warning if they came only along edges that no OLM follows automatically now, or if an operator on the way may have removed
// the version from status.storedVersions: the catalog does not say whether it does.
func lostOnPath(p *lint.Pass, s *preflight.StoredVersion) (lost lostVersion, ok bool) {
	may := memo.Map[*catalogs.Bundle, bool]{}
	kept := s.IfMigratedBy(func(b *catalogs.Bundle) bool {
		return may.Get(b, func() bool { return mayEditStoredVersions(p, b, s.CRD) })
	})
	for _, of := range []struct {
		stored *preflight.StoredVersion
		routes []preflight.Route
	}{
		{kept, []preflight.Route{preflight.AutomaticV0, preflight.AutomaticV1}},
		{s, []preflight.Route{preflight.AutomaticV0, preflight.AutomaticV1}},
		{kept, []preflight.Route{preflight.AnyRoute}},
		{s, []preflight.Route{preflight.AnyRoute}},
	} {
		if lost, ok = lostAlong(p, of.stored, of.routes); ok {
			lost.stored, lost.migrated, lost.severity = s, of.stored == s, lint.Warning
			if of.stored == kept && of.routes[0] != preflight.AnyRoute {
				lost.severity = lint.Error
			}
			return lost, true
		}
	}
	return lost, false
}

// lostAlong returns the upgrades that are rejected for users who came along one of the routes.
func lostAlong(p *lint.Pass, s *preflight.StoredVersion, routes []preflight.Route) (lost lostVersion, ok bool) {
	found := map[preflight.Route][]preflight.Rejected{}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		_, carried := s.Rejected(g)
		for _, by := range routes {
			if r, ok := s.PathTo(g, carried, by); ok {
				found[by] = append(found[by], r)
			}
		}
		lost.all = append(lost.all, carried...)
	}
	var paths []preflight.Rejected
	for _, by := range routes {
		paths = append(paths, found[by]...)
	}
	if len(paths) == 0 {
		return lost, false
	}
	lost.upgrade = slices.MinFunc(paths, compareRejected)
	lost.path = storedAlong(s, &lost.upgrade)
	lost.warningGates = lint.OLMGates(len(found[preflight.AutomaticV0]) == 0, len(found[preflight.AutomaticV1]) == 0)
	return lost, true
}

// storedAlong describes where the storage version changes along the path, and where the version is removed.
func storedAlong(s *preflight.StoredVersion, r *preflight.Rejected) string {
	entries := []int{r.Path[0].From}
	for _, e := range r.Path {
		entries = append(entries, e.To)
	}
	var said []string
	stored := ""
	for _, at := range entries {
		c := s.At(r.Graph, at)
		if c == nil || c.StorageVersion() == stored {
			continue
		}
		stored = c.StorageVersion()
		part := fmt.Sprintf("%s stores %s", r.Graph.Name(at), stored)
		if stored != s.Version {
			part += ", still has " + s.Version
		}
		said = append(said, part)
	}
	return fmt.Sprintf("%s → %s drops %s of %s", strings.Join(said, " → "), r.Graph.Name(r.To), s.Version, s.CRD)
}
