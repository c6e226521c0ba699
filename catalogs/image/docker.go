package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// dockerImages returns the images that the manifest.json of a docker archive lists.
func dockerImages(ctx context.Context, a *archive) ([]*candidate, error) {
	r, err := a.open("manifest.json")
	if err != nil {
		return nil, errors.New("expected an archive as docker save writes it, but it has no manifest.json")
	}
	text, err := readJSON(r)
	if err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	var manifest tarball.Manifest
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("manifest.json is not a list of images: %w", err)
	}
	if len(manifest) > maxImages {
		return nil, fmt.Errorf("more than %d images are in it", maxImages)
	}
	var images []*candidate
	for _, d := range manifest {
		id, err := imageID(d.Config)
		if err != nil {
			return nil, err
		}
		images = append(images, &candidate{tags: d.RepoTags, digest: id,
			load: func(context.Context) (*contents, error) { return readDocker(a, d, id) }})
	}
	return images, ctx.Err()
}

// imageID returns the digest that the name of a configuration consists of: HEX.json, sha256:HEX or blobs/sha256/HEX.
func imageID(name string) (v1.Hash, error) {
	hex := strings.TrimPrefix(strings.TrimSuffix(path.Base(name), ".json"), "sha256:")
	id, err := v1.NewHash("sha256:" + hex)
	if err != nil {
		return id, fmt.Errorf("manifest.json names the configuration %q: expected a name made of its digest", name)
	}
	return id, nil
}

func readDocker(a *archive, d tarball.Descriptor, id v1.Hash) (*contents, error) {
	r, err := a.open(d.Config)
	text, err := readVerified(r, err, id)
	if err != nil {
		return nil, err
	}
	config, err := parseConfig(text, len(d.Layers))
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", id, err)
	}
	c := &contents{config: config}
	for i, name := range d.Layers {
		c.layers = append(c.layers, layer{name: name, diffID: config.RootFS.DiffIDs[i],
			open: func(context.Context) (io.ReadCloser, error) { return a.open(name) }})
	}
	return c, nil
}
