package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// openFolderTree reads the catalogs of a folder on disk.
func openFolderTree(ctx context.Context, ref string, o form.Options) ([]*catalogs.Catalog, error) {
	s := source.OnDisk(ref, o.Overlay)
	if _, err := fs.ReadDir(s.Fsys, "."); err != nil {
		return nil, source.CannotOpen(ref, err)
	}
	cats, err := Tree(ctx, s, o)
	if err == nil && nothingRead(cats) {
		return nil, noCatalog(ref, s.Fsys, " and an image (oci-layout)")
	}
	repo.SetRepository(cats, repo.RepositoryAbove(ref))
	return labelOpenShiftPath(ref, cats, err)
}

// nothingRead reports whether no text was read, and no problem found.
func nothingRead(cats []*catalogs.Catalog) bool {
	for _, c := range cats {
		if c.Stats.Bytes > 0 || len(c.Problems) > 0 || c.Deferred != nil && !c.Deferred.Empty() {
			return false
		}
	}
	return true
}

var ErrNoCatalog = errors.New("there is no catalog in it")

// noCatalog returns the error for a folder without a catalog, which names those below it that have manifests.
func noCatalog(ref string, fsys fs.FS, last string) error {
	err := fmt.Errorf("%s: %w: looked for files of a file-based catalog, package manifests (*.package.yaml), "+
		"a bundle (manifests/ and metadata/), a repository of bundles (operators/*/*)%s", ref, ErrNoCatalog, last)
	if below := foldersWithManifests(fsys, nil); len(below) > 0 {
		err = fmt.Errorf("%w; give the folder in it that has them: %s", err, phrase.Or(below))
	}
	return err
}

// foldersWithManifests returns the highest folders with bundles, three levels down at most: outside those that are read; or, if none is read, with
// package manifests as well.
func foldersWithManifests(fsys fs.FS, read []string) (found []string) {
	level := source.FoldersIn(fsys, ".")
	for range 3 {
		var next []string
		for _, dir := range level {
			below, err := fs.Sub(fsys, dir)
			if err != nil || slices.Contains(read, dir) || path.Base(dir) == "vendor" || path.Base(dir) == "node_modules" {
				continue
			}
			bundles := manifests.BundleFolders(below)
			isRead := func(bundle string) bool { return slices.Contains(read, path.Join(dir, bundle)) }
			switch {
			case len(bundles) > 0 && !slices.ContainsFunc(bundles, isRead), len(read) == 0 && manifests.HasManifests(below):
				found = append(found, dir)
			default:
				next = append(next, source.FoldersIn(fsys, dir)...)
			}
		}
		level = next
	}
	return found
}

// Tree reads the catalogs of a folder of any source.
func Tree(ctx context.Context, s *source.Source, o form.Options) ([]*catalogs.Catalog, error) {
	all, err := openForms(ctx, s, o)
	repo.SetBundles(s, all, o)
	repo.SetTemplates(s, all, o)
	return all, err
}

// openForms reads the catalogs of a folder in the form that it has.
func openForms(ctx context.Context, s *source.Source, o form.Options) ([]*catalogs.Catalog, error) {
	switch {
	case isImageDir(s.Fsys):
		return nil, fmt.Errorf("%s: an image as skopeo writes it to dir:, which is read from a folder on disk only", s.Display("."))
	case manifests.IsBundleFolder(s.Fsys, "."):
		return manifests.OpenBundles(ctx, s, catalogs.BundleFolder, []string{"."}, nil, o)
	}
	dirs := manifests.BundleFolders(s.Fsys)
	switch {
	case len(dirs) > 0 && !source.IsDir(s.Fsys, "operators") && fbc.IsRepositoryRoot(s):
		return openOperator(ctx, s, dirs, o)
	case manifests.HasManifests(s.Fsys):
		return single(manifests.OpenManifests(ctx, s, o))
	case len(dirs) > 0:
		return repo.OpenRepository(ctx, s, dirs, o)
	}
	if root, at := repo.Repository(s, o); root != nil && !strings.HasPrefix(at, "catalogs") {
		if l := repo.LayoutOf(ctx, s, nil, o); len(l.Templates) > 0 || at == "." && len(l.Versions) > 0 {
			return repo.OpenLayout(ctx, l, o)
		}
	}
	built := func(name string) bool { return fbc.IsBuilt(s, name) }
	names := fbc.Versioned(s.Fsys, ".")
	if len(names) > 0 && !slices.ContainsFunc(names, built) {
		return fbc.OpenVersions(ctx, s, ".", names, o)
	}
	around := fbc.IsRepositoryRoot(s) || len(names) > 0 || built(".")
	if around {
		if all, err := openRoot(ctx, s, nil, o); len(all) > 0 || err != nil {
			return all, err
		}
	}
	if all, err := expansion.OpenTemplates(ctx, s, o); len(all) > 0 || err != nil || around {
		return all, err
	}
	return single(fbc.OpenFolder(ctx, s, ".", o))
}
