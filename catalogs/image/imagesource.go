package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// imageSource is a place with images.
type imageSource struct {
	images []*candidate
	store  store // of a registry
	wanted selector
	close  func() error
}

// store has the blobs of OCI images.
type store interface {
	manifest(ctx context.Context, h v1.Hash) (io.ReadCloser, error)
	blob(ctx context.Context, h v1.Hash) (io.ReadCloser, error)
}

func openSource(ctx context.Context, kind Kind, ref string, o Options) (*imageSource, error) {
	if kind == Registry {
		return openRegistry(ctx, strings.TrimPrefix(ref, "//"), o)
	}
	name, want, err := splitReference(ref)
	if err != nil {
		return nil, err
	}
	var s *imageSource
	if kind == OCILayout {
		s, err = openLayout(ctx, name)
	} else {
		s, err = openArchive(ctx, kind, name)
	}
	if err != nil {
		return nil, err
	}
	s.wanted = want
	return s, nil
}

func openLayout(ctx context.Context, dir string) (*imageSource, error) {
	root, err := disk.OpenRoot(dir, false)
	if err != nil {
		return nil, fmt.Errorf("expected a folder in the OCI image layout: %w", disk.Cause(err))
	}
	images, err := layoutImages(ctx, ociLayout{openIn(root)})
	if err != nil {
		root.Close()
		return nil, err
	}
	return &imageSource{images: images, close: root.Close}, nil
}

func openArchive(ctx context.Context, kind Kind, name string) (*imageSource, error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, fmt.Errorf("expected an archive of images: %w", disk.Cause(err))
	}
	images, err := archiveImages(ctx, kind, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &imageSource{images: images, close: f.Close}, nil
}

func archiveImages(ctx context.Context, kind Kind, text archiveText) ([]*candidate, error) {
	a, err := readArchive(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case kind == OCIArchive:
		return layoutImages(ctx, ociLayout{a.open})
	}
	return dockerImages(ctx, a)
}

// ociLayout is an OCI layout, by the files in it.
type ociLayout struct {
	open func(name string) (io.ReadCloser, error)
}

func (l ociLayout) blob(_ context.Context, h v1.Hash) (io.ReadCloser, error) {
	return l.open(blobPath(h))
}

func (l ociLayout) manifest(ctx context.Context, h v1.Hash) (io.ReadCloser, error) {
	return l.blob(ctx, h)
}

// openIn opens a file of an OCI layout in a folder. Links that lead out of the folder are not followed.
func openIn(root disk.Root) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		f, err := root.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, disk.Cause(err)
		}
		return f, nil
	}
}
