package open

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// isTarFile reports whether a file is a tar, compressed or not.
func isTarFile(name string) bool {
	f, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return image.IsTar(f)
}

// openTarFile reads the catalogs in a tar of a folder.
func openTarFile(ctx context.Context, ref string, o form.Options) ([]*repo.Opened, error) {
	return openTar(ctx, ref, func() (io.ReadCloser, error) { return disk.Open(ref) }, o)
}

// openTarText reads the catalogs in a tar that is in memory.
func openTarText(ctx context.Context, name string, text []byte, o form.Options) ([]*repo.Opened, error) {
	return openTar(ctx, name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }, o)
}

func openTar(ctx context.Context, ref string, open func() (io.ReadCloser, error), o form.Options) ([]*repo.Opened, error) {
	fsys, err := image.OpenTar(ctx, open, image.Options{MaxSize: o.MaxSize, Progress: o.Progress})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	if isImages(fsys) {
		return nil, fmt.Errorf("%s: an archive of images with other files before them: give it as oci-archive:%s or docker-archive:%s", ref, ref, ref)
	}
	s := &source.Source{Fsys: fsys, Prefix: ref}
	for dir := "."; dir != ""; {
		if dir = singleFolder(s.Fsys); dir != "" {
			if s.Fsys, err = fs.Sub(s.Fsys, dir); err != nil {
				return nil, fmt.Errorf("%s: %w", ref, err)
			}
			s = &source.Source{Fsys: s.Fsys, Prefix: s.Display(dir)}
		}
	}
	o.Progress = nil // unpacking has reported it
	cats, err := Folder(ctx, s, o)
	if err == nil && isEmpty(cats) {
		return nil, noCatalog(ctx, ref, s, o, "")
	}
	for _, c := range cats {
		c.Container = catalogs.TarContainer
	}
	return cats, err
}

// isImages reports whether a folder has the content of an archive of images: an OCI layout, or the files of docker save.
func isImages(fsys fs.FS) bool {
	head, err := filetype.Head(fsys, "manifest.json")
	return source.IsFile(fsys, "index.json") && source.IsFile(fsys, "oci-layout") || err == nil && bytes.HasPrefix(bytes.TrimSpace(head), []byte("["))
}

// singleFolder returns the only entry of a folder if that is a folder, as in most archives; "" otherwise, and if its name has an
// OpenShift version.
func singleFolder(fsys fs.FS) string {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil || len(entries) != 1 || !entries[0].IsDir() || catalogs.OpenShiftVersion(entries[0].Name()) != "" {
		return ""
	}
	return entries[0].Name()
}
