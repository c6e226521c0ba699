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
	form.Unread
	Catalog *catalogs.Catalog
}

// Open returns the files of a source as a catalog.
func Open(s *source.Source, paths []string, problems []catalogs.Problem, o form.Options) *DeferredFiles {
	return &DeferredFiles{form.Unread{Source: s, Paths: paths, Problems: problems, Options: o},
		&catalogs.Catalog{Form: catalogs.FileBased, Problems: problems, Source: s, Filtered: true}}
}

// Read reads the files that are wanted into the catalog.
func (p *DeferredFiles) Read(ctx context.Context, wants func(path string) bool) error {
	return p.ReadInto(p.Catalog, wants, func(paths []string) (*catalogs.Catalog, error) { return p.Load(ctx, paths) })
}

// Load reads some of the files as a catalog.
func (p *DeferredFiles) Load(ctx context.Context, paths []string) (*catalogs.Catalog, error) {
	p.Source.AsIntended = p.Options.AsIntended
	l := &loader{source: p.Source, size: chunkSize, problems: slices.Clone(p.Problems), filter: form.PackageFilter(p.Options.Package),
		progress: p.Options.Progress, partial: len(paths) < len(p.Paths)}
	c, err := l.load(ctx, paths)
	if err == nil {
		c.Stats.Unread = len(p.Paths) - len(paths)
	}
	return c, err
}

// HasPackage reports whether one of some files has a package. It reads no further than to the first one.
func (p *DeferredFiles) HasPackage(ctx context.Context, paths []string) (bool, error) {
	for _, path := range paths {
		if p.beginsWithPackage(path) {
			return true, nil
		}
		c, err := p.Load(ctx, []string{path})
		if err != nil || c.HasPackage() {
			return err == nil, err
		}
	}
	return false, ctx.Err()
}

// beginsWithPackage reports whether the first document of a YAML file is a package, as opm render writes it.
func (p *DeferredFiles) beginsWithPackage(path string) bool {
	f := p.Source.File(path)
	opened, _, err := source.Open(f)
	if err != nil {
		return false
	}
	defer opened.Close()
	head, err := io.ReadAll(io.LimitReader(opened, chunkSize))
	first, _, whole := bytes.Cut(bytes.TrimPrefix(head, []byte("---\n")), []byte("\n---\n"))
	if err != nil || !whole {
		return false
	}
	return len(ReadObjectsIn(f, first).Packages) > 0
}
