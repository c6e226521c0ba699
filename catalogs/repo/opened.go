package repo

import (
	"context"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Opened is a catalog that is open. Of one that is not read yet it has the files or the folders, at most one of the two.
type Opened struct {
	*catalogs.Catalog
	Files   *fbc.DeferredFiles
	Folders *manifests.DeferredFolders
}

// FromCatalogs returns catalogs that are read.
func FromCatalogs(all ...*catalogs.Catalog) []*Opened {
	return words.Map(all, func(c *catalogs.Catalog) *Opened { return &Opened{Catalog: c} })
}

// FromFiles returns file-based catalogs.
func FromFiles(all ...*fbc.DeferredFiles) []*Opened {
	return words.Map(all, func(f *fbc.DeferredFiles) *Opened { return &Opened{Catalog: f.Catalog, Files: f} })
}

// FromFolders returns the catalogs of a repository.
func FromFolders(from *manifests.DeferredFolders) []*Opened {
	return words.Map(from.Catalogs, func(c *catalogs.Catalog) *Opened { return &Opened{Catalog: c, Folders: from} })
}

// Catalogs returns the catalogs themselves.
func Catalogs(all []*Opened) []*catalogs.Catalog {
	return words.Map(all, func(c *Opened) *catalogs.Catalog { return c.Catalog })
}

// Deferred returns what there is to read; nil if all is read.
func (c *Opened) Deferred() *form.Deferred {
	switch {
	case c.Files != nil:
		return &c.Files.Deferred
	case c.Folders != nil:
		return &c.Folders.Deferred
	}
	return nil
}

// Read reads all of the catalog, unless that was done. A catalog may be nil.
func (c *Opened) Read(ctx context.Context) error {
	if c == nil {
		return nil
	}
	err := c.ReadPart(ctx, nil, form.All)
	if err == nil {
		c.Files, c.Folders = nil, nil
	}
	return err
}

// ReadPart reads the paths that are wanted, and can be called again for others. published are the bundles that the base has, by manifests.BundleKey; nil
// without a base.
func (c *Opened) ReadPart(ctx context.Context, published map[string]bool, wants func(path string) bool) error {
	switch {
	case c.Files != nil:
		return c.Files.Read(ctx, wants)
	case c.Folders != nil:
		return c.Folders.Read(ctx, c.Catalog, published, wants)
	}
	return nil
}

// HasPackage reports whether the catalog has a package, of one that is not read yet in another file or folder than some, by their names in positions.
func (c *Opened) HasPackage(ctx context.Context, besides map[string]bool) (bool, error) {
	switch {
	case c.Files != nil:
		return c.Files.HasPackage(ctx, c.Files.Except(besides))
	case c.Folders != nil:
		return c.Folders.HasPackage(ctx, c.Folders.Except(besides))
	}
	return c.Catalog.HasPackage(), nil
}
