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

// DeferredFiles are the files of a file-based catalog.
type DeferredFiles struct{ form.Unread }

// Read reads all files.
func (p *DeferredFiles) Read(ctx context.Context, c *catalogs.Catalog) error {
	return form.ReadFiltered(ctx, c, p, nil, func(string) bool { return true })
}

func (p *DeferredFiles) Load(ctx context.Context, _ *catalogs.Catalog, paths []string, _ map[string]bool) (*catalogs.Catalog, error) {
	l := newLoader(p.Source, slices.Clone(p.Problems), p.Options)
	l.partial = len(paths) < len(p.Paths)
	c, err := l.load(ctx, paths)
	if err == nil {
		c.Stats.Unread = len(p.Paths) - len(paths)
	}
	return c, err
}

func (p *DeferredFiles) HasPackage(ctx context.Context, paths []string) (bool, error) {
	for _, path := range paths {
		if p.beginsWithPackage(path) {
			return true, nil
		}
		c, err := p.Load(ctx, nil, []string{path}, nil)
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

// LoadOrDefer reads the files of a source into a file-based catalog, or returns a catalog for Read if Options defer that.
func LoadOrDefer(ctx context.Context, s *source.Source, paths []string, problems []catalogs.Problem, o form.Options) (*catalogs.Catalog, error) {
	if o.Deferred {
		return &catalogs.Catalog{Form: catalogs.FileBased, Problems: problems, Source: s, Deferred: &DeferredFiles{form.Unread{Source: s, Paths: paths, Problems: problems, Options: o}}}, nil
	}
	return Load(ctx, s, paths, problems, o)
}
