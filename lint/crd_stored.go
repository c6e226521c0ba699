package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
)

// checkStorageRemoved reports upgrades to a CRD without the version that the one before stores.
func checkStorageRemoved(p *Pass) {
	for _, s := range p.Preflight().StoredVersions() {
		var all []preflight.Rejected
		for _, c := range p.Package.Channels {
			direct, _ := s.Rejected(p.Graph(c))
			all = append(all, direct...)
		}
		if len(all) == 0 {
			continue
		}
		r := slices.MinFunc(all, compareRejected)
		p.reportRejected(s, &r, all, Finding{Severity: Error, Message: fmt.Sprintf(
			"%q stores the objects of %s in %s, which %q does not have: Kubernetes refuses the upgrade (\"risk of data loss\")",
			r.Graph.Name(r.From), s.CRD, s.Version, r.Graph.Name(r.To))})
	}
}

// checkStoredPath reports upgrades that only those cannot make who came from an older version.
func checkStoredPath(p *Pass) {
	for _, s := range p.Preflight().StoredVersions() {
		found := map[preflight.Route][]preflight.Rejected{}
		var all []preflight.Rejected
		for _, c := range p.Package.Channels {
			g := p.Graph(c)
			_, carried := s.Rejected(g)
			for _, by := range []preflight.Route{preflight.AutomaticV0, preflight.AutomaticV1, preflight.AnyRoute} {
				if r, ok := s.PathTo(g, carried, by); ok {
					found[by] = append(found[by], r)
				}
			}
			all = append(all, carried...)
		}
		p.reportPath(s, found, all)
	}
}

func (p *Pass) reportPath(s *preflight.StoredVersion, found map[preflight.Route][]preflight.Rejected, all []preflight.Rejected) {
	paths, severity := slices.Concat(found[preflight.AutomaticV0], found[preflight.AutomaticV1]), Error
	if len(paths) == 0 {
		paths, severity = found[preflight.AnyRoute], Warning
	}
	if len(paths) == 0 {
		return
	}
	r := slices.MinFunc(paths, compareRejected)
	p.reportRejected(s, &r, all, Finding{
		Severity: severity,
		Harmless: gatesOf(len(found[preflight.AutomaticV0]) == 0, len(found[preflight.AutomaticV1]) == 0),
		Message: fmt.Sprintf("users who came from %q cannot upgrade from %q to %q (\"risk of data loss\"): %s",
			r.Graph.Name(r.Path[0].From), r.Graph.Name(r.From), r.Graph.Name(r.To), storedAlong(s, &r)),
	})
}

// storedAlong says what is stored where along the path, and where the version goes. Of a long path the middle is left out.
func storedAlong(s *preflight.StoredVersion, r *preflight.Rejected) string {
	entries := []int{r.Path[0].From}
	for _, e := range r.Path {
		entries = append(entries, e.To)
	}
	var said []string
	stored := ""
	for i, at := range entries {
		c := s.At(r.Graph, at)
		if c == nil || i > 0 && i < len(entries)-1 && c.StorageVersion() == stored {
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

// compareRejected orders the upgrade that spans least first: from the newest entry, to the oldest one.
func compareRejected(a, b preflight.Rejected) int {
	from := func(r *preflight.Rejected) *catalogs.Bundle { return r.Graph.Channel.Entries[r.From].Bundle }
	to := func(r *preflight.Rejected) *catalogs.Bundle { return r.Graph.Channel.Entries[r.To].Bundle }
	return cmp.Or(compareKnown(from(&b), from(&a)), compareKnown(to(&a), to(&b)))
}

// reportRejected reports one of all the upgrades that lose the version. What f leaves empty is filled in.
func (p *Pass) reportRejected(s *preflight.StoredVersion, r *preflight.Rejected, all []preflight.Rejected, f Finding) {
	from, to := s.At(r.Graph, r.From), s.At(r.Graph, r.To)
	pairs := map[[2]string]bool{}
	f.Channel, f.Gates = r.Graph.Channel.Name.Value, GateAPIServer
	for i := range all {
		pairs[[2]string{all[i].Graph.Name(all[i].From), all[i].Graph.Name(all[i].To)}] = true
		f.Gates |= gatesOf(all[i].V0, all[i].V1)
		if all[i].Graph != r.Graph {
			f.Channel = ""
		}
	}
	f.Bundle, f.CRD = r.Graph.Name(r.To), s.CRD
	f.Cause = []string{s.CRD, s.Version}
	f.Pos = to.Manifest.At("spec.versions")
	f.Message += andMore(len(pairs)-1, "upgrade")
	f.Fix = fmt.Sprintf("keep %s in %q, with served: false, until no cluster has it in status.storedVersions: OLM never removes it there",
		s.Version, f.Bundle)
	f.Related = []Related{{Pos: from.Manifest.At(versionPath(from, from.StorageVersion())), Message: "upgraded from here"}}
	p.Report(f)
}
