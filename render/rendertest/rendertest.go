// Package rendertest has helpers for the tests of render and its packages.
package rendertest

import (
	"context"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// UntrustedPackage returns a package of two bundles with the names a and b, the second of which replaces the first. All other
// strings are message.
func UntrustedPackage(a, b, message string) *graph.PackageGraph {
	text := func(s string) catalogs.Text {
		return catalogs.Text{Value: s, Pos: catalogs.Pos{File: message, Line: 1, Col: 1}}
	}
	bundle := func(name, version string) *catalogs.Bundle {
		return &catalogs.Bundle{Name: text(name), Version: text(version), Image: text(message)}
	}
	first, second := bundle(a, "1.0.0"), bundle(b, message)
	p := &catalogs.Package{Name: text(message), DefaultChannel: text(a), Bundles: []*catalogs.Bundle{first, second}}
	p.Channels = []*catalogs.Channel{{Name: text(a), Entries: []catalogs.Entry{
		{Name: text(a), Bundle: first}, {Name: text(b), Replaces: text(a), SkipRange: text(message), Bundle: second}}}}
	p.Deprecations = []*catalogs.Deprecations{{Entries: []catalogs.Deprecation{
		{Schema: text(catalogs.SchemaBundle), Name: text(b), Message: text(message)},
		{Schema: text(catalogs.SchemaPackage), Message: text(message)}}}}
	return graph.NewPackageGraph(p)
}

// DependencyIndex opens a catalog and indexes the dependencies of its packages.
func DependencyIndex(t testing.TB, ref string) *resolve.DependencyIndex {
	t.Helper()
	cats, err := open.Open(context.Background(), ref, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ready, err := resolve.NewCatalog(context.Background(), cats[0])
	if err != nil {
		t.Fatal(err)
	}
	m, err := resolve.NewDependencyIndex(context.Background(), ready)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
