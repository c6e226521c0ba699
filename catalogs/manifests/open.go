package manifests

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// otherVersions names the catalog of the bundles that support none of the OpenShift versions of their repository.
const otherVersions = "other-versions"

// ReadBundles reads bundle folders that are no repository.
func ReadBundles(ctx context.Context, s *source.Source, dirs []string, o form.Options) ([]*catalogs.Catalog, error) {
	from := OpenBundles(ctx, s, catalogs.BundleFolder, dirs, nil, o)
	for _, c := range from.Catalogs {
		if err := from.Read(ctx, c, nil, form.All); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(from.Catalogs, IsEmptyRest), nil
}

// IsEmptyRest reports whether a catalog that was read is that of the bundles which support no OpenShift version, and there are none.
func IsEmptyRest(c *catalogs.Catalog) bool {
	return c.OtherVersions && len(c.Packages)+len(c.Problems) == 0
}

// OpenBundles opens bundle folders as catalogs: one of all bundles or, if Options name an OpenShift version, of those that support it;
// "all" makes one for each of versions, or of those that labelVersions returns, and one more of the bundles that support none of them, and
// so does EachVersion if there are versions.
func OpenBundles(ctx context.Context, s *source.Source, form catalogs.Form, dirs, versions []string, o form.Options) *DeferredFolders {
	from := newRepository(s, dirs, o)
	asked := strings.TrimPrefix(o.OpenShift, "v")
	switch {
	case asked == "" && o.EachVersion, asked == "all" && len(versions) > 0:
		asked, from.versions = "", versions
	case asked == "all":
		asked, from.versions, from.named = "", labelVersions(ctx, s, dirs), true
	}
	from.setCatalogs(form, asked)
	return from
}

// newRepository returns folders without catalogs.
func newRepository(s *source.Source, dirs []string, o form.Options) *DeferredFolders {
	s.AsIntended = o.AsIntended
	s.Cache().Keep = o.Deferred // its catalogs are judged one after the other
	return &DeferredFolders{Deferred: form.Deferred{Source: s, Paths: dirs, Options: o}, folders: map[string]*bundleFolder{}, publishings: map[string]pipelineconfig.Publishing{},
		folderSums: map[string]string{}}
}

// setCatalogs sets the catalogs. Without versions it is one, for the version asked or for all.
func (p *DeferredFolders) setCatalogs(form catalogs.Form, asked string) {
	add := func(c catalogs.Catalog) {
		c.Source, c.Form, c.Filtered = p.Source, form, true
		p.Catalogs = append(p.Catalogs, &c)
	}
	for _, version := range p.versions {
		add(catalogs.Catalog{Name: "v" + version, OpenShift: version, NamedVersion: p.named})
	}
	if len(p.versions) > 0 {
		add(catalogs.Catalog{Name: otherVersions, OtherVersions: true})
	} else {
		add(catalogs.Catalog{OpenShift: asked})
	}
	p.First = p.Catalogs[0]
}

// HasManifests reports whether a folder, or one of the folders in it, has a package manifest.
func HasManifests(fsys fs.FS) bool {
	if len(manifestFiles(fsys, ".")) > 0 {
		return true
	}
	return slices.ContainsFunc(source.FoldersIn(fsys, "."), func(dir string) bool { return len(manifestFiles(fsys, dir)) > 0 })
}

// BundleFolders returns the bundle folders of a catalog repository, of its folder operators/, or of one operator in that.
func BundleFolders(fsys fs.FS) []string {
	root := "."
	if source.IsDir(fsys, "operators") {
		root = "operators"
	}
	var found []string
	for _, dir := range source.FoldersIn(fsys, root) {
		if IsBundle(fsys, dir) {
			found = append(found, dir)
		}
		if IsBundleFolder(fsys, dir) || source.IsDir(fsys, path.Join(dir, "manifests")) {
			continue
		}
		for _, version := range source.FoldersIn(fsys, dir) {
			if IsBundle(fsys, version) {
				found = append(found, version)
			}
		}
	}
	return found
}
