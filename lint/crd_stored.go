package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// storage follows a version of a CRD, in which users may have objects stored, through the channels of a package. Kubernetes
// adds each version that was ever stored to status.storedVersions and takes none away; neither does OLM. So whoever came from
// a bundle that stores a version has it, until somebody migrates the objects, and no CRD may be without it.
type storage struct {
	pass    *Pass
	crd     string
	version string
}

// lost is an upgrade to a CRD that has not the version any more.
type lost struct {
	graph.Upgrade
	graph *graph.Graph
	way   []graph.Edge // into From, from an entry that stores the version; empty if From does
	mild  Gates        // the OLMs whose users came along edges only that it does not follow by itself any more
}

// eachStored calls do for each version that some bundle of the package stores and another one has not.
func eachStored(p *Pass, do func(s *storage)) {
	type key struct{ crd, version string }
	stores, lacks := map[key]bool{}, map[key]bool{}
	var keys []key
	for _, b := range p.Package.Bundles {
		for _, c := range p.CRDs(b) {
			if c.Outline == nil {
				continue
			}
			if k := (key{c.Manifest.Name, c.StorageVersion()}); k.version != "" && !stores[k] {
				stores[k] = true
				keys = append(keys, k)
			}
		}
	}
	for _, b := range p.Package.Bundles {
		for _, k := range keys {
			if c := p.CRD(b, k.crd); c != nil && !c.has(k.version) {
				lacks[k] = true
			}
		}
	}
	for _, k := range keys {
		if lacks[k] {
			do(&storage{pass: p, crd: k.crd, version: k.version})
		}
	}
}

// has reports whether a CRD has a version, served or not: that is enough for what is stored in it.
func (c *ownCRD) has(version string) bool { return versionOf(c.Outline, version) >= 0 }

// at returns the CRD of an entry's bundle, or nil if it brings none.
func (s *storage) at(g *graph.Graph, i int) *ownCRD {
	if b := g.Channel.Entries[i].Bundle; b != nil {
		return s.pass.CRD(b, s.crd)
	}
	return nil
}

func (s *storage) stores(g *graph.Graph, i int) bool {
	c := s.at(g, i)
	return c != nil && c.StorageVersion() == s.version
}

// passes reports whether objects stay stored in the version through an upgrade to an entry: not if Kubernetes refuses its
// CRD, nor if the operator migrates them from that version on. A bundle without the CRD leaves it on the cluster.
func (s *storage) passes(g *graph.Graph, i int) bool {
	c := s.at(g, i)
	return (c == nil || c.has(s.version)) && !s.migrates(g, i)
}

// carries reports whether objects that are stored in the version still are after an upgrade: it has to be one that Kubernetes
// does not refuse, be it for this version or for the one that is stored before.
func (s *storage) carries(g *graph.Graph, e graph.Edge) bool {
	from, to := s.at(g, e.From), s.at(g, e.To)
	return s.passes(g, e.To) && (from == nil || to == nil || to.has(from.StorageVersion()))
}

func (s *storage) migrates(g *graph.Graph, i int) bool {
	since, ok := s.pass.Config.MigratesStorage[s.pass.Package.Name.Value]
	v := g.Version(i)
	return ok && v != nil && v.GE(since)
}

// refused returns the upgrades of a channel to a CRD without the version.
func (s *storage) refused(g *graph.Graph) (direct, carried []lost) {
	for u := range g.Upgrades() {
		from, to := s.at(g, u.From), s.at(g, u.To)
		if from == nil || to == nil || to.has(s.version) {
			continue
		}
		u, judged := s.pass.judged(u, g.Channel.Entries[u.From].Bundle, g.Channel.Entries[u.To].Bundle)
		switch {
		case !judged:
		case from.StorageVersion() == s.version:
			direct = append(direct, lost{Upgrade: u, graph: g})
		case from.has(s.version) && !s.migrates(g, u.From):
			carried = append(carried, lost{Upgrade: u, graph: g})
		}
	}
	return direct, carried
}

// taken says along which edges users came.
type taken int

const (
	byV0     taken = iota // what OLM v0 does by itself now
	byV1                  // what OLM v1 does by itself now
	byAnyone              // any edge: each was the automatic one when its target was the head
)

func (t taken) follows(g *graph.Graph, e graph.Edge) bool {
	switch t {
	case byV0:
		next, ok := g.Next(e.From)
		return ok && next.To == e.To
	case byV1:
		next, ok := g.NextV1(e.From)
		return ok && next.To == e.To
	}
	return true
}

func (t taken) makes(u graph.Upgrade) bool {
	return t == byAnyone || t == byV0 && u.V0 || t == byV1 && u.V1
}

// wayIn returns how a user of a channel can have come to where one of the upgrades begins, with the version stored.
func (s *storage) wayIn(g *graph.Graph, carried []lost, by taken) (lost, bool) {
	var ends []int
	for _, l := range carried {
		if by.makes(l.Upgrade) {
			ends = append(ends, l.From)
		}
	}
	way, ok := g.ShortestPathInto(ends, func(i int) bool { return s.stores(g, i) }, func(e graph.Edge) bool {
		return by.follows(g, e) && s.carries(g, e) && (s.passes(g, e.From) || s.stores(g, e.From))
	})
	if !ok {
		return lost{}, false
	}
	end := way[len(way)-1].To
	i := slices.IndexFunc(carried, func(l lost) bool { return l.From == end && by.makes(l.Upgrade) })
	carried[i].way = way
	return carried[i], true
}

// checkStorageRemoved reports upgrades to a CRD without the version that the one before stores.
func checkStorageRemoved(p *Pass) {
	eachStored(p, func(s *storage) {
		var all []lost
		for _, c := range p.Package.Channels {
			direct, _ := s.refused(p.Graph(c))
			all = append(all, direct...)
		}
		if len(all) == 0 {
			return
		}
		l := slices.MinFunc(all, compareLost)
		s.report(&l, all, Error, fmt.Sprintf("%q stores the objects of %s in %s, which %q has not: Kubernetes refuses the upgrade (\"risk of data loss\")",
			l.name(l.From), s.crd, s.version, l.name(l.To)))
	})
}

// checkStoredPath reports upgrades that only those cannot make who came from an older version.
func checkStoredPath(p *Pass) {
	eachStored(p, func(s *storage) {
		found := map[taken][]lost{}
		var all []lost
		for _, c := range p.Package.Channels {
			g := p.Graph(c)
			_, carried := s.refused(g)
			for _, by := range []taken{byV0, byV1, byAnyone} {
				if l, ok := s.wayIn(g, carried, by); ok {
					found[by] = append(found[by], l)
				}
			}
			all = append(all, carried...)
		}
		s.reportPath(found, all)
	})
}

func (s *storage) reportPath(found map[taken][]lost, all []lost) {
	ways, severity := slices.Concat(found[byV0], found[byV1]), Error
	if len(ways) == 0 {
		ways, severity = found[byAnyone], Warning
	}
	if len(ways) == 0 {
		return
	}
	l := slices.MinFunc(ways, compareLost)
	l.mild = gatesOf(len(found[byV0]) == 0, len(found[byV1]) == 0)
	s.report(&l, all, severity, fmt.Sprintf("whoever came from %q is refused at the upgrade from %q to %q (\"risk of data loss\"): %s",
		l.name(l.way[0].From), l.name(l.From), l.name(l.To), s.story(&l)))
}

// story tells the way: what is stored where, and where the version goes. Of a long way the middle is left out.
func (s *storage) story(l *lost) string {
	stations := []int{l.way[0].From}
	for _, e := range l.way {
		stations = append(stations, e.To)
	}
	var said []string
	stored := ""
	for i, at := range stations {
		c := s.at(l.graph, at)
		if c == nil || i > 0 && i < len(stations)-1 && c.StorageVersion() == stored {
			continue
		}
		stored = c.StorageVersion()
		part := fmt.Sprintf("%s stores %s", l.name(at), stored)
		if stored != s.version {
			part += ", still has " + s.version
		}
		said = append(said, part)
	}
	return fmt.Sprintf("%s → %s drops %s of %s", strings.Join(said, " → "), l.name(l.To), s.version, s.crd)
}

func (l *lost) name(i int) string { return l.graph.Name(i) }

func (l *lost) bundle(i int) *catalogs.Bundle { return l.graph.Channel.Entries[i].Bundle }

// compareLost orders the upgrade that spans least first: from the newest entry, to the oldest one.
func compareLost(a, b lost) int {
	return cmp.Or(compareKnown(b.bundle(b.From), a.bundle(a.From)), compareKnown(a.bundle(a.To), b.bundle(b.To)))
}

// report reports one of all the upgrades that lose the version.
func (s *storage) report(l *lost, all []lost, severity Severity, message string) {
	from, to := s.at(l.graph, l.From), s.at(l.graph, l.To)
	pairs := map[[2]string]bool{}
	channel, gates := l.graph.Channel.Name.Value, GateAPIServer
	for i := range all {
		pairs[[2]string{all[i].name(all[i].From), all[i].name(all[i].To)}] = true
		gates |= gatesOf(all[i].V0, all[i].V1)
		if all[i].graph != l.graph {
			channel = ""
		}
	}
	s.pass.Report(Finding{
		Severity: severity, Gates: gates, Mild: l.mild,
		Subject: Subject{Channel: channel, Bundle: l.name(l.To), CRD: s.crd},
		Cause:   []string{s.crd, s.version},
		Pos:     to.At("spec.versions"),
		Message: message + andMore(len(pairs)-1, "upgrade"),
		Cure: fmt.Sprintf("keep %s in %q, with served: false, until nobody has it in status.storedVersions: OLM never takes it out there",
			s.version, l.name(l.To)),
		Related: []Related{{Pos: from.At(versionPath(from, from.StorageVersion())), Message: "what is upgraded"}},
	})
}
