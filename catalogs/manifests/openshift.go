package manifests

import (
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// supports reports whether a bundle is published for an OpenShift version: its annotation says so, and so does the catalog_mapping of its
// operator's ci.yaml, where templates select the bundles.
func (p *DeferredFolders) supports(b *bundleFolder, version string) bool {
	mapped := p.publishing(path.Dir(b.Dir)).Versions
	return catalogs.SupportsOpenShift(b.versions.Value, version) && (mapped == nil || slices.Contains(mapped, version))
}

// countsIn reports whether the files of a bundle count in a catalog of the repository: each is read once, and counts in the first one.
func (p *DeferredFolders) countsIn(b *bundleFolder, c *catalogs.Catalog) bool {
	i := slices.IndexFunc(p.versions, func(version string) bool { return p.supports(b, version) })
	return i < 0 || p.versions[i] == c.OpenShift
}

// belongs reports whether a bundle is in a catalog of the repository.
func (p *DeferredFolders) belongs(b *bundleFolder, c *catalogs.Catalog) bool {
	if c.OtherVersions {
		return !slices.ContainsFunc(p.versions, func(version string) bool { return p.supports(b, version) })
	}
	return c.OpenShift == "" || p.supports(b, c.OpenShift)
}
