package manifests

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// publishedFor reports whether a bundle is published for an OpenShift version: its annotation says so, and so does the catalog_mapping of
// its operator's ci.yaml, where templates select the bundles.
func (p *DeferredFolders) publishedFor(b *bundleFolder, version string) bool {
	mapped := p.readPublishing(path.Dir(b.Dir)).Versions
	return catalogs.SupportsOpenShift(b.versions.Value, version) && (mapped == nil || slices.Contains(mapped, version))
}

// countsIn reports whether the files of a bundle count in a catalog of the repository: each is read once, and counts in the first one.
func (p *DeferredFolders) countsIn(b *bundleFolder, c *catalogs.Catalog) bool {
	i := slices.IndexFunc(p.versions, func(version string) bool { return p.publishedFor(b, version) })
	return i < 0 || p.versions[i] == c.OpenShift
}

// belongs reports whether a bundle is in a catalog of the repository.
func (p *DeferredFolders) belongs(b *bundleFolder, c *catalogs.Catalog) bool {
	if c.OtherVersions {
		return !slices.ContainsFunc(p.versions, func(version string) bool { return p.publishedFor(b, version) })
	}
	return c.OpenShift == "" || p.publishedFor(b, c.OpenShift)
}

// readPublishing returns how the bundles in an operator's folder are published.
func (p *DeferredFolders) readPublishing(operator string) pipelineconfig.Publishing {
	found, known := p.publishings[operator]
	if !known {
		found = pipelineconfig.ReadPublishing(p.Source, operator)
		p.publishings[operator] = found
	}
	return found
}

var minorVersion = regexp.MustCompile(`\d+\.\d+`)

// labelVersions returns each OpenShift version, of each major version, from the lowest to the highest that an annotation of a bundle names.
func labelVersions(ctx context.Context, s *source.Source, dirs []string) []string {
	lowest, highest := map[int]int{}, map[int]int{} // by major version
	for _, b := range parallel.ReadFolders(ctx, dirs, nil, func(dir string) (*bundleFolder, int64) {
		b := newBundleFolder(s, dir)
		b.readMetadata()
		return b, 0
	}) {
		for _, text := range minorVersion.FindAllString(b.versions.Value, -1) {
			if n := catalogs.MinorNumber(text); 4 <= n/1000 && n/1000 <= 9 {
				highest[n/1000] = max(highest[n/1000], n)
				lowest[n/1000] = min(cmp.Or(lowest[n/1000], n), n)
			}
		}
	}
	var all []string
	for _, major := range slices.Sorted(maps.Keys(lowest)) {
		for n := lowest[major]; n <= highest[major]; n++ {
			all = append(all, fmt.Sprintf("%d.%d", n/1000, n%1000))
		}
	}
	return all
}
