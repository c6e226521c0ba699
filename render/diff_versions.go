package render

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// bundleVersions are the versions by which bundles are said, by package and name: the name ends in it, and in the package no other does.
type bundleVersions map[[2]string]string

// bundleVersions returns the versions of the packages that differ, also of names without a bundle that changes of edges name.
func (d Differences) bundleVersions() bundleVersions {
	all, names := bundleVersions{}, map[[2]string]int{}
	add := func(pkg, name, version string) {
		if _, known := all[[2]string{pkg, name}]; known {
			return
		}
		if in, ok := graph.VersionIn(name); !ok || in.String() != version || !strings.HasSuffix(name, version) || name == version {
			version = name
		}
		all[[2]string{pkg, name}] = version
		names[[2]string{pkg, version}]++
	}
	for i, pair := range d.Pairs {
		for _, of := range byPackage(d.ByPair[i]) {
			for _, c := range []*catalogs.Catalog{pair.Base, pair.Now} {
				if p := c.Package(of[0].Package); p != nil {
					for _, b := range p.Bundles {
						add(p.Name.Value, b.Name.Value, b.Version.Value)
					}
				}
			}
			for _, one := range of {
				for _, name := range slices.Concat(one.Names, namesIn(one.Was), namesIn(one.Is)) {
					if in, ok := graph.VersionIn(name); ok && !strings.ContainsAny(name, " :/") {
						add(one.Package, name, in.String())
					}
				}
			}
		}
	}
	for key, version := range all {
		if names[[2]string{key[0], version}] > 1 {
			delete(all, key)
		}
	}
	return all
}

// say returns the version of a bundle of a package, or else its name.
func (v bundleVersions) say(pkg, name string) string {
	if version, known := v[[2]string{pkg, name}]; known {
		return version
	}
	return name
}
