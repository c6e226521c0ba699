package image

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	maxJSON   = 8 << 20 // of an index, a manifest or a configuration
	maxLayers = 1000    // of an image: overlayfs supports 500, Docker 127
	maxNested = 4       // indexes in indexes
)

// Annotations by which an index names its images: the OCI's is a tag or a name, containerd's always a name.
const (
	refName        = "org.opencontainers.image.ref.name"
	containerdName = "io.containerd.image.name"
)

// layoutImages returns the images of an OCI layout.
func layoutImages(ctx context.Context, l ociLayout) ([]*candidate, error) {
	r, err := l.open("index.json")
	if err != nil {
		return nil, fmt.Errorf("expected an OCI image layout, but its index.json cannot be read: %w", err)
	}
	text, err := readJSON(r)
	if err != nil {
		return nil, fmt.Errorf("index.json: %w", err)
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("index.json is not an index of images: %w", err)
	}
	w := indexWalk{store: l}
	err = w.walkAll(ctx, index.Manifests, &candidate{})
	return w.images, err
}

// readJSON reads a small blob and closes it.
func readJSON(r io.ReadCloser) ([]byte, error) {
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxJSON+1))
	if err == nil && len(text) > maxJSON {
		err = fmt.Errorf("more than %d MiB of JSON", maxJSON>>20)
	}
	return text, err
}

// readVerified reads a small blob and verifies its digest.
func readVerified(r io.ReadCloser, err error, h v1.Hash) ([]byte, error) {
	var text []byte
	if err == nil {
		text, err = readJSON(r)
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", h, err)
	}
	sum, err := newDigester(h)
	if err != nil {
		return nil, err
	}
	sum.Write(text)
	return text, sum.check("blob")
}

// indexWalk collects the images of an index and of the indexes in it.
type indexWalk struct {
	store  store
	images []*candidate
	seen   int
}

// walkAll adds the images that an index lists. in has the tags of the index and the indexes that it is in.
func (w *indexWalk) walkAll(ctx context.Context, list []v1.Descriptor, in *candidate) error {
	for _, d := range list {
		if err := w.walk(ctx, d, in); err != nil {
			return err
		}
	}
	return nil
}

func (w *indexWalk) walk(ctx context.Context, d v1.Descriptor, in *candidate) error {
	if w.seen++; w.seen > maxImages {
		return fmt.Errorf("more than %d images and indexes are in it", maxImages)
	}
	c := &candidate{digest: d.Digest, within: in.within, platform: d.Platform, tags: descriptorTags(d)}
	if len(c.tags) == 0 {
		c.tags = in.tags
	}
	switch {
	case d.MediaType.IsIndex():
		return w.descend(ctx, d.Digest, c)
	case d.MediaType.IsSchema1():
		return errors.New("an image of schema 1, which is obsolete: build the image again")
	case d.MediaType != "" && !d.MediaType.IsImage(), d.Annotations["vnd.docker.reference.type"] == "attestation-manifest":
		return nil
	}
	c.load = func(ctx context.Context) (*contents, error) { return readImage(ctx, w.store, d) }
	w.images = append(w.images, c)
	return nil
}

func (w *indexWalk) descend(ctx context.Context, h v1.Hash, c *candidate) error {
	if len(c.within) >= maxNested {
		return fmt.Errorf("index %s is in %d others: none that builders write is nested so deep", h, maxNested)
	}
	r, err := w.store.manifest(ctx, h)
	text, err := readVerified(r, err, h)
	if err != nil {
		return err
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("blob %s is not an index of images: %w", h, err)
	}
	c.within = append(c.within[:len(c.within):len(c.within)], h)
	return w.walkAll(ctx, index.Manifests, c)
}

func descriptorTags(d v1.Descriptor) []string {
	for _, key := range []string{containerdName, refName} {
		if name := d.Annotations[key]; name != "" {
			return []string{name}
		}
	}
	return nil
}

// readImage reads a manifest and the configuration that it names.
func readImage(ctx context.Context, s store, image v1.Descriptor) (*contents, error) {
	h := image.Digest
	r, err := s.manifest(ctx, h)
	manifest, err := readVerified(r, err, h)
	if err != nil {
		return nil, err
	}
	m, err := v1.ParseManifest(bytes.NewReader(manifest))
	if err != nil {
		return nil, fmt.Errorf("blob %s is not a manifest: %w", h, err)
	}
	if m.Config.Digest.Hex == "" {
		return nil, fmt.Errorf("blob %s is not the manifest of an image: it names no configuration", h)
	}
	r, err = s.blob(ctx, m.Config.Digest)
	text, err := readVerified(r, err, m.Config.Digest)
	if err != nil {
		return nil, err
	}
	c := &contents{media: cmp.Or(m.MediaType, image.MediaType), manifestText: manifest, configText: text, configDigest: m.Config.Digest}
	if c.config, err = parseConfig(text, len(m.Layers)); err != nil {
		return nil, fmt.Errorf("image %s: %w", h, err)
	}
	absent := layersLeftOut(image)
	for i, d := range m.Layers {
		if absent[d.Digest.String()] {
			continue
		}
		c.layers = append(c.layers, layer{name: d.Digest.String(), digest: d.Digest, diffID: c.config.RootFS.DiffIDs[i],
			open: func(ctx context.Context) (io.ReadCloser, error) { return s.blob(ctx, d.Digest) }})
	}
	return c, nil
}

// parseConfig parses a configuration, which must have a number of layers.
func parseConfig(text []byte, layers int) (*v1.ConfigFile, error) {
	config, err := v1.ParseConfigFile(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("its configuration cannot be read: %w", err)
	}
	switch diffs := len(config.RootFS.DiffIDs); {
	case layers > maxLayers:
		return nil, fmt.Errorf("%d layers: no container runtime takes more than %d", layers, maxLayers)
	case diffs != layers:
		return nil, fmt.Errorf("no container image: its manifest has %d layers, its configuration %d", layers, diffs)
	}
	return config, nil
}
