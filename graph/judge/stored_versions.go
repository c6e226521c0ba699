package judge

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// StoredVersion follows a version of a CRD, in which objects may be stored, through the channels of a package. Kubernetes adds each
// version in which objects were stored to status.storedVersions, and neither Kubernetes nor OLM removes one. So a cluster that was
// upgraded from a bundle that stores a version keeps that version until its objects are migrated, and rejects a CRD without it.
type StoredVersion struct {
	CRD, Version string
	pkg          *Package
	migrates     func(*catalogs.Bundle) bool // see IfMigratedBy; may be nil
}

// Rejected is an upgrade to a CRD that does not have the version any more.
type Rejected struct {
	graph.Upgrade
	Graph *graph.Graph
	// Path leads to From, from an entry that stores the version; it is empty if From does.
	Path []graph.Edge
}

// StoredVersions returns each version of a CRD that some bundle of the package stores and another one does not have.
func (p *Package) StoredVersions() []*StoredVersion { return p.stored() }

func (p *Package) storedVersions() []*StoredVersion {
	type key struct{ crd, version string }
	stored := map[key]bool{}
	var keys []key
	for _, b := range p.pkg.Bundles {
		for _, c := range p.CRDs(b) {
			if c.Outline == nil {
				continue
			}
			if k := (key{c.Manifest.Name, c.StorageVersion()}); k.version != "" && !stored[k] {
				stored[k] = true
				keys = append(keys, k)
			}
		}
	}
	lacking := map[key]bool{}
	for _, b := range p.pkg.Bundles {
		for _, k := range keys {
			if c := p.ReadableCRD(b, k.crd); c != nil && !c.Has(k.version) {
				lacking[k] = true
			}
		}
	}
	var all []*StoredVersion
	for _, k := range keys {
		if lacking[k] {
			all = append(all, &StoredVersion{CRD: k.crd, Version: k.version, pkg: p})
		}
	}
	return all
}

// IfMigratedBy returns s as it is if the operators of certain bundles, which store objects in another version, remove this one from
// status.storedVersions.
func (s *StoredVersion) IfMigratedBy(migrates func(*catalogs.Bundle) bool) *StoredVersion {
	return &StoredVersion{CRD: s.CRD, Version: s.Version, pkg: s.pkg, migrates: migrates}
}

// At returns the CRD of an entry's bundle, or nil if there is none that can be read.
func (s *StoredVersion) At(g *graph.Graph, i int) *CRD {
	if b := g.Channel.Entries[i].Bundle; b != nil {
		return s.pkg.ReadableCRD(b, s.CRD)
	}
	return nil
}

func (s *StoredVersion) storedBy(g *graph.Graph, i int) bool {
	c := s.At(g, i)
	return c != nil && c.StorageVersion() == s.Version
}

// storedAfter reports whether objects stay stored in the version after an upgrade to an entry: not if Kubernetes rejects its CRD,
// or the operator migrates objects from that version on. A bundle without the CRD leaves the one on the cluster.
func (s *StoredVersion) storedAfter(g *graph.Graph, i int) bool {
	c := s.At(g, i)
	return (c == nil || c.Has(s.Version)) && !s.migratedBy(g, i)
}

// keptAlong reports whether objects that are stored in the version still are after an upgrade: Kubernetes must not reject it,
// neither for this version nor for the storage version before.
func (s *StoredVersion) keptAlong(g *graph.Graph, e graph.Edge) bool {
	from, to := s.At(g, e.From), s.At(g, e.To)
	return s.storedAfter(g, e.To) && (from == nil || to == nil || to.Has(from.StorageVersion()))
}

func (s *StoredVersion) migratedBy(g *graph.Graph, i int) bool {
	if c := s.At(g, i); s.migrates != nil && c != nil && c.StorageVersion() != s.Version && s.migrates(g.Channel.Entries[i].Bundle) {
		return true
	}
	since, v := s.pkg.options.MigratesSince, g.Version(i)
	return since != nil && v != nil && v.GE(*since)
}

// Rejected returns the upgrades of a channel to a CRD without the version: direct are those from an entry that stores it, carried
// those from an entry that only has it, which are rejected for users who were upgraded from an older entry.
func (s *StoredVersion) Rejected(g *graph.Graph) (direct, carried []Rejected) {
	for u := range g.Upgrades() {
		from, to := s.At(g, u.From), s.At(g, u.To)
		if from == nil || to == nil || to.Has(s.Version) {
			continue
		}
		u, ok := s.pkg.available(u, g.Channel.Entries[u.From].Bundle, g.Channel.Entries[u.To].Bundle)
		switch {
		case !ok:
		case from.StorageVersion() == s.Version:
			direct = append(direct, Rejected{Upgrade: u, Graph: g})
		case from.Has(s.Version) && !s.migratedBy(g, u.From):
			carried = append(carried, Rejected{Upgrade: u, Graph: g})
		}
	}
	return direct, carried
}

// Route selects the edges along which users may have been upgraded.
type Route int

// The routes.
const (
	AutomaticV0 Route = iota // those that OLM v0 takes automatically now
	AutomaticV1              // those that OLM v1 takes automatically now
	AnyRoute                 // all: each was the automatic one when its target was the head
)

func (r Route) follows(g *graph.Graph, e graph.Edge) bool {
	switch r {
	case AutomaticV0:
		next, ok := g.Next(e.From)
		return ok && next.To == e.To
	case AutomaticV1:
		next, ok := g.NextV1(e.From)
		return ok && next.To == e.To
	}
	return true
}

func (r Route) includes(u graph.Upgrade) bool {
	return r == AnyRoute || r == AutomaticV0 && u.V0 || r == AutomaticV1 && u.V1
}

// PathTo returns the shortest path by which users of a channel can have reached the start of one of the carried upgrades with the
// version stored, and that upgrade; false if there is none.
func (s *StoredVersion) PathTo(g *graph.Graph, carried []Rejected, by Route) (Rejected, bool) {
	var ends []int
	for _, r := range carried {
		if by.includes(r.Upgrade) {
			ends = append(ends, r.From)
		}
	}
	path, ok := g.ShortestPathInto(ends, func(i int) bool { return s.storedBy(g, i) }, func(e graph.Edge) bool {
		return by.follows(g, e) && s.keptAlong(g, e) && (s.storedAfter(g, e.From) || s.storedBy(g, e.From))
	})
	if !ok {
		return Rejected{}, false
	}
	end := path[len(path)-1].To
	i := slices.IndexFunc(carried, func(r Rejected) bool { return r.From == end && by.includes(r.Upgrade) })
	found := carried[i]
	found.Path = path
	return found, true
}
