package open

import (
	"context"
	"errors"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// scheme is a prefix of references to one form of source.
type scheme struct {
	Prefix string
	open   func(ctx context.Context, ref, rest string, o form.Options) ([]*repo.Opened, error)
}

// schemes returns all schemes; those of images are as in containers-transports(5).
func schemes() []scheme {
	images := func(kind image.Kind) func(context.Context, string, string, form.Options) ([]*repo.Opened, error) {
		return func(ctx context.Context, ref, rest string, o form.Options) ([]*repo.Opened, error) {
			return openImage(ctx, kind, ref, rest, o)
		}
	}
	return []scheme{
		{"oci:", images(image.OCILayout)},
		{"oci-archive:", images(image.OCIArchive)},
		{"docker-archive:", images(image.DockerArchive)},
		{"docker://", images(image.Registry)},
		{"git:", openGit},
		{"sqlite:", func(ctx context.Context, _, rest string, o form.Options) ([]*repo.Opened, error) {
			return singleOpened(openDatabase(ctx, rest, o))
		}},
		{"dir:", func(ctx context.Context, _, rest string, o form.Options) ([]*repo.Opened, error) {
			info, err := disk.Stat(rest)
			if err == nil && !info.IsDir() {
				err = errors.New("not a folder")
			}
			if err != nil {
				return nil, source.CannotOpen(rest, err)
			}
			return openDiskFolder(ctx, rest, o)
		}},
	}
}

// CutScheme returns the scheme of a reference, and the rest after it, also if a file has that name, which a change could add: that is ./git:NAME.
func CutScheme(ref string) (scheme, string, bool) {
	for _, s := range schemes() {
		if rest, ok := strings.CutPrefix(ref, s.Prefix); ok {
			return s, rest, true
		}
	}
	return scheme{}, "", false
}

// IsPath reports whether a reference is a path on disk, and not one to an image.
func IsPath(ref string) bool {
	s, _, ok := CutScheme(ref)
	if ref == "-" || ok {
		return ok && s.Prefix == "dir:"
	}
	_, isImage := image.Recognise(ref)
	return !isImage
}
