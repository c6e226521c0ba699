package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// makeTar writes a layer out of a list of what is in it, one a line:
//
//	dir/
//	file = text
//	link -> target
//	hard link => target
//	pipe |
//	device #
func makeTar(t testing.TB, list string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		h, text := parseHeader(line)
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func parseHeader(line string) (h *tar.Header, text string) {
	name, mark, rest := line, "", ""
	if fields := strings.SplitN(line, " ", 3); len(fields) > 1 {
		name, mark, rest = fields[0], fields[1], strings.Join(fields[2:], "")
	}
	h = &tar.Header{Name: name, Mode: 0o644, Linkname: rest}
	switch mark {
	case "->":
		h.Typeflag = tar.TypeSymlink
	case "=>":
		h.Typeflag = tar.TypeLink
	case "|":
		h.Typeflag = tar.TypeFifo
	case "#":
		h.Typeflag = tar.TypeChar
	case "=":
		return &tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg, Size: int64(len(rest))}, rest
	default:
		h.Typeflag = tar.TypeDir
	}
	return h, ""
}

// blobLayer is a layer for the library, with one of the compressions.
type blobLayer struct {
	packed []byte
	media  types.MediaType
	diffID v1.Hash
}

func newDigest(text []byte) v1.Hash {
	sum := sha256.Sum256(text)
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
}

func (l blobLayer) Digest() (v1.Hash, error)            { return newDigest(l.packed), nil }
func (l blobLayer) DiffID() (v1.Hash, error)            { return l.diffID, nil }
func (l blobLayer) Size() (int64, error)                { return int64(len(l.packed)), nil }
func (l blobLayer) MediaType() (types.MediaType, error) { return l.media, nil }
func (l blobLayer) Compressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(l.packed)), nil
}
func (l blobLayer) Uncompressed() (io.ReadCloser, error) {
	return nil, errors.New("nobody asks for that")
}

func plainLayer(text []byte) blobLayer {
	return blobLayer{text, types.OCIUncompressedLayer, newDigest(text)}
}

func gzipLayer(t testing.TB, text []byte) blobLayer {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return blobLayer{packed.Bytes(), types.OCILayer, newDigest(text)}
}

func zstdLayer(t testing.TB, text []byte) blobLayer {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return blobLayer{w.EncodeAll(text, nil), types.OCILayerZStd, newDigest(text)}
}

// build makes an image.
func build(t testing.TB, platform string, labels map[string]string, layers ...v1.Layer) v1.Image {
	t.Helper()
	base := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img, err := mutate.AppendLayers(base, layers...)
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, _ = strings.Cut(platform, "/")
	config.Config.Labels = labels
	if img, err = mutate.ConfigFile(img, config); err != nil {
		t.Fatal(err)
	}
	return img
}

var configs = map[string]string{configsLabel: "/configs"}

// catalogImage makes an image of layers that are given as lists, packed with gzip.
func catalogImage(t testing.TB, lists ...string) v1.Image {
	t.Helper()
	var layers []v1.Layer
	for _, list := range lists {
		layers = append(layers, gzipLayer(t, makeTar(t, list)))
	}
	return build(t, "linux/amd64", configs, layers...)
}

// writeLayout writes an OCI layout with images, each under its tag unless that is empty.
func writeLayout(t testing.TB, tags []string, images ...mutate.Appendable) string {
	t.Helper()
	dir := t.TempDir()
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	for i, img := range images {
		var options []layout.Option
		if tags[i] != "" {
			options = append(options, layout.WithAnnotations(map[string]string{refName: tags[i]}))
		}
		switch img := img.(type) {
		case v1.Image:
			err = p.AppendImage(img, options...)
		case v1.ImageIndex:
			err = p.AppendIndex(img, options...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// packArchive packs a folder as a tar.
func packArchive(t testing.TB, dir string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "image.tar")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := tar.NewWriter(f)
	if err := cmpErrors(w.AddFS(os.DirFS(dir)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// dockerSave writes what docker save would.
func dockerSave(t testing.TB, images map[string]v1.Image) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	byName := map[name.Tag]v1.Image{}
	for tag, img := range images {
		parsed, err := name.NewTag(tag)
		if err != nil {
			t.Fatal(err)
		}
		byName[parsed] = img
	}
	if err := tarball.MultiWriteToFile(path, byName); err != nil {
		t.Fatal(err)
	}
	return path
}

func cmpErrors(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// listing describes a folder in the language of makeTar, with the text that is found through a link.
func listing(fsys fs.FS) string {
	var out strings.Builder
	fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name == ".":
		case entry.IsDir():
			fmt.Fprintf(&out, "%s/\n", name)
			return nil
		default:
			out.WriteString(name)
			if target, err := fs.ReadLink(fsys, name); err == nil {
				fmt.Fprintf(&out, " -> %s", target)
			}
			if text, err := fs.ReadFile(fsys, name); err != nil {
				fmt.Fprintf(&out, " ! %v\n", disk.Cause(err))
			} else {
				fmt.Fprintf(&out, " = %s\n", text)
			}
		}
		return err
	})
	return out.String()
}

// lines takes the indentation of a raw string away.
func lines(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// wantError wants an error of one line that says something.
func wantError(t testing.TB, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want %q", says)
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error is %q; want %q in it", err, s)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("the error %q has several lines", err)
	}
}
