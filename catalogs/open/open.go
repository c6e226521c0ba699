// Package open opens catalogs by a reference: a folder, a file, standard input, an image or a revision of git. It recognises the form by
// what is there.
package open

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/listing"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/stream"
)

// Open reads the catalogs of a reference: a folder, a file, "-" for standard input, or a reference with a scheme. It recognises the form
// by what is there. Mostly that is one catalog. A folder is several catalogs if all folders in it are named after OpenShift versions, as
// v4.18, 4.18, community-v4.18 or community-4-18: each of these is one, and each file with such a name; other files in it are ignored. A catalog
// repository is several if a folder in its catalogs/ has such a name and Options ask for all OpenShift versions.
func Open(ctx context.Context, ref string, o form.Options) ([]*catalogs.Catalog, error) {
	o.Deferred = false
	all, err := Catalogs(ctx, ref, o)
	return repo.Catalogs(all), err
}

// Catalogs opens the catalogs that Open reads, and reads them unless Options defer that.
func Catalogs(ctx context.Context, ref string, o form.Options) ([]*repo.Opened, error) {
	if ref == "-" {
		return openStdin(ctx, o)
	}
	if s, rest, ok := CutScheme(ref); ok {
		return s.open(ctx, ref, rest, o)
	}
	ref = filepath.ToSlash(ref) // positions have one kind of slash
	info, err := disk.Stat(ref)
	if err != nil {
		return nil, source.CannotOpen(ref, err)
	}
	if kind, ok := image.Recognise(ref); ok {
		if o.As.Form != "" && info.IsDir() { // what opm reads beside the files of the image is the catalog
			cats, err := openDiskFolder(ctx, ref, o)
			for _, c := range cats {
				if has, errRead := c.HasPackage(ctx, nil); has || errRead != nil {
					return cats, cmp.Or(err, errRead)
				}
			}
		}
		return openImage(ctx, kind, ref, ref, o)
	}
	if !info.IsDir() {
		cats, err := openFile(ctx, ref, info, o)
		repo.SetBundles(source.OnDisk(filepath.Dir(ref), o.Overlay), cats, o)
		repo.SetRepository(cats, repo.RepositoryAbove(filepath.Dir(ref)))
		return labelOpenShiftPath(ref, cats, err)
	}
	return openDiskFolder(ctx, ref, o)
}

// singleOpened returns a catalog that is read.
func singleOpened(c *catalogs.Catalog, err error) ([]*repo.Opened, error) {
	if err != nil {
		return nil, err
	}
	return repo.FromCatalogs(c), nil
}

func openStdin(ctx context.Context, o form.Options) ([]*repo.Opened, error) {
	if o.Stdin == nil {
		return nil, errors.New("there is no standard input to read the catalog from")
	}
	return openStream(ctx, o.Stdin, "stdin", o)
}

// openStream reads a catalog that can be read only once, and keeps its text.
func openStream(ctx context.Context, r io.Reader, name string, o form.Options) ([]*repo.Opened, error) {
	data, err := io.ReadAll(io.LimitReader(r, stream.MaxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > stream.MaxDocument {
		return nil, fmt.Errorf("%s: more than 512 MiB: give the catalog as a file", name)
	}
	if kind, ok := image.RecogniseArchive(bytes.NewReader(data)); ok {
		return openImageArchive(ctx, kind, name, data, o)
	}
	if image.IsTar(bytes.NewReader(data)) {
		return openTarText(ctx, name, data, o)
	}
	if err := filetype.RejectContainer(data[:min(len(data), filetype.HeadSize)], name, "-"); err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errEmpty)
	}
	return loadText(ctx, &source.Source{Fsys: source.MemoryFile{Name: name, Text: data}}, name, data[:min(len(data), filetype.HeadSize)], o)
}

// loadText reads a file-based catalog in one file, or what a cluster has or says of catalogs.
func loadText(ctx context.Context, s *source.Source, name string, head []byte, o form.Options) ([]*repo.Opened, error) {
	if listing.MayBeListing(head) {
		if c, err := listing.OpenListing(ctx, s, name, o); c != nil || err != nil {
			return singleOpened(c, err)
		}
	}
	if c, err := expansion.OpenTemplate(ctx, s, name, o); c != nil || err != nil {
		return singleOpened(c, err)
	}
	return readNow(ctx, repo.FromFiles(fbc.Open(s, []string{name}, nil, o)), nil, o)
}

var errEmpty = errors.New("there is no catalog in it: it is empty")

func openFile(ctx context.Context, path string, info fs.FileInfo, o form.Options) ([]*repo.Opened, error) {
	switch mode := info.Mode(); {
	case mode.IsRegular() && isDatabase(path):
		return singleOpened(openDatabase(ctx, path, o))
	case mode.IsRegular() && isTarFile(path):
		return openTarFile(ctx, path, o)
	case mode.IsRegular():
		dir, name := filepath.Dir(path), filepath.Base(path)
		s := source.OnDisk(dir, o.Overlay)
		all, err := loadFile(ctx, s, name, path, o)
		repo.SetTemplates(s, all, o)
		return all, err
	case disk.IsShellPipe(path):
		f, err := disk.Stream(path)
		if err != nil {
			return nil, source.CannotOpen(path, err)
		}
		defer f.Close()
		return openStream(ctx, f, path, o)
	case mode&fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("%s: a named pipe; to read a catalog from a pipe, give - and redirect standard input", path)
	}
	return nil, fmt.Errorf("%s: neither a folder nor a regular file", path)
}

// loadFile reads what loadText does in one file, which the reference names.
func loadFile(ctx context.Context, s *source.Source, name, ref string, o form.Options) ([]*repo.Opened, error) {
	head, err := filetype.Head(s.Fsys, name)
	if err == nil { // else loadText reports it
		if len(head) == 0 {
			return nil, fmt.Errorf("%s: %w", ref, errEmpty)
		}
		if err := filetype.RejectContainer(head, ref, ref); err != nil {
			return nil, err
		}
	}
	s.Single = name
	return loadText(ctx, s, name, head, o)
}

// labelOpenShift sets the OpenShift version of a single catalog by the last element of its path.
func labelOpenShift(path string, cats []*repo.Opened, err error) ([]*repo.Opened, error) {
	if len(cats) == 1 && cats[0].OpenShift == "" {
		cats[0].OpenShift = catalogs.OpenShiftVersion(filepath.Base(path))
	}
	return cats, err
}

// labelOpenShiftPath is labelOpenShift for a path on disk, which may be relative.
func labelOpenShiftPath(path string, cats []*repo.Opened, err error) ([]*repo.Opened, error) {
	if abs, absErr := filepath.Abs(path); absErr == nil {
		path = abs
	}
	return labelOpenShift(path, cats, err)
}

// Options are what Open reads of a catalog, where from, and the limits of it.
type Options = form.Options
