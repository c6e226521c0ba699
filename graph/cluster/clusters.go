package cluster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/blang/semver/v4"
)

// Named is the report of a cluster with its name.
type Named struct {
	Name string
	*Report
}

// Comparison is the operators of several clusters beside each other.
type Comparison struct {
	Clusters []Named
	Packages []Package // by name
}

// Package is a package, or what is installed without one, in several clusters.
type Package struct {
	Name string
	// Operators and Extensions are indices in the report of each cluster.
	Operators, Extensions [][]int
	// Versions are the bundles that are installed by their versions, the newest first, with the clusters that have them as indices.
	Versions []Installed
	Behind   []int // the clusters where a version is older than in another one
}

// Installed is a version that is installed, or the name of a bundle without one.
type Installed struct {
	Version  string
	Clusters []int
}

// Compare compares the operators of clusters.
func Compare(clusters []Named) *Comparison {
	all := map[string]*Package{}
	of := func(name string) *Package {
		if all[name] == nil {
			all[name] = &Package{Name: name, Operators: make([][]int, len(clusters)), Extensions: make([][]int, len(clusters))}
		}
		return all[name]
	}
	for c := range clusters {
		for i := range clusters[c].Operators {
			o := &clusters[c].Operators[i]
			p := of(cmp.Or(o.Package, o.Installed.Name))
			p.Operators[c] = append(p.Operators[c], i)
			p.add(o.Installed, c)
		}
		for i := range clusters[c].Extensions {
			e := &clusters[c].Extensions[i]
			p := of(e.Package)
			p.Extensions[c] = append(p.Extensions[c], i)
			p.add(e.Installed, c)
		}
	}
	out := &Comparison{Clusters: clusters}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		all[name].sort()
		out.Packages = append(out.Packages, *all[name])
	}
	return out
}

// add adds what a cluster has installed.
func (p *Package) add(b Bundle, c int) {
	if b.Name == "" {
		return
	}
	version := b.String()
	i := slices.IndexFunc(p.Versions, func(v Installed) bool { return v.Version == version })
	if i < 0 {
		i, p.Versions = len(p.Versions), append(p.Versions, Installed{Version: version})
	}
	if !slices.Contains(p.Versions[i].Clusters, c) {
		p.Versions[i].Clusters = append(p.Versions[i].Clusters, c)
	}
}

// sort sorts the versions, and finds the clusters that are behind. What has no version is last, and not behind.
func (p *Package) sort() {
	parsed := func(v Installed) semver.Version {
		version, _ := semver.Parse(v.Version) // 0.0.0 if it is none
		return version
	}
	slices.SortStableFunc(p.Versions, func(a, b Installed) int {
		return cmp.Or(parsed(b).Compare(parsed(a)), cmp.Compare(a.Version, b.Version))
	})
	for _, v := range p.Versions {
		if version := parsed(v); version.GT(semver.Version{}) && version.LT(parsed(p.Versions[0])) {
			p.Behind = append(p.Behind, v.Clusters...)
		}
	}
	slices.Sort(p.Behind)
	p.Behind = slices.Compact(p.Behind)
}

// Blocked reports whether anybody has to act in one of the clusters.
func (c *Comparison) Blocked() bool {
	return slices.ContainsFunc(c.Clusters, func(n Named) bool { return n.Blocked() })
}

// Undecided reports whether a limit of olmgraph left a question open in one of the clusters.
func (c *Comparison) Undecided() bool {
	return slices.ContainsFunc(c.Clusters, func(n Named) bool { return n.Undecided() })
}
