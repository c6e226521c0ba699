package judge

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// StoredVersion follows a version of a CRD, in which objects may be stored, from all that users of a package may have. Kubernetes adds each
// version in which objects were stored to status.storedVersions, and neither Kubernetes nor OLM removes one. So a cluster that was
// upgraded from a bundle that stores a version keeps that version until its objects are migrated, and rejects a CRD without it.
type StoredVersion struct {
	CRD, Version string
	pkg          *Package
	migrates     func(*catalogs.Bundle) bool // see IfMigratedBy; may be nil
}

// Rejected is an upgrade to a CRD that does not have the version any more.
type Rejected struct {
	From, To *graph.Origin
	Graph    *graph.Graph // of the channel
	V0, V1   bool         // see graph.Upgrade
	// Path is how users came to From, from the one that stores the version: at least From.
	Path []*graph.Origin

	from int // in Origins
}

// StoredVersions returns each version of a CRD that some bundle stores which users may have, and a bundle in a channel does not have.
func (p *Package) StoredVersions() []*StoredVersion { return p.stored() }

func (p *Package) storedVersions() []*StoredVersion {
	return slices.DeleteFunc(p.storageVersions(), func(s *StoredVersion) bool {
		for i, o := range p.origins().All {
			if o.Place == graph.InChannel && s.lackedBy(i) {
				return false
			}
		}
		return true
	})
}

// storageVersions returns each version of a CRD that some bundle stores which users may have.
func (p *Package) storageVersions() []*StoredVersion {
	var all []*StoredVersion
	for _, o := range p.origins().All {
		if o.Bundle == nil {
			continue
		}
		for _, c := range p.CRDs(o.Bundle) {
			if c.Outline != nil && c.StorageVersion() != "" {
				all = append(all, &StoredVersion{CRD: c.Manifest.Name, Version: c.StorageVersion(), pkg: p})
			}
		}
	}
	slices.SortFunc(all, func(a, b *StoredVersion) int {
		return cmp.Or(cmp.Compare(a.CRD, b.CRD), cmp.Compare(a.Version, b.Version))
	})
	return slices.CompactFunc(all, func(a, b *StoredVersion) bool { return a.CRD == b.CRD && a.Version == b.Version })
}

// IfMigratedBy returns s as it is if the operators of certain bundles, which store objects in another version, remove this one from
// status.storedVersions.
func (s *StoredVersion) IfMigratedBy(migrates func(*catalogs.Bundle) bool) *StoredVersion {
	return &StoredVersion{CRD: s.CRD, Version: s.Version, pkg: s.pkg, migrates: migrates}
}

// At returns the CRD of an origin, or nil if there is none that can be read.
func (s *StoredVersion) At(o *graph.Origin) *CRD {
	if o.Bundle == nil {
		return nil
	}
	return s.pkg.ReadableCRD(o.Bundle, s.CRD)
}

func (s *StoredVersion) originCRD(i int) *CRD { return s.At(&s.pkg.origins().All[i]) }

func (s *StoredVersion) lackedBy(i int) bool {
	c := s.originCRD(i)
	return c != nil && !c.Has(s.Version)
}

func (s *StoredVersion) storedBy(i int) bool {
	c := s.originCRD(i)
	return c != nil && c.StorageVersion() == s.Version
}

// storedAfter reports whether objects stay stored in the version after an upgrade to a bundle: not if Kubernetes rejects its CRD,
// or the operator migrates objects from that version on. A bundle without the CRD leaves the one on the cluster.
func (s *StoredVersion) storedAfter(i int) bool {
	c := s.originCRD(i)
	return (c == nil || c.Has(s.Version)) && !s.migratedBy(i)
}

// keptAlong reports whether objects that are stored in the version still are after an upgrade: Kubernetes must not reject it,
// neither for this version nor for the storage version before.
func (s *StoredVersion) keptAlong(e graph.Edge) bool {
	from, to := s.originCRD(e.From), s.originCRD(e.To)
	return s.storedAfter(e.To) && (from == nil || to == nil || to.Has(from.StorageVersion()))
}

func (s *StoredVersion) migratedBy(i int) bool {
	o := &s.pkg.origins().All[i]
	if c := s.At(o); s.migrates != nil && c != nil && c.StorageVersion() != s.Version && s.migrates(o.Bundle) {
		return true
	}
	since, v := s.pkg.options.MigratesSince, graph.ParseVersion(o.Version)
	return since != nil && v != nil && v.GE(*since)
}

// RejectedUpgrades returns the upgrades to a CRD without the version: direct are those from a bundle that stores it, carried those from one that
// only has it, which are rejected for users who were upgraded from an older one.
func (s *StoredVersion) RejectedUpgrades() (direct, carried []Rejected) {
	o := s.pkg.origins()
	o.Upgrades(o.Graphs, s.lackedBy, func(g *graph.Graph, u graph.Upgrade) {
		from, to := &o.All[u.From], &o.All[u.To]
		c := s.At(from)
		if c == nil || !c.Has(s.Version) {
			return
		}
		u, ok := s.pkg.restrictOLM(u, from.Bundle, to.Bundle)
		r := Rejected{From: from, To: to, Graph: g, V0: u.V0, V1: u.V1, Path: []*graph.Origin{from}, from: u.From}
		switch {
		case !ok:
		case c.StorageVersion() == s.Version:
			direct = append(direct, r)
		case !s.migratedBy(u.From):
			carried = append(carried, r)
		}
	})
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

func (r Route) includes(u *Rejected) bool {
	return r == AnyRoute || r == AutomaticV0 && u.V0 || r == AutomaticV1 && u.V1
}

// PathTo returns the shortest path by which users can have reached the start of one of the carried upgrades with the version stored, from
// an origin that is known from one of the places up to the last, and that upgrade; false if there is none.
func (s *StoredVersion) PathTo(carried []Rejected, by Route, last graph.Place) (Rejected, bool) {
	var ends []int
	for i := range carried {
		if by.includes(&carried[i]) {
			ends = append(ends, carried[i].from)
		}
	}
	path, ok := s.pathInto(ends, by, last)
	if !ok {
		return Rejected{}, false
	}
	i := slices.IndexFunc(carried, func(r Rejected) bool { return r.From == path[len(path)-1] && by.includes(&r) })
	found := carried[i]
	found.Path = path
	return found, true
}

// pathInto returns the shortest path to one of the ends from another origin that stores the version.
func (s *StoredVersion) pathInto(ends []int, by Route, last graph.Place) ([]*graph.Origin, bool) {
	o := s.pkg.origins()
	if len(ends) == 0 {
		return nil, false
	}
	path, ok := o.ShortestPathInto(ends, func(i int) bool { return o.All[i].Place <= last && s.storedBy(i) }, func(e graph.Edge) bool {
		return (by == AnyRoute || o.Automatic(e, graph.Generation(by))) && s.keptAlong(e) && (s.storedAfter(e.From) || s.storedBy(e.From))
	})
	if !ok {
		return nil, false
	}
	return append([]*graph.Origin{&o.All[path[0].From]}, words.Map(path, func(e graph.Edge) *graph.Origin { return &o.All[e.To] })...), true
}

// StoredBefore is a version of a CRD that may still be in status.storedVersions on a cluster with a bundle that does not store it.
type StoredBefore struct {
	Version string
	// Path is how users can have come to the bundle: from the one that stores the version.
	Path []*graph.Origin
}

// StoredBefore returns the versions of a CRD that were stored before users came to a bundle, and that some bundle in a channel does not have.
func (p *Package) StoredBefore(bundle, crd string) []StoredBefore {
	var all []StoredBefore
	at, known := p.origins().Index(bundle)
	for _, s := range p.StoredVersions() {
		if !known || s.CRD != crd || s.storedBy(at) {
			continue
		}
		for _, by := range []Route{AutomaticV0, AutomaticV1, AnyRoute} {
			if path, ok := s.pathInto([]int{at}, by, graph.ForOthers); ok {
				all = append(all, StoredBefore{s.Version, path})
				break
			}
		}
	}
	return all
}
