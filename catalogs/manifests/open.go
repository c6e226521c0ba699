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

// OpenBundles reads bundle folders into catalogs: one of all bundles or, if Options name an OpenShift version, of those that support it;
// "all" makes one for each of versions, or of those that labelVersions returns, and one more of the bundles that support none of them, and
// so does EachVersion if there are versions. Those of a repository are returned for Read if Options defer that.
func OpenBundles(ctx context.Context, s *source.Source, form catalogs.Form, dirs, versions []string, o form.Options) ([]*catalogs.Catalog, error) {
	from := newRepository(s, dirs, o)
	asked := strings.TrimPrefix(o.OpenShift, "v")
	switch {
	case asked == "" && o.EachVersion, asked == "all" && len(versions) > 0:
		asked, from.versions = "", versions
	case asked == "all":
		asked, from.versions, from.named = "", labelVersions(ctx, s, dirs), true
	}
	all := from.catalogs(form, asked)
	if o.Deferred && form == catalogs.Repository {
		return all, nil
	}
	for _, c := range all {
		if err := c.Read(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(c *catalogs.Catalog) bool { return c.OtherVersions && len(c.Packages)+len(c.Problems) == 0 }), nil
}

// newRepository returns bundle folders that are not read yet.
func newRepository(s *source.Source, dirs []string, o form.Options) *DeferredFolders {
	s.AsIntended = o.AsIntended
	s.Cache().Keep = o.Deferred // its catalogs are judged one after the other
	return &DeferredFolders{Unread: form.Unread{Source: s, Paths: dirs, Options: o}, folders: map[string]*bundleFolder{}, publishings: map[string]pipelineconfig.Publishing{},
		folderSums: map[string]string{}}
}

// catalogs returns the catalogs of a repository, which are not read yet. Without versions it is one, for the version asked or for all.
func (p *DeferredFolders) catalogs(form catalogs.Form, asked string) []*catalogs.Catalog {
	if len(p.versions) == 0 {
		p.First = &catalogs.Catalog{Source: p.Source, Form: form, OpenShift: asked, Deferred: p}
		return []*catalogs.Catalog{p.First}
	}
	var all []*catalogs.Catalog
	for _, version := range p.versions {
		all = append(all, &catalogs.Catalog{Source: p.Source, Form: form, Name: "v" + version, OpenShift: version, NamedVersion: p.named, Deferred: p})
	}
	p.First = all[0]
	return append(all, &catalogs.Catalog{Source: p.Source, Form: form, Name: otherVersions, OtherVersions: true, Deferred: p})
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
		if IsBundleFolder(fsys, dir) {
			found = append(found, dir)
		}
		if IsBundleFolder(fsys, dir) || source.IsDir(fsys, path.Join(dir, "manifests")) {
			continue
		}
		for _, version := range source.FoldersIn(fsys, dir) {
			if IsBundleFolder(fsys, version) {
				found = append(found, version)
			}
		}
	}
	return found
}
