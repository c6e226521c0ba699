package catalogs

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// pending is a catalog that was found and not read yet.
type pending struct {
	source   *source
	paths    []string
	problems []Problem
	options  Options
}

// Read reads a catalog of which that was put off.
func (c *Catalog) Read(ctx context.Context) error {
	if c == nil || c.pending == nil {
		return nil
	}
	return c.readSome(ctx, c.pending, func(string) bool { return true })
}

// Forget lets go of what a catalog says, but for its Problems, its Stats and the names of its packages. Excerpts still works.
func (c *Catalog) Forget() {
	names := make([]*Package, 0, len(c.Packages))
	for _, p := range c.Packages {
		names = append(names, &Package{Name: p.Name})
	}
	c.Packages, c.Others, c.sums = names, nil, nil
}

func (c *Catalog) readSome(ctx context.Context, from *pending, wants func(path string) bool) error {
	var paths []string
	for _, path := range from.paths {
		if wants(path) {
			paths = append(paths, path)
		}
	}
	o := from.options
	o.Later = false
	loaded, err := load(ctx, from.source, paths, slices.Clone(from.problems), o)
	if err != nil {
		return err
	}
	if from.source.fault != nil {
		if err := from.source.fault(); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(from.source.prefix, ":"), err)
		}
	}
	loaded.Name, loaded.Container, loaded.OpenShift = c.Name, c.Container, c.OpenShift
	loaded.Stats.Unread = len(from.paths) - len(paths)
	*c = *loaded
	return nil
}

// hasPackage reports whether there is a package in the files: mostly the first one has it.
func (p *pending) hasPackage(ctx context.Context) (bool, error) {
	o := p.options
	o.Later = false
	for _, path := range p.paths {
		c, err := load(ctx, p.source, []string{path}, nil, o)
		if err != nil || c.hasPackage() {
			return err == nil, err
		}
	}
	return false, nil
}

// empty reports whether there is nothing to be read. What cannot be looked at is read, so that reading it says why.
func (p *pending) empty() bool {
	return !slices.ContainsFunc(p.paths, func(path string) bool {
		info, err := fs.Stat(p.source.fsys, path)
		return err != nil || info.Size() > 0 || !info.Mode().IsRegular()
	})
}
