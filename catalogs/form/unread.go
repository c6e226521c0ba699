package form

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Unread is what there is to read of a catalog: files, or folders of bundles and of package manifests.
type Unread struct {
	Source   *source.Source
	Paths    []string
	Problems []catalogs.Problem
	Options  Options
}

// Empty reports whether all of it are empty files.
func (u *Unread) Empty() bool { return u.Source.Empty(u.Paths) }

// ToRead returns what there is to read.
func (u *Unread) ToRead() *Unread { return u }

// Later is a catalog that is read later, and maybe not all of it.
type Later interface {
	catalogs.Deferred
	ToRead() *Unread
	// Load reads some of the paths as into a catalog. published are the bundles that the base has, by manifests.BundleKey; nil without a base.
	Load(ctx context.Context, as *catalogs.Catalog, paths []string, published map[string]bool) (*catalogs.Catalog, error)
	// HasPackage reports whether one of some paths has a package. It reads no further than to the first one.
	HasPackage(ctx context.Context, paths []string) (bool, error)
}

// HasPackage reports whether a catalog has a package, of one that is not read yet in another file or folder than some, by their names in positions.
func HasPackage(ctx context.Context, c *catalogs.Catalog, besides map[string]bool) (bool, error) {
	later, ok := c.Deferred.(Later)
	if !ok {
		return c.HasPackage(), nil
	}
	u := later.ToRead()
	return later.HasPackage(ctx, slices.DeleteFunc(slices.Clone(u.Paths), func(name string) bool { return besides[u.Source.Display(name)] }))
}

// ReadFiltered reads the paths that are wanted into a catalog.
func ReadFiltered(ctx context.Context, c *catalogs.Catalog, from Later, published map[string]bool, wants func(path string) bool) error {
	var paths []string
	for _, path := range from.ToRead().Paths {
		if wants(path) {
			paths = append(paths, path)
		}
	}
	loaded, err := from.Load(ctx, c, paths, published)
	if err != nil {
		return err
	}
	if s := from.ToRead().Source; s.ReadError != nil {
		if err := s.ReadError(); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(s.Prefix, ":"), err)
		}
	}
	loaded.Name, loaded.Form, loaded.Container, loaded.OpenShift, loaded.Selected = c.Name, c.Form, c.Container, c.OpenShift, c.Selected
	loaded.Repository, loaded.Configuration, loaded.Templates = c.Repository, c.Configuration, c.Templates
	supply := c.Supply
	*c = *loaded
	if supply != nil {
		c.SetSupply(supply)
	}
	return nil
}
