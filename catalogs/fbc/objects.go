package fbc

import (
	"hash/maphash"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
)

// Objects are the objects of one chunk, in the order of the text.
type Objects struct {
	Packages     []*catalogs.Package
	Channels     []*catalogs.Channel
	Bundles      []*catalogs.Bundle
	deprecations []*catalogs.Deprecations
	others       []catalogs.Other
	foreign      []catalogs.Foreign
	Sums         map[string]uint64 // by package, of the texts of its objects; the same in any order
	count        int
	Report       form.Report // of the texts that they are in
}

func (o *Objects) add(more *Objects) {
	o.Packages = append(o.Packages, more.Packages...)
	o.Channels = append(o.Channels, more.Channels...)
	o.Bundles = append(o.Bundles, more.Bundles...)
	o.deprecations = append(o.deprecations, more.deprecations...)
	o.others = append(o.others, more.others...)
	o.Report.Problems = append(o.Report.Problems, more.Report.Problems...)
	o.foreign = append(o.foreign, more.foreign...)
	o.Report.Lost.Merge(&more.Report.Lost)
	o.count += more.count
	for pkg, sum := range more.Sums {
		o.Sum(pkg, sum)
	}
}

// SumSeed is the seed of all sums, which are compared within one process and not stored.
var SumSeed = maphash.MakeSeed()

func (o *Objects) Sum(pkg string, sum uint64) {
	if o.Sums == nil {
		o.Sums = map[string]uint64{}
	}
	o.Sums[pkg] += sum
}

// byPackage returns the objects by the package that they name, and of each package that a bundle names the one of its olm.package
// property.
func (o *Objects) byPackage() (named map[string][]belonging, properties map[string]string) {
	named, properties = map[string][]belonging{}, map[string]string{}
	add := func(b belonging) { named[b.pkg.Value] = append(named[b.pkg.Value], b) }
	for _, c := range o.Channels {
		add(belonging{pkg: &c.Package, channel: c.Name.Value})
	}
	for _, b := range o.Bundles {
		add(belonging{pkg: &b.Package, bundle: b.Name.Value})
		properties[b.Package.Value] = b.PackageName.Value
	}
	return named, properties
}

// reportedPositions returns where values of the wrong type were reported.
func (o *Objects) reportedPositions() map[catalogs.Pos]bool {
	at := map[catalogs.Pos]bool{}
	for _, p := range o.Report.Problems {
		if p.Pos != (catalogs.Pos{}) && (p.Kind == catalogs.FieldType || p.Kind == catalogs.Coercion) {
			at[p.Pos] = true
		}
	}
	return at
}

// Clone returns the objects with packages and channels of their own.
func (o *Objects) Clone() Objects {
	all := *o
	all.Packages, all.Channels, all.Bundles = nil, nil, slices.Clip(o.Bundles)
	for _, p := range o.Packages {
		one := *p
		all.Packages = append(all.Packages, &one)
	}
	for _, c := range o.Channels {
		one := *c
		one.Entries = slices.Clone(c.Entries)
		all.Channels = append(all.Channels, &one)
	}
	return all
}
