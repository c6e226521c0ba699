package open

import (
	"context"
	"fmt"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Store opens a reference to a layout of several images, as olmgraph pull writes it, whose bundles are read once they are asked for; nil if
// the reference is something else.
func Store(ctx context.Context, ref string, o form.Options) (*ImageStore, error) {
	kind, ok := image.Recognise(ref)
	if !ok || kind != image.OCILayout && kind != image.OCIArchive {
		return nil, nil
	}
	images, err := image.OpenStore(ctx, kind, ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	if images.Len() < 2 && !images.IsPulled() {
		return nil, nil
	}
	return newStore(ctx, kind.String()+":"+ref, images.Open, o), nil
}

func newStore(ctx context.Context, ref string, open func(context.Context, string, image.Options) (*image.Image, error), o form.Options) *ImageStore {
	return &ImageStore{ctx: ctx, ref: ref, openImage: open, options: o, read: map[string]*stored{}}
}

// ImageStore is a Supply of bundle images.
type ImageStore struct {
	ctx     context.Context
	ref     string
	options form.Options

	openImage func(ctx context.Context, ref string, o image.Options) (*image.Image, error)

	mutex sync.Mutex
	read  map[string]*stored // by the reference in a catalog
}

// stored is a bundle that was read.
type stored struct {
	bundle *catalogs.Bundle
	pkg    string
	source *source.Source
	misfit string
}

// Bundle returns the bundle in the image that a bundle of a catalog names.
func (s *ImageStore) Bundle(p *catalogs.Package, b *catalogs.Bundle) (with *catalogs.Bundle, misfit string) {
	ref := b.Image.Value
	if ref == "" {
		return nil, ""
	}
	found := s.load(ref)
	switch {
	case found.bundle == nil:
		return nil, found.misfit
	case found.pkg != p.Name.Value:
		return nil, fmt.Sprintf("is of package %q", found.pkg)
	}
	return found.bundle, ""
}

// ImageBundle returns the bundle of an image as a catalog names it; nil if it is not there, or cannot be read.
func (s *ImageStore) ImageBundle(ref string) *catalogs.Bundle { return s.load(ref).bundle }

func (s *ImageStore) load(ref string) *stored {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found := s.read[ref]
	if found == nil {
		found = s.open(ref)
		s.read[ref] = found
	}
	return found
}

func (s *ImageStore) open(ref string) *stored {
	img, err := s.openImage(s.ctx, ref, imageOptions(s.options))
	if err == nil && img == nil {
		return &stored{}
	}
	var cats []*repo.Opened
	if err == nil {
		at := s.ref + "@" + img.Digest
		cats, err = readImageCatalogs(s.ctx, img, image.OCILayout, at, at, s.options)
	}
	if err == nil {
		for _, c := range cats {
			for _, p := range c.Packages {
				for _, b := range p.Bundles {
					return &stored{bundle: b, pkg: p.Name.Value, source: c.Source}
				}
			}
		}
		err = fmt.Errorf("no bundle is in it")
	}
	return &stored{misfit: fmt.Sprintf("cannot be read: %v", err)}
}

// Sources implements catalogs.Supply.
func (s *ImageStore) Sources() (sources []*source.Source) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, b := range s.read {
		if b.source != nil {
			sources = append(sources, b.source)
		}
	}
	return sources
}
