package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// dirVersion is the beginning of the file version in a folder that skopeo has written to dir: (containers-transports(5)).
const dirVersion = "Directory Transport Version:"

// isDir reports whether a folder is an image that skopeo has written to dir:.
func isDir(dir string) bool {
	head, err := disk.Head(disk.Folder(dir), "version", len(dirVersion))
	return err == nil && string(head) == dirVersion && disk.IsFile(filepath.Join(dir, "manifest.json"))
}

// dirStore has each blob in a file named after its digest, and the manifests of an index in files HEX.manifest.json.
type dirStore struct {
	open func(name string) (io.ReadCloser, error)
	top  v1.Hash // of manifest.json
}

func (s dirStore) blob(_ context.Context, h v1.Hash) (io.ReadCloser, error) { return s.open(h.Hex) }

func (s dirStore) manifest(_ context.Context, h v1.Hash) (io.ReadCloser, error) {
	if h == s.top {
		return s.open("manifest.json")
	}
	return s.open(h.Hex + ".manifest.json")
}

func openDir(ctx context.Context, dir string) (*imageSource, error) {
	root, err := disk.OpenRoot(dir, false)
	if err != nil {
		return nil, fmt.Errorf("expected a folder as skopeo writes it to dir: %w", disk.Cause(err))
	}
	images, err := dirImages(ctx, openIn(root))
	if err != nil {
		root.Close()
		return nil, err
	}
	return &imageSource{images: images, close: root.Close}, nil
}

// dirImages returns the image of the folder, or those of its index.
func dirImages(ctx context.Context, open func(name string) (io.ReadCloser, error)) ([]*candidate, error) {
	r, err := open("manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("expected a folder as skopeo writes it to dir:, but it has no manifest.json")
	}
	if err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	text, err := readJSON(r)
	if err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	sum := sha256.Sum256(text)
	s := dirStore{open: open, top: v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%x", sum)}}
	w := indexWalk{store: s}
	index, err := v1.ParseIndexManifest(bytes.NewReader(text))
	if err == nil && len(index.Manifests) > 0 {
		err = w.walkAll(ctx, index.Manifests, &candidate{})
		return w.images, err
	}
	err = w.walk(ctx, v1.Descriptor{Digest: s.top}, &candidate{})
	return w.images, err
}
