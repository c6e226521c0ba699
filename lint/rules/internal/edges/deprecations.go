package edges

import (
	"github.com/olmgraph/olmgraph/catalogs"
)

// MaxComparedChannels is the maximum number of channels of a package that rules compare with each other.
const MaxComparedChannels = 300

// Deprecated has the deprecations of a package by name: see catalogs.Package.DeprecationEntries.
type Deprecated struct {
	Package  *catalogs.Deprecation
	Channels map[string]*catalogs.Deprecation
	Bundles  map[string]*catalogs.Deprecation
}

// DeprecatedIn returns the deprecations of a package.
func DeprecatedIn(pkg *catalogs.Package) Deprecated {
	d := Deprecated{Channels: map[string]*catalogs.Deprecation{}, Bundles: map[string]*catalogs.Deprecation{}}
	entries := pkg.DeprecationEntries()
	for i := range entries {
		switch e := &entries[i]; e.Schema.Value {
		case catalogs.SchemaPackage:
			d.Package = e
		case catalogs.SchemaChannel:
			d.Channels[e.Name.Value] = e
		case catalogs.SchemaBundle:
			d.Bundles[e.Name.Value] = e
		}
	}
	return d
}

// Any reports whether the package deprecates anything.
func (d Deprecated) Any() bool { return d.Package != nil || len(d.Channels)+len(d.Bundles) > 0 }
