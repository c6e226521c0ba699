package compare

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
)

// unchangedFiles returns the files with the same text in both, whatever their names: paths in the base by paths now.
func unchangedFiles(ctx context.Context, now, base *fbc.DeferredFiles) map[string]string {
	same := map[string]string{}
	was := map[string][]string{}
	for _, path := range base.Paths {
		if id, ok := base.Source.BlobID(ctx, path); ok {
			was[id] = append(was[id], path)
		}
	}
	for _, path := range now.Paths {
		if id, ok := now.Source.BlobID(ctx, path); ok && len(was[id]) > 0 {
			same[path] = was[id][0]
			was[id] = was[id][1:]
		}
	}
	return same
}

// IsNewFile reports whether a file or folder of the catalog, by its name in positions, is not in another catalog at the same path. In an empty one
// nothing is.
func IsNewFile(c *catalogs.Catalog, name string, before *catalogs.Catalog) bool {
	if before == nil || before.Source == nil {
		return before != nil && len(before.Packages) == 0
	}
	_, err := fs.Stat(before.Source.Fsys, c.Source.Path(name))
	return err != nil
}

// SameFile reports whether a file of the catalog, by its name in positions, is the same in another catalog, or can be read in neither.
func SameFile(c *catalogs.Catalog, name string, other *catalogs.Catalog) bool {
	if c.Source == nil || other.Source == nil {
		return c.Source == other.Source
	}
	at := c.SourcePath(name)
	x, read := c.Source.BlobID(context.Background(), at)
	y, readToo := other.Source.BlobID(context.Background(), at)
	return read == readToo && x == y
}

// HasFolder reports whether another catalog has what a package of the catalog has for a folder: of an operator with bundles, folders in that. It is true
// if the package has none of its own.
func HasFolder(c *catalogs.Catalog, p *catalogs.Package, other *catalogs.Catalog) bool {
	if c.Source == nil || other.Source == nil || !p.Pos.IsKnown() {
		return true
	}
	dir := path.Dir(c.Source.Path(p.Pos.File))
	if path.Base(dir) == "metadata" {
		entries, _ := fs.ReadDir(other.Source.Fsys, path.Dir(path.Dir(dir)))
		return slices.ContainsFunc(entries, fs.DirEntry.IsDir)
	}
	_, err := fs.Stat(other.Source.Fsys, dir)
	return dir == "." || !errors.Is(err, fs.ErrNotExist)
}

// IsDeleted reports whether the folder of a package of the catalog is gone from another one, which is for the same OpenShift version, and with it the
// package: no file there has it that opm does not read, for example since .indexignore names it.
func IsDeleted(c *catalogs.Catalog, p *catalogs.Package, other *catalogs.Catalog) bool {
	return c.OpenShift == other.OpenShift && !HasFolder(c, p, other) && !slices.ContainsFunc(fbc.IgnoredFiles(other.Source), func(name string) bool {
		return fbc.HasPackage(other.Source, name, p.Name.Value)
	})
}
