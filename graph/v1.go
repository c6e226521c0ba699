package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Successors returns every edge out of an entry, itself left out, in the order of the channel's entries; of one target,
// replaces before skips before skipRange and only the first (OLM v1: catalogmetadata/filter legacySuccessor).
func (g *Graph) Successors(from int) []Edge {
	declared := g.Edges(from)
	var edges []Edge
	for _, to := range g.members {
		at := 0
		for at < len(declared) && declared[at].To == to {
			at++
		}
		switch {
		case to == from:
		case at > 0:
			edges = append(edges, declared[0])
		case g.covered(from, to):
			edges = append(edges, Edge{From: from, To: to, Kind: SkipRange, Where: g.Channel.Entries[to].SkipRange})
		}
		declared = declared[at:]
	}
	return edges
}

// ranking is the order in which OLM v1 prefers entries.
type ranking struct {
	deprecated []bool
	versions   []*release // nil where OLM v1 reads none
	best       []int      // the entries with bundles, best first
}

// release is a version and a release as OLM v1 orders them.
type release struct {
	version semver.Version
	release *semver.Version // as the prerelease of 0.0.0; nil is none, which is lower than any
}

func (g *Graph) ranks() *ranking { return g.ranking.get(g.rank) }

func (g *Graph) rank() *ranking {
	n := len(g.Channel.Entries)
	r := &ranking{deprecated: make([]bool, n), versions: make([]*release, n)}
	deprecated := g.deprecatedBundles()
	for i, e := range g.entries() {
		if e.Bundle != nil {
			r.deprecated[i] = deprecated[e.Name.Value]
			r.versions[i] = releaseOf(e.Bundle)
			r.best = append(r.best, i)
		}
	}
	slices.SortStableFunc(r.best, r.compare)
	return r
}

// deprecatedBundles returns the names of the bundles that the first olm.deprecations object names: OLM v1 reads no other.
func (g *Graph) deprecatedBundles() map[string]bool {
	names := map[string]bool{}
	if g.Package == nil || len(g.Package.Deprecations) == 0 {
		return names
	}
	for _, d := range g.Package.Deprecations[0].Entries {
		if d.Schema.Value == catalogs.SchemaBundle {
			names[d.Name.Value] = true
		}
	}
	return names
}

// releaseOf reads the version of a bundle. Without a release of its own, build metadata is one if it could be (OLM v1:
// NewLegacyRegistryV1VersionRelease).
func releaseOf(b *catalogs.Bundle) *release {
	v, err := semver.Parse(b.Version.Value)
	if err != nil {
		return nil
	}
	text := b.Release.Value
	if text == "" {
		text = strings.Join(v.Build, ".")
	}
	r := &release{version: v}
	if parsed, err := semver.Parse("0.0.0-" + text); err == nil && len(text) <= 20 {
		r.release = &parsed
	}
	return r
}

func (r *release) compare(s *release) int {
	switch c := r.version.Compare(s.version); {
	case c != 0:
		return c
	case r.release != nil && s.release != nil:
		return r.release.Compare(*s.release)
	case r.release != nil:
		return 1
	case s.release != nil:
		return -1
	}
	return 0
}

// compare orders the better of two entries first.
func (r *ranking) compare(a, b int) int {
	switch v, w := r.versions[a], r.versions[b]; {
	case r.deprecated[a] != r.deprecated[b]:
		return cmp.Compare(truth(r.deprecated[a]), truth(r.deprecated[b]))
	case v != nil && w != nil:
		return w.compare(v)
	default:
		return cmp.Compare(truth(v == nil), truth(w == nil))
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// NextV1 returns the edge to the successor that OLM v1 takes: the highest version, then release; deprecated ones last. It
// is false where the entry stays, since it competes with its successors, and where OLM v1 cannot read its version.
func (g *Graph) NextV1(from int) (Edge, bool) { return g.courseV1().from(from) }

func (g *Graph) courseV1() *course { return g.v1.get(g.findCourseV1) }

func (g *Graph) findCourseV1() *course {
	c, r := g.bestSuccessors(), g.ranks()
	for i, e := range c.next {
		if e.To >= 0 && (r.versions[i] == nil || r.compare(e.To, i) >= 0) {
			c.next[i] = none
		}
	}
	return c
}

// bestSuccessors leads from each entry to the best of its successors, which may be worse than the entry.
func (g *Graph) bestSuccessors() *course {
	c := newCourse(len(g.Channel.Entries))
	claims := g.newClaims(g.own(), len(g.Channel.Entries))
	for _, to := range g.ranks().best {
		claims.claim(to, func(e Edge) bool {
			if e.From == e.To {
				return false
			}
			c.next[e.From] = e
			return true
		})
	}
	return c
}

// HopsV1 is Hops for OLM v1. It never runs in a loop, because each entry is better than the one before.
func (g *Graph) HopsV1(from int) (hops, end int) {
	t := g.courseV1().trail(from)
	return t.hops, t.end
}

// ReachableV1 is Reachable for OLM v1.
func (g *Graph) ReachableV1(from int) []int { return g.courseV1().reach(from) }

// StuckV1 returns the entries that have no successor with a bundle under OLM v1 and are not the newest of the channel, in
// the order of the text. Entries whose version OLM v1 cannot read are left out.
func (g *Graph) StuckV1() []int {
	c, versions := g.bestSuccessors(), g.ranks().versions
	var newest *release
	for _, v := range versions {
		if v != nil && (newest == nil || newest.compare(v) < 0) {
			newest = v
		}
	}
	return slices.DeleteFunc(slices.Clone(g.members), func(i int) bool {
		_, ok := c.from(i)
		return ok || versions[i] == nil || versions[i].compare(newest) == 0
	})
}
