package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/olmgraph/olmgraph/catalogs/fserror"
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
	switch kind {
	case OCILayout:
		s, err = openLayout(ctx, name)
	case Dir:
		s, err = openDir(ctx, name)
	case OCIArchive, DockerArchive:
		s, err = openArchive(ctx, kind, name)
	default:
		err = fmt.Errorf("images are not read from %s", kind)
	}
	if err != nil {
		return nil, err
	}
	s.wanted = want
	return s, nil
}

func openLayout(ctx context.Context, dir string) (*imageSource, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("expected a folder in the OCI image layout: %w", fserror.Cause(err))
	}
	images, err := layoutImages(ctx, ociLayout{openIn(root)})
	if err != nil {
		root.Close()
		return nil, err
	}
	return &imageSource{images: images, close: root.Close}, nil
}

func openArchive(ctx context.Context, kind Kind, name string) (*imageSource, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, fserror.Cause(err)
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("expected an archive of images, but it is no regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fserror.Cause(err)
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
	return l.open(path.Join("blobs", h.Algorithm, h.Hex))
}

func (l ociLayout) manifest(ctx context.Context, h v1.Hash) (io.ReadCloser, error) {
	return l.blob(ctx, h)
}

// openIn opens a file of an OCI layout in a folder. Links that lead out of the folder are not followed.
func openIn(root *os.Root) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		info, err := root.Stat(name) // before it is opened: a pipe would block
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("not a regular file")
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, fserror.Cause(err)
		}
		return root.Open(name)
	}
}
