package edges

import (
	"github.com/olmgraph/olmgraph/catalogs"
)

// MaxComparedChannels bounds what it costs to hold every channel of a package against every other one.
const MaxComparedChannels = 300

// Deprecated looks up what the package deprecates: see catalogs.Package.DeprecationEntries.
type Deprecated struct {
	Package  *catalogs.Deprecation
	Channels map[string]*catalogs.Deprecation
	Bundles  map[string]*catalogs.Deprecation
}

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

func (d Deprecated) Any() bool { return d.Package != nil || len(d.Channels)+len(d.Bundles) > 0 }
