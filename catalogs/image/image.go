// Package image reads the catalog in an operator index image, or the bundle in a bundle image: an OCI layout folder, an OCI
// archive, an archive of docker save, or an image in a registry. It needs no container daemon and writes nothing to disk: the
// folder that the image's label names is unpacked into memory, where its files are kept compressed, and is read from there as an
// fs.FS.
//
// The digest of every blob and the diff ID of every layer are verified, which of the readers of go-containerregistry only those of
// a registry do. Its others have no bounds against hostile images: layout reads an index.json of any size and follows links out of the
// folder, tarball searches the archive from its start for each file, mutate.Extract keeps every name of every layer, and a
// hard link without its file where a higher layer hides that, and validate reads each layer twice.
package image

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
)

// Kind is a form of image.
type Kind int

const (
	OCILayout     Kind = iota + 1 // a folder in the OCI image layout
	OCIArchive                    // the same folder as a tar
	DockerArchive                 // a tar written by docker save
	Registry                      // an image in a registry
)

// String returns the scheme by which the containers tools call a kind (containers-transports(5)).
func (k Kind) String() string {
	return [...]string{"", "oci", "oci-archive", "docker-archive", "docker"}[k]
}

// The labels by which an index image names its catalog (operator-registry: pkg/containertools ConfigsLocationLabel and
// DbLocationLabel).
const (
	configsLabel  = "operators.operatorframework.io.index.configs.v1"
	databaseLabel = "operators.operatorframework.io.index.database.v1"
)

// BundleLabel is the label by which opm recognises a bundle image (operator-registry: alpha/action renderImageConfig).
const BundleLabel = "operators.operatorframework.io.bundle.package.v1"

// defaultMaxSize bounds the unpacked catalog unless Options say otherwise.
const defaultMaxSize = 2 << 30

// Options select an image and limit what is read of it.
type Options struct {
	Platform string            // os/arch or os/arch/variant; "": linux/amd64, or else the only one that there is
	MaxSize  int64             // bytes of the unpacked catalog; 0: defaultMaxSize
	Insecure bool              // allow a registry without TLS or with an untrusted certificate
	Progress func(bytes int64) // called after each piece of a layer that was read, with its size as stored

	shared *http.Transport        // the connections of several images; nil: each has its own
	named  func(host string) bool // with shared: registries that may be without TLS
}

// Image is the catalog of an index image, or the content of a bundle image. It keeps no file and no connection open.
type Image struct {
	// FS is the folder that configsLabel names. Of an image with a database it has the database file alone.
	FS   fs.FS
	Root string // the path of FS in the image, "configs", or "." if that is the image's own root

	// Database is the SQLite file that databaseLabel names, nil if the image has a folder. DatabasePath is its path in the image;
	// in FS its name is the last element of that.
	Database     *io.SectionReader
	DatabasePath string

	// Bundle says that it is a bundle image: FS is its root, which has manifests/ and metadata/.
	Bundle bool

	Labels    map[string]string
	Digest    string // of the manifest; of the configuration, which is the image ID, in a docker archive
	Reference string // the tag or name that the archive or the registry has the image under, "" if it has none
	Platform  string
}

// Open reads the catalog of an image. ref is a path or, for a Registry, a name as in docker pull. A path may be followed by :TAG,
// :NAME:TAG or @DIGEST to select one of several images. Only for a Registry is the network used. If an image has both labels the
// folder is read, as in opm.
func Open(ctx context.Context, kind Kind, ref string, o Options) (img *Image, err error) {
	s, err := openSource(ctx, kind, ref, o)
	if err == nil {
		img, err = s.read(ctx, o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return img, nil
}

// OpenArchive is Open for an archive of images that is in memory.
func OpenArchive(ctx context.Context, kind Kind, text []byte, o Options) (*Image, error) {
	images, err := archiveImages(ctx, kind, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return (&imageSource{images: images, close: func() error { return nil }}).read(ctx, o)
}

// read reads the catalog of the selected image, and closes the source.
func (s *imageSource) read(ctx context.Context, o Options) (*Image, error) {
	defer s.close()
	platform, err := parsePlatform(o.Platform)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(ctx, s.images, s.wanted, platform)
	if err != nil {
		return nil, err
	}
	return chosen.open(ctx, o)
}

// open reads the catalog of an image, or its bundle.
func (c *candidate) open(ctx context.Context, o Options) (*Image, error) {
	has, err := c.load(ctx)
	if err != nil {
		return nil, err
	}
	img := &Image{Labels: has.config.Config.Labels, Digest: c.digest.String(), Reference: c.reference(), Platform: has.platform().String()}
	return img, img.fill(ctx, has, o)
}

// fill unpacks what the labels name.
func (img *Image) fill(ctx context.Context, c *contents, o Options) error {
	name, isFolder := img.Labels[configsLabel]
	_, isBundle := img.Labels[BundleLabel]
	switch {
	case !isFolder && isBundle:
		name, isFolder, img.Bundle = ".", true, true
	case !isFolder:
		name = img.Labels[databaseLabel]
	}
	if name == "" {
		return fmt.Errorf("no index image: it has neither the label %s nor %s; %s", configsLabel, databaseLabel,
			describeLabels(img.Labels))
	}
	t, err := unpack(ctx, c.layers, cleanImagePath(name), o)
	if err != nil {
		return err
	}
	switch {
	case t.wanted == nil:
		return fmt.Errorf("its label says that the catalog is in %s, but no layer of the image has that", name)
	case isFolder != (t.wanted.kind == folder):
		return fmt.Errorf("its label says that the catalog is in %s, but that is %s", name, t.wanted.kind)
	case isFolder:
		img.FS, img.Root = &files{tree: t, root: t.root}, t.root
	default:
		img.Root, img.DatabasePath = path.Dir(t.root), t.root
		img.FS = &files{tree: t, root: img.Root}
		img.Database = t.cache.Reader(t.wanted.text)
	}
	return nil
}

// cleanImagePath returns a path in the image as io/fs would write it.
func cleanImagePath(name string) string {
	if name = path.Clean("/" + name)[1:]; name == "" {
		return "."
	}
	return name
}
