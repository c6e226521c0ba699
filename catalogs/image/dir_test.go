package image

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// FuzzDir reads any texts as the manifest, the configuration and the layer of a folder that skopeo has written to dir:. Names of
// blobs in them are replaced by their digests.
func FuzzDir(f *testing.F) {
	manifest := `{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": {"digest": "CONFIG", "size": 1,
		"mediaType": "application/vnd.oci.image.config.v1+json"}, "layers": [{"digest": "LAYER", "size": 1, "mediaType": "application/vnd.oci.image.layer.v1.tar"}]}`
	index := `{"schemaVersion": 2, "manifests": [{"digest": "MANIFEST", "size": 1, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"platform": {"os": "linux", "architecture": "amd64"}}]}`
	config := `{"os": "linux", "architecture": "amd64", "config": {"Labels": {"` + ConfigsLabel + `": "/configs"}}, "rootfs": {"type": "layers", "diff_ids": ["LAYER"]}}`
	layer := tarOf(f, "configs/a = one")
	f.Add(manifest, manifest, config, layer)
	f.Add(index, manifest, config, layer)
	f.Add(index, index, strings.Replace(config, ConfigsLabel, BundleLabel, 1), layer)
	f.Fuzz(func(t *testing.T, top, inner, config string, layer []byte) {
		if len(layer) > 1<<18 || Compression(layer) != "" {
			return
		}
		config = strings.ReplaceAll(config, "LAYER", digestOf(layer).String())
		named := func(text string) string {
			text = strings.ReplaceAll(text, "LAYER", digestOf(layer).String())
			return strings.ReplaceAll(text, "CONFIG", digestOf([]byte(config)).String())
		}
		inner = named(inner)
		top = strings.ReplaceAll(named(top), "MANIFEST", digestOf([]byte(inner)).String())
		blobs := map[string][]byte{"manifest.json": []byte(top), digestOf([]byte(inner)).Hex + ".manifest.json": []byte(inner),
			digestOf([]byte(config)).Hex: []byte(config), digestOf(layer).Hex: layer}
		images, err := dirImages(t.Context(), func(name string) (io.ReadCloser, error) {
			text, ok := blobs[name]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(bytes.NewReader(text)), nil
		})
		if err != nil {
			wantError(t, err)
			return
		}
		s := &imageSource{images: images, close: func() error { return nil }}
		img, err := s.read(context.Background(), Options{MaxSize: 1 << 18})
		if err != nil {
			return
		}
		fs.WalkDir(img.FS, ".", func(name string, _ fs.DirEntry, err error) error { return err })
	})
}
