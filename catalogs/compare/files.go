package compare

import (
	"context"
	"io/fs"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
)

// unchanged returns the files with the same text in both, whatever their names: paths in the base by paths now.
func unchanged(ctx context.Context, now, base *fbc.DeferredFiles) map[string]string {
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

// IsNewFile reports whether a file or folder of the catalog, by its name in positions, is not in another catalog at the same path.
func IsNewFile(c *catalogs.Catalog, name string, before *catalogs.Catalog) bool {
	if before == nil || before.Source == nil {
		return false
	}
	_, err := fs.Stat(before.Source.Fsys, c.Source.Path(name))
	return err != nil
}

// SameFile reports whether a file of the catalog, by its name in positions, is the same in another catalog, or can be read in neither.
func SameFile(c *catalogs.Catalog, name string, other *catalogs.Catalog) bool {
	if c.Source == nil || other.Source == nil {
		return c.Source == other.Source
	}
	at := c.PathOf(name)
	x, read := c.Source.BlobID(context.Background(), at)
	y, readToo := other.Source.BlobID(context.Background(), at)
	return read == readToo && x == y
}

// LacksFolder reports whether a package of the catalog has a folder of its own, and another catalog has nothing in that folder: of the folder of
// an operator with bundles, no folders.
func LacksFolder(c *catalogs.Catalog, p *catalogs.Package, other *catalogs.Catalog) bool {
	if c.Source == nil || other.Source == nil || !p.Pos.Known() {
		return false
	}
	dir := path.Dir(c.Source.Path(p.Pos.File))
	bundles := path.Base(dir) == "metadata"
	if bundles {
		dir = path.Dir(path.Dir(dir))
	}
	entries, _ := fs.ReadDir(other.Source.Fsys, dir)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return bundles && !e.IsDir() })
	return dir != "." && len(entries) == 0
}
