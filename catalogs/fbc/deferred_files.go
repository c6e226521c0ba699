package fbc

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// DeferredFiles are the files of a file-based catalog that is not read yet.
type DeferredFiles struct {
	form.Deferred
	Catalog *catalogs.Catalog
}

// Open returns the files of a source as a catalog.
func Open(s *source.Source, paths []string, problems []catalogs.Problem, o form.Options) *DeferredFiles {
	return &DeferredFiles{form.Deferred{Source: s, Paths: paths, Problems: problems, Options: o},
		&catalogs.Catalog{Form: catalogs.FileBased, Problems: problems, Source: s, Filtered: true}}
}

// Read reads the files that are wanted into the catalog.
func (f *DeferredFiles) Read(ctx context.Context, wants func(path string) bool) error {
	return f.ReadInto(f.Catalog, wants, func(paths []string) (*catalogs.Catalog, error) { return f.Load(ctx, paths) })
}

// Load reads some of the files as a catalog.
func (f *DeferredFiles) Load(ctx context.Context, paths []string) (*catalogs.Catalog, error) {
	f.Source.AsIntended = f.Options.AsIntended
	l := &loader{source: f.Source, size: chunkSize, problems: slices.Clone(f.Problems), filter: form.PackageFilter(f.Options.Package),
		progress: f.Options.Progress, partial: len(paths) < len(f.Paths)}
	c, err := l.load(ctx, paths)
	if err == nil {
		c.Stats.Unread = len(f.Paths) - len(paths)
	}
	return c, err
}

// HasPackage reports whether one of some files has a package. It reads no further than to the first one.
func (f *DeferredFiles) HasPackage(ctx context.Context, paths []string) (bool, error) {
	for _, path := range paths {
		if f.beginsWithPackage(path) {
			return true, nil
		}
		c, err := f.Load(ctx, []string{path})
		if err != nil || c.HasPackage() {
			return err == nil, err
		}
	}
	return false, ctx.Err()
}

// beginsWithPackage reports whether the first document of a YAML file is a package, as opm render writes it.
func (f *DeferredFiles) beginsWithPackage(path string) bool {
	file := f.Source.File(path)
	opened, _, err := source.Open(file)
	if err != nil {
		return false
	}
	defer opened.Close()
	head, err := io.ReadAll(io.LimitReader(opened, chunkSize))
	first, _, whole := bytes.Cut(bytes.TrimPrefix(head, []byte("---\n")), []byte("\n---\n"))
	if err != nil || !whole {
		return false
	}
	return len(ReadObjects(file, first).Packages) > 0
}
