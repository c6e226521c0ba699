package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Deferred is what there is to read of a catalog: files, or folders of bundles and of package manifests.
type Deferred struct {
	Source   *source.Source
	Paths    []string
	Problems []catalogs.Problem
	Options  Options
}

// Empty reports whether all of it are empty files.
func (d *Deferred) Empty() bool { return d.Source.Empty(d.Paths) }

// Except returns the paths that are not among some, by their names in positions.
func (d *Deferred) Except(some map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(d.Paths), func(name string) bool { return some[d.Source.Display(name)] })
}

// ReadInto sets a catalog to what is loaded of the paths that are wanted. What was known of it when it was opened stays.
func (d *Deferred) ReadInto(c *catalogs.Catalog, wants func(path string) bool, load func(paths []string) (*catalogs.Catalog, error)) error {
	loaded, err := load(slices.DeleteFunc(slices.Clone(d.Paths), func(path string) bool { return !wants(path) }))
	if err != nil {
		return err
	}
	if s := d.Source; s.ReadError != nil {
		if err := s.ReadError(); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(s.Prefix, ":"), err)
		}
	}
	loaded.Name, loaded.Form, loaded.Container, loaded.OpenShift = c.Name, c.Form, c.Container, c.OpenShift
	loaded.Selected, loaded.PassedOver = c.Selected, c.PassedOver
	loaded.Repository, loaded.Configuration, loaded.Templates = c.Repository, c.Configuration, c.Templates
	supply := c.Supply
	*c = *loaded
	if supply != nil {
		c.SetSupply(supply)
	}
	return nil
}

// All wants all paths.
func All(string) bool { return true }
