package cluster

import (
	"cmp"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// Named is the report of one of several clusters, with its name.
type Named struct {
	Name string `json:"name"`
	*Report
}

// Package is a package of several clusters, or what is installed without one.
type Package struct {
	Name     string   `json:"package"`
	Versions []string `json:"versions"` // that are installed, the newest first; of a bundle without a version its name
	Behind   []string `json:"behind"`   // the clusters that have an older version than another one
}

// Combine returns the report of several clusters: its operators, ClusterExtensions and decisions are those of all, with their clusters, while what
// else is known of a cluster is in its own report.
func Combine(clusters []Named) *Report {
	r := &Report{Clusters: clusters}
	for _, c := range clusters {
		for _, o := range c.Operators {
			o.Cluster, o.Decisions = c.Name, slices.Clone(o.Decisions)
			for i := range o.Decisions {
				o.Decisions[i] += len(r.Decisions)
			}
			r.Operators = append(r.Operators, o)
		}
		for _, e := range c.Extensions {
			e.Cluster = c.Name
			r.Extensions = append(r.Extensions, e)
		}
		for _, d := range c.Decisions {
			d.Cluster = c.Name
			r.Decisions = append(r.Decisions, d)
		}
	}
	r.packages()
	r.Blocked = r.isBlocked()
	return r
}

// Rows returns the operators, and after them the ClusterExtensions in the form of operators.
func (r *Report) Rows() []Operator {
	all := slices.Clone(r.Operators)
	for i := range r.Extensions {
		e := &r.Extensions[i]
		o := Operator{Cluster: e.Cluster, Package: e.Package, Installed: e.Installed, Next: e.Next, Last: e.Next}
		switch {
		case e.IsBlocked():
			o.State = Blocked
		case e.Choice == nil:
			o.State = Unknown
		case e.Next.Name != "":
			o.State = Upgrades
		}
		all = append(all, o)
	}
	return all
}

// packages compares the versions of each package.
func (r *Report) packages() {
	var all memo.Groups[string, Operator]
	for _, o := range r.Rows() {
		all.Add(o.Name(), o)
	}
	version := func(o Operator) semver.Version {
		v, _ := semver.Parse(o.Installed.Version) // 0.0.0 if it has none
		return v
	}
	for name, has := range all.All() {
		p := Package{Name: name}
		slices.SortStableFunc(has, func(a, b Operator) int {
			return cmp.Or(version(b).Compare(version(a)), cmp.Compare(a.Installed.Name, b.Installed.Name))
		})
		for _, o := range has {
			p.Versions = appendNew(p.Versions, o.Installed.String())
			if version(o).GT(semver.Version{}) && version(o).LT(version(has[0])) {
				p.Behind = appendNew(p.Behind, o.Cluster)
			}
		}
		r.Packages = append(r.Packages, p)
	}
	slices.SortFunc(r.Packages, func(a, b Package) int { return cmp.Compare(a.Name, b.Name) })
}
