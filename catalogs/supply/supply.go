// Package supply has manifests of bundles that a catalog lacks: since OpenShift 4.17 catalogs have the image of a bundle and a part of its
// ClusterServiceVersion. The manifests are in another catalog, or in bundle folders.
package supply

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Catalogs are catalogs with manifests.
type Catalogs []*catalogs.Catalog

// Bundle returns the bundle of the package with the same image, or one from a folder with the same name and the same facts.
func (all Catalogs) Bundle(pkg string, b *catalogs.Bundle) (with *catalogs.Bundle, misfit string) {
	for _, c := range all {
		p := c.Package(pkg)
		if p == nil {
			continue
		}
		for _, other := range p.Bundles {
			if other.HasOwnManifests() && other.Image.Value != "" && other.Image.Value == b.Image.Value {
				return other, ""
			}
		}
		if other := p.Bundle(b.Name.Value); other != nil && other.HasOwnManifests() {
			if misfit = differs(b, other); misfit == "" {
				return other, ""
			}
		}
	}
	return nil, misfit
}

// Sources implements catalogs.Supply.
func (all Catalogs) Sources() (sources []*source.Source) {
	for _, c := range all {
		if c.Source != nil && !slices.Contains(sources, c.Source) {
			sources = append(sources, c.Source)
		}
	}
	return sources
}

// differs says how the bundle with manifests differs from the one of that name in a catalog; "" if it does not: in its image, or its version
// and the APIs that it provides if the image is not known.
func differs(b, with *catalogs.Bundle) string {
	if with.Image.Value != "" {
		return fmt.Sprintf("is another image, %s", with.Image.Value)
	}
	if with.Version.Value != b.Version.Value {
		return fmt.Sprintf("has version %s", with.Version.Value)
	}
	theirs, err := bundled.Dependencies(with)
	ours, ourErr := bundled.Dependencies(b)
	if err != nil || ourErr != nil {
		return "" // reported by those who need the properties
	}
	if len(ours.Provides) == 0 {
		return "" // a catalog that was written by hand leaves them out
	}
	if api := firstOnlyIn(theirs.Provides, ours.Provides); api != "" {
		return "provides " + api + " too"
	}
	if api := firstOnlyIn(ours.Provides, theirs.Provides); api != "" {
		return "does not provide " + api
	}
	return ""
}

// firstOnlyIn returns the first of some APIs, in their order as text, that others lack; "" if there is none.
func firstOnlyIn(some, others []catalogs.API) string {
	least := ""
	for _, api := range some {
		if text := api.String(); !slices.Contains(others, api) && (least == "" || text < least) {
			least = text
		}
	}
	return least
}
