package open

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/memfs"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/sqlite"
)

// scheme is a prefix of references to one form of source.
type scheme struct {
	Prefix string
	open   func(ctx context.Context, ref, rest string, o form.Options) ([]*catalogs.Catalog, error)
}

// schemes returns all schemes; those of images are as in containers-transports(5).
func schemes() []scheme {
	images := func(kind image.Kind) func(context.Context, string, string, form.Options) ([]*catalogs.Catalog, error) {
		return func(ctx context.Context, ref, rest string, o form.Options) ([]*catalogs.Catalog, error) {
			return openImage(ctx, kind, ref, rest, o)
		}
	}
	return []scheme{
		{"oci:", images(image.OCILayout)},
		{"oci-archive:", images(image.OCIArchive)},
		{"docker-archive:", images(image.DockerArchive)},
		{"docker://", images(image.Registry)},
		{"git:", openGit},
		{"sqlite:", func(ctx context.Context, _, rest string, o form.Options) ([]*catalogs.Catalog, error) {
			return single(openDatabase(ctx, rest, o))
		}},
		{"dir:", func(ctx context.Context, ref, rest string, o form.Options) ([]*catalogs.Catalog, error) {
			info, err := os.Stat(rest)
			if err == nil && !info.IsDir() {
				err = errors.New("not a folder")
			}
			if err != nil {
				return nil, source.CannotOpen(rest, err)
			}
			if kind, ok := image.Recognise(rest); ok && kind == image.Dir {
				return openImage(ctx, kind, ref, rest, o)
			}
			return openFolderTree(ctx, rest, o)
		}},
	}
}

// SchemeOf returns the scheme of a reference, and the rest after it. A reference that is the path of a file or folder has none.
func SchemeOf(ref string) (scheme, string, bool) {
	for _, s := range schemes() {
		if rest, ok := strings.CutPrefix(ref, s.Prefix); ok {
			if _, err := os.Lstat(ref); err == nil {
				return s, "", false
			}
			return s, rest, true
		}
	}
	return scheme{}, "", false
}

// IsPath reports whether a reference is a path on disk, and not one to an image.
func IsPath(ref string) bool {
	s, _, ok := SchemeOf(ref)
	if ref == "-" || ok {
		return ok && s.Prefix == "dir:"
	}
	_, isImage := image.Recognise(ref)
	return !isImage
}

// openImage reads the catalog of an index image.
func openImage(ctx context.Context, kind image.Kind, ref, rest string, o form.Options) ([]*catalogs.Catalog, error) {
	img, err := image.Open(ctx, kind, rest, imageOptions(o))
	if err != nil {
		return nil, err
	}
	return catalogsOf(ctx, img, kind, ref, rest, o)
}

// openArchive reads the catalog of an index image in an archive that is in memory.
func openArchive(ctx context.Context, kind image.Kind, ref string, text []byte, o form.Options) ([]*catalogs.Catalog, error) {
	img, err := image.OpenArchive(ctx, kind, text, imageOptions(o))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return catalogsOf(ctx, img, kind, ref, "", o)
}

func imageOptions(o form.Options) image.Options {
	return image.Options{Platform: o.Platform, MaxSize: o.MaxSize, Insecure: o.Insecure, Progress: o.Progress}
}

// catalogsOf reads what is in an image. rest is its reference without the scheme.
func catalogsOf(ctx context.Context, img *image.Image, kind image.Kind, ref, rest string, o form.Options) ([]*catalogs.Catalog, error) {
	o.Progress = nil // unpacking has reported it
	var cats []*catalogs.Catalog
	var err error
	if img.Bundle {
		cats, err = openBundleImage(ctx, img, kind, ref, rest, o)
	} else if img.Database != nil {
		cats, err = single(readDatabase(ctx, databaseOf(img), ref+"/"+img.DatabasePath, o))
	} else {
		prefix := ref
		if img.Root != "." {
			prefix += "/" + img.Root
		}
		cats, err = single(fbc.OpenFolder(ctx, &source.Source{Fsys: img.FS, Prefix: prefix}, ".", o))
	}
	for _, c := range cats {
		c.Container = kind.String() + " image"
	}
	return cats, err
}

// openBundleImage reads a bundle image as a catalog of one bundle. If it is in a registry, its reference is the image of the bundle, as
// opm renders it.
func openBundleImage(ctx context.Context, img *image.Image, kind image.Kind, ref, rest string, o form.Options) ([]*catalogs.Catalog, error) {
	if !manifests.IsBundleFolder(img.FS, ".") {
		return nil, fmt.Errorf("%s: a bundle image by its label %s, but without the folders manifests/ and metadata/", ref, image.BundleLabel)
	}
	cats, err := manifests.OpenBundles(ctx, &source.Source{Fsys: img.FS, Prefix: ref}, catalogs.BundleFolder, []string{"."}, nil, o)
	for _, c := range cats {
		for _, p := range c.Packages {
			for _, b := range p.Bundles {
				if kind == image.Registry {
					b.Image = catalogs.Text{Value: rest, Pos: b.Pos}
				}
			}
		}
	}
	return cats, err
}

// nothingRead reports whether no text was read, and no problem found.
func nothingRead(cats []*catalogs.Catalog) bool {
	for _, c := range cats {
		if c.Stats.Bytes > 0 || len(c.Problems) > 0 || c.Deferred != nil && !c.Deferred.Empty() {
			return false
		}
	}
	return true
}

var ErrNoCatalog = errors.New("there is no catalog in it")

// noCatalog returns the error for a folder without a catalog.
func noCatalog(ref, last string) error {
	return fmt.Errorf("%s: %w: looked for files of a file-based catalog, package manifests (*.package.yaml), "+
		"a bundle (manifests/ and metadata/), a repository of bundles (operators/*/*)%s", ref, ErrNoCatalog, last)
}

// openFolderTree reads the catalogs of a folder on disk.
func openFolderTree(ctx context.Context, ref string, o form.Options) ([]*catalogs.Catalog, error) {
	s := source.OnDisk(ref, o.Overlay)
	if _, err := fs.ReadDir(s.Fsys, "."); err != nil {
		return nil, source.CannotOpen(ref, err)
	}
	cats, err := Tree(ctx, s, o)
	if err == nil && nothingRead(cats) {
		return nil, noCatalog(ref, " and an image (oci-layout)")
	}
	repo.SetRepository(cats, repo.RepositoryAbove(ref))
	return labelOpenShiftPath(ref, cats, err)
}

// databaseOf returns the database in an image.
func databaseOf(img *image.Image) sqlite.Source {
	return sqlite.Source{FS: img.FS, Name: path.Base(img.DatabasePath)}
}

// openDatabase reads a SQLite index in a file.
func openDatabase(ctx context.Context, name string, o form.Options) (*catalogs.Catalog, error) {
	return readDatabase(ctx, sqlite.Path(name), name, o)
}

// readDatabase reads a SQLite index. Each object that its rows are converted to is read like a file of a file-based catalog.
func readDatabase(ctx context.Context, db sqlite.Source, name string, o form.Options) (*catalogs.Catalog, error) {
	var rows memfs.Packed
	var paths []string
	var problems []catalogs.Problem
	limits := sqlite.Options{MaxTotal: o.MaxSize, Problem: func(p sqlite.Problem) { problems = append(problems, rowProblem(name, p)) }}
	err := sqlite.Read(ctx, db, limits, func(d sqlite.Document) error {
		paths = append(paths, d.Name)
		rows.Add(d.Name, d.JSON)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c, err := fbc.Load(ctx, &source.Source{Fsys: &rows, Prefix: name, Database: true}, paths, problems, o)
	if c != nil {
		c.Form = catalogs.SQLite
		c.Stats.Files = 1
	}
	return c, err
}

// rowProblem returns the problem of a row or table.
func rowProblem(name string, p sqlite.Problem) catalogs.Problem {
	out := catalogs.Problem{Kind: catalogs.ParseProblem, Pos: catalogs.Pos{File: name}, Message: p.Message, Bundle: p.Bundle}
	if p.Note {
		out.Kind = catalogs.LostDocument
	}
	if p.Table != "" {
		out.Pos.File += "/" + p.Table
	}
	if p.Row > 0 {
		out.Message = fmt.Sprintf("row %d: %s", p.Row, p.Message)
	}
	return out
}

// isTarFile reports whether a file is a tar, compressed or not.
func isTarFile(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return image.IsTar(f)
}

// openTarFile reads the catalogs in a tar of a folder.
func openTarFile(ctx context.Context, ref string, o form.Options) ([]*catalogs.Catalog, error) {
	return openTar(ctx, ref, func() (io.ReadCloser, error) { return os.Open(ref) }, o)
}

// openTarText reads the catalogs in a tar that is in memory.
func openTarText(ctx context.Context, name string, text []byte, o form.Options) ([]*catalogs.Catalog, error) {
	return openTar(ctx, name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }, o)
}

func openTar(ctx context.Context, ref string, open func() (io.ReadCloser, error), o form.Options) ([]*catalogs.Catalog, error) {
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
	cats, err := Tree(ctx, s, o)
	if err == nil && nothingRead(cats) {
		return nil, noCatalog(ref, "")
	}
	for _, c := range cats {
		c.Container = "tar archive"
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

// isImageDir reports whether a folder is an image in the form that the containers tools call dir (containers-transports(5)).
func isImageDir(fsys fs.FS) bool {
	if !source.IsFile(fsys, "version") || !source.IsFile(fsys, "manifest.json") {
		return false
	}
	head, err := filetype.Head(fsys, "version")
	return err == nil && bytes.HasPrefix(head, []byte("Directory Transport Version:"))
}
