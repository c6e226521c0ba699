package open

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// openImage reads the catalog of an index image.
func openImage(ctx context.Context, kind image.Kind, ref, rest string, o form.Options) ([]*repo.Opened, error) {
	img, err := image.Open(ctx, kind, rest, imageOptions(o))
	if err != nil {
		return nil, err
	}
	return readImageCatalogs(ctx, img, kind, ref, rest, o)
}

// openImageArchive reads the catalog of an index image in an archive that is in memory.
func openImageArchive(ctx context.Context, kind image.Kind, ref string, text []byte, o form.Options) ([]*repo.Opened, error) {
	img, err := image.OpenArchive(ctx, kind, text, imageOptions(o))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return readImageCatalogs(ctx, img, kind, ref, "", o)
}

func imageOptions(o form.Options) image.Options {
	return image.Options{Platform: o.Platform, MaxSize: o.MaxSize, Insecure: o.Insecure, Progress: o.Progress}
}

// readImageCatalogs reads what is in an image. rest is its reference without the scheme.
func readImageCatalogs(ctx context.Context, img *image.Image, kind image.Kind, ref, rest string, o form.Options) ([]*repo.Opened, error) {
	o.Progress = nil // unpacking has reported it
	var cats []*repo.Opened
	var err error
	if img.Bundle {
		cats, err = openBundleImage(ctx, img, kind, ref, rest, o)
	} else if img.Database != nil {
		cats, err = singleOpened(readDatabase(ctx, imageDatabase(img), ref+"/"+img.DatabasePath, o))
	} else {
		prefix := ref
		if img.Root != "." {
			prefix += "/" + img.Root
		}
		cats, err = readNow(ctx, repo.FromFiles(fbc.OpenFolder(&source.Source{Fsys: img.FS, Prefix: prefix}, o)), nil, o)
	}
	for _, c := range cats {
		c.Container = kind.String() + " image"
	}
	return cats, err
}

// openBundleImage reads a bundle image as a catalog of one bundle. If it is in a registry, its reference is the image of the bundle, as
// opm renders it.
func openBundleImage(ctx context.Context, img *image.Image, kind image.Kind, ref, rest string, o form.Options) ([]*repo.Opened, error) {
	if !manifests.IsBundleFolder(img.FS, ".") {
		return nil, fmt.Errorf("%s: a bundle image by its label %s, but without the folders manifests/ and metadata/", ref, image.BundleLabel)
	}
	cats, err := manifests.ReadBundles(ctx, &source.Source{Fsys: img.FS, Prefix: ref}, []string{"."}, o)
	for _, c := range cats {
		for _, p := range c.Packages {
			for _, b := range p.Bundles {
				if kind == image.Registry {
					b.Image = catalogs.Text{Value: rest, Pos: b.Pos}
				}
			}
		}
	}
	return repo.FromCatalogs(cats...), err
}

// isImageDir reports whether a folder is an image in the form that the containers tools call dir (containers-transports(5)).
func isImageDir(fsys fs.FS) bool {
	if !source.IsFile(fsys, "version") || !source.IsFile(fsys, "manifest.json") {
		return false
	}
	head, err := filetype.Head(fsys, "version")
	return err == nil && bytes.HasPrefix(head, []byte("Directory Transport Version:"))
}
