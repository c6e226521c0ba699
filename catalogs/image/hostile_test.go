package image

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// openLayers opens an image of layers that need not be what the library would make.
func openLayers(t testing.TB, o Options, layers ...v1.Layer) (*Image, error) {
	t.Helper()
	return Open(t.Context(), OCILayout, writeLayout(t, []string{""}, build(t, "linux/amd64", configs, layers...)), o)
}

func TestHostileLayers(t *testing.T) {
	long := strings.Repeat("a/", maxPath)
	tests := []struct{ name, list, want string }{
		{"traversal", "configs/a = x\n ../../etc/passwd = x", "the name ../../etc/passwd leads out of the image"},
		{"traversal inside", "configs/../../etc/passwd = x", "leads out of the image"},
		{"absolute traversal", "/../etc/passwd = x", "leads out of the image"},
		{"hard link out", "configs/a => ../../etc/passwd", "leads out of the image"},
		{"long name", "configs/" + long + "b = x", "is longer than 4096 bytes"},
		{"long link", "configs/b -> " + long, "a link of more than 4096 bytes"},
		{"a line in a name", "../a\rb = x", `the name "../a\rb" leads out`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			layer := gzipLayer(t, makeTar(t, test.list))
			_, err := openLayers(t, Options{}, layer)
			wantError(t, err, "layer "+newDigest(layer.packed).String(), test.want)
		})
	}
}

// TestDamage changes the bytes of an image after it was written.
func TestDamage(t *testing.T) {
	text := makeTar(t, "configs/a = "+strings.Repeat("some text ", 5000))
	layer := gzipLayer(t, text)
	other := gzipLayer(t, makeTar(t, "configs/a = other"))
	half := layer.packed[:len(layer.packed)/2]
	flipped := bytes.Clone(layer.packed)
	flipped[len(flipped)/2] ^= 0x55
	tests := []struct {
		name  string
		bytes []byte
		want  string
	}{
		{"truncated", half, "is damaged"},
		{"flipped", flipped, "is damaged"},
		{"other", other.packed, "is damaged: what is there has the digest " + newDigest(other.packed).String()},
		{"more behind it", append(bytes.Clone(layer.packed), "more"...), "is damaged"},
		{"nothing", nil, "is damaged"},
		{"no tar", []byte("text"), "is damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := writeLayout(t, []string{""}, build(t, "linux/amd64", configs, layer))
			name := filepath.Join(dir, "blobs", "sha256", newDigest(layer.packed).Hex)
			catalogtest.Write(t, name, string(test.bytes))
			_, err := Open(t.Context(), OCILayout, dir, Options{})
			wantError(t, err, newDigest(layer.packed).String(), test.want)
		})
	}
}

// TestLies has layers that are what their digests say, but not what the configuration says or not readable.
func TestLies(t *testing.T) {
	text := makeTar(t, "configs/a = "+strings.Repeat("text ", 100))
	packed := gzipLayer(t, text)
	tests := []struct {
		name  string
		layer blobLayer
		want  string
	}{
		{"diff ID", blobLayer{packed.packed, packed.media, newDigest([]byte("other"))},
			"layer " + newDigest([]byte("other")).String() + " is damaged"},
		{"truncated tar", gzipLayer(t, text[:600]), "unexpected EOF"},
		{"truncated gzip", blobLayer{packed.packed[:len(packed.packed)-9], packed.media, newDigest(text)}, "unexpected EOF"},
		{"no tar", gzipLayer(t, bytes.Repeat([]byte("text"), 1000)), "invalid tar header"},
		{"xz", blobLayer{[]byte("\xfd7zXZ\x00"), packed.media, newDigest(text)}, "packed with xz, which is not read: unpack it"},
		{"window", zstdWindow(t, text, 1<<29), "window size"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := openLayers(t, Options{}, test.layer)
			wantError(t, err, "layer "+newDigest(test.layer.packed).String(), test.want)
		})
	}
}

// zstdWindow packs a layer so that a decoder has to keep much of it.
func zstdWindow(t *testing.T, text []byte, window int) blobLayer {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithWindowSize(window), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Flush()
	w.Write(text)
	w.Close()
	return blobLayer{out.Bytes(), types.OCILayerZStd, newDigest(append(bytes.Clone(text), text...))}
}

// bomb packs a file of so many zeros.
func bomb(t testing.TB, name string, size int64) blobLayer {
	return packedTar(t, func(w io.Writer) {
		archive := tar.NewWriter(w)
		archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: size})
		zeros := make([]byte, 1<<20)
		for left := size; left > 0; left -= int64(len(zeros)) {
			archive.Write(zeros[:min(left, int64(len(zeros)))])
		}
		archive.Close()
	})
}

func TestBomb(t *testing.T) {
	in := bomb(t, "configs/a", 64<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := openLayers(t, Options{MaxSize: 32 << 20}, in)
	wantError(t, err, "unpacks to more than 32 MiB", "--max-size")
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("a bomb of %d bytes took %d MiB", len(in.packed), grown>>20)
	}

	out := bomb(t, "other/a", 64<<20)
	img, err := openLayers(t, Options{MaxSize: 1 << 20}, gzipLayer(t, makeTar(t, "configs/a = one")), out)
	if err != nil || listing(img.FS) != "a = one\n" {
		t.Errorf("what is not wanted counts: %v", err)
	}
}

// TestLinkedBomb shows one file many times.
func TestLinkedBomb(t *testing.T) {
	for _, mark := range []string{"-> a", "=> configs/a"} {
		list := "configs/a = " + strings.Repeat("x", 1<<20) + "\n"
		for i := range 40 {
			list += fmt.Sprintf("configs/%d %s\n", i, mark)
		}
		_, err := openLayers(t, Options{MaxSize: 32 << 20}, gzipLayer(t, makeTar(t, list)))
		wantError(t, err, "unpacks to more than 32 MiB")
		if _, err := openLayers(t, Options{MaxSize: 64 << 20}, gzipLayer(t, makeTar(t, list))); err != nil {
			t.Error(err)
		}
	}
}

// TestManyFiles has a layer of very many files that are not wanted, and one of more than are kept.
func TestManyFiles(t *testing.T) {
	block := makeTar(t, "other/a =")[:512]
	unwanted := packedTar(t, func(w io.Writer) {
		for range 300_000 {
			w.Write(block)
		}
	})
	took := time.Now()
	img, err := openLayers(t, Options{}, gzipLayer(t, makeTar(t, "configs/a = one")), unwanted)
	if err != nil || listing(img.FS) != "a = one\n" {
		t.Errorf("files that are not wanted: %v", err)
	}
	t.Logf("their headers: %v", time.Since(took))

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = openLayers(t, Options{}, packedTar(t, func(w io.Writer) {
		archive := tar.NewWriter(w)
		for i := range maxNodes + 1 {
			archive.WriteHeader(&tar.Header{Name: fmt.Sprintf("configs/%d", i), Typeflag: tar.TypeReg})
		}
	}))
	wantError(t, err, "more than 250000 files")
	runtime.ReadMemStats(&after)
	t.Logf("%d files: %d MiB", maxNodes, (after.Sys-before.Sys)>>20)
}

// packedTar compresses a layer that is too large for memory.
func packedTar(t testing.TB, write func(io.Writer)) blobLayer {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := newDigester(v1.Hash{Algorithm: "sha256"})
	if err != nil {
		t.Fatal(err)
	}
	write(io.MultiWriter(w, sum))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return blobLayer{packed.Bytes(), types.OCILayer, v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum.Sum(nil))}}
}

// rawLayout writes an OCI layout out of blobs and an index.
func rawLayout(t *testing.T, index any, blobs ...[]byte) string {
	t.Helper()
	dir := t.TempDir()
	text, err := json.Marshal(index)
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "blobs", "sha256"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "index.json"), text, 0o600)
	}
	for _, blob := range blobs {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "blobs", "sha256", newDigest(blob).Hex), blob, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func manifestList(media types.MediaType, digests ...v1.Hash) v1.IndexManifest {
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex}
	for _, h := range digests {
		index.Manifests = append(index.Manifests, v1.Descriptor{MediaType: media, Digest: h})
	}
	return index
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// missingLayers writes a manifest and a configuration for so many layers that are not there.
func missingLayers(t *testing.T, layers, diffs int, labels map[string]string) (manifest, config []byte) {
	t.Helper()
	h := newDigest(nil)
	c := v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Labels: labels}}
	m := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}
	for range diffs {
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, h)
	}
	for range layers {
		m.Layers = append(m.Layers, v1.Descriptor{MediaType: types.OCILayer, Digest: h})
	}
	config = marshal(t, c)
	m.Config.Digest = newDigest(config)
	return marshal(t, m), config
}

func TestHostileManifests(t *testing.T) {
	many, manyConfig := missingLayers(t, 10_000, 10_000, configs)
	uneven, unevenConfig := missingLayers(t, 2, 1, configs)
	missing, missingConfig := missingLayers(t, 1, 1, configs)
	wide := manifestList(types.OCIManifestSchema1, make([]v1.Hash, maxImages+1)...)
	for i := range wide.Manifests {
		wide.Manifests[i].Digest = newDigest([]byte{byte(i), byte(i >> 8)})
	}
	deep := [][]byte{missing, missingConfig}
	top := manifestList(types.OCIManifestSchema1, newDigest(missing))
	for range maxNested + 1 {
		deep = append(deep, marshal(t, top))
		top = manifestList(types.OCIImageIndex, newDigest(deep[len(deep)-1]))
	}
	itself := newDigest([]byte("itself"))
	huge := []byte(`{"x":"` + strings.Repeat("x", maxJSON) + `"}`)
	text := []byte("text")
	tests := []struct {
		name  string
		index any
		blobs [][]byte
		want  string
	}{
		{"10,000 layers", manifestList(types.OCIManifestSchema1, newDigest(many)), [][]byte{many, manyConfig}, "10000 layers"},
		{"uneven", manifestList(types.OCIManifestSchema1, newDigest(uneven)), [][]byte{uneven, unevenConfig}, "has 2 layers, its configuration 1"},
		{"no layer", manifestList(types.OCIManifestSchema1, newDigest(missing)), [][]byte{missing, missingConfig}, "file does not exist"},
		{"no configuration", manifestList(types.OCIManifestSchema1, newDigest(missing)), [][]byte{missing}, newDigest(missingConfig).String()},
		{"is not a manifest", manifestList(types.OCIManifestSchema1, itself), nil, "blob " + itself.String()},
		{"no manifest but text", manifestList(types.OCIManifestSchema1, newDigest(text)), [][]byte{text}, "is not a manifest"},
		{"no index but text", manifestList(types.OCIImageIndex, newDigest(text)), [][]byte{text}, "is not an index"},
		{"huge manifest", manifestList(types.OCIManifestSchema1, newDigest(huge)), [][]byte{huge}, "more than 8 MiB"},
		{"huge index", map[string]string{"x": string(huge)}, nil, "index.json: more than 8 MiB"},
		{"many images", wide, nil, "more than 20000 images"},
		{"deep", top, deep, "nested so deep"},
		{"schema 1", manifestList(types.DockerManifestSchema1Signed, itself), nil, "schema 1"},
		{"bad digest", json.RawMessage(`{"manifests":[{"digest":"sha256:../../etc/passwd"}]}`), nil, "index.json is not an index"},
		{"other hash", json.RawMessage(`{"manifests":[{"digest":"md5:00"}]}`), nil, "index.json is not an index"},
		{"only others", manifestList("application/vnd.example", itself), nil, "no image is in it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := rawLayout(t, test.index, test.blobs...)
			_, err := Open(t.Context(), OCILayout, dir, Options{})
			wantError(t, err, test.want)
			_, err = Open(t.Context(), OCIArchive, packArchive(t, dir), Options{})
			wantError(t, err, test.want)
		})
	}
}

// TestIndexInItself has an index that lists its own digest, which only someone who does not compare digests would follow.
func TestIndexInItself(t *testing.T) {
	h := newDigest([]byte("x"))
	text := marshal(t, manifestList(types.OCIImageIndex, h))
	dir := rawLayout(t, manifestList(types.OCIImageIndex, h))
	catalogtest.Write(t, filepath.Join(dir, "blobs", "sha256", h.Hex), string(text))
	_, err := Open(t.Context(), OCILayout, dir, Options{})
	wantError(t, err, "blob "+h.String()+" is damaged")
}

func TestHostileArchives(t *testing.T) {
	config := string(marshal(t, v1.ConfigFile{RootFS: v1.RootFS{DiffIDs: []v1.Hash{newDigest(nil)}}}))
	id := newDigest([]byte(config)).Hex
	tests := []struct{ name, list, want string }{
		{"is not a manifest", "a = x", "no manifest.json"},
		{"text", "manifest.json = text", "manifest.json is not a list"},
		{"configuration's name", `manifest.json = [{"Config":"../../etc/passwd"}]`, `the configuration "../../etc/passwd"`},
		{"no configuration", `manifest.json = [{"Config":"` + id + `.json"}]`, "file does not exist"},
		{"other configuration", `manifest.json = [{"Config":"` + id + `.json"}]` + "\n" + id + ".json = {}", "is damaged"},
		{"no layer", `manifest.json = [{"Config":"` + id + `.json","Layers":["../a"]}]` + "\n" + id + ".json = " + config,
			"neither the label"},
		{"links in a cycle", "manifest.json -> a\n a -> manifest.json", "no manifest.json"},
		{"link to nothing", "manifest.json => ../../etc/passwd", "no manifest.json"},
		{"no image", `manifest.json = []`, "no image is in it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(t.Context(), DockerArchive, write(t, makeTar(t, test.list)), Options{})
			wantError(t, err, test.want)
		})
	}
	_, err := Open(t.Context(), DockerArchive, write(t, []byte("text")), Options{})
	wantError(t, err, "expected a tar archive of images")
	_, err = Open(t.Context(), OCIArchive, t.TempDir(), Options{})
	wantError(t, err, "a folder, not a file")
	_, err = Open(t.Context(), OCILayout, write(t, nil), Options{})
	wantError(t, err, "expected a folder in the OCI image layout")
	_, err = Open(t.Context(), OCILayout, t.TempDir(), Options{})
	wantError(t, err, "expected an OCI image layout", "index.json")
	_, err = Open(t.Context(), OCILayout, "nothing:v1", Options{})
	wantError(t, err, "nothing:v1: ")
}

// TestLinkedBlobs has a layout whose blobs are links: out of it they are not followed, nor is what is no file opened.
func TestLinkedBlobs(t *testing.T) {
	dir := writeLayout(t, []string{""}, imageSaying(t, "linux/amd64", "x"))
	blobs := filepath.Join(dir, "blobs", "sha256")
	entries, err := os.ReadDir(blobs)
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(blobs, entry.Name()), filepath.Join(outside, entry.Name())); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, entry.Name()), filepath.Join(blobs, entry.Name())); err != nil {
			t.Skip(err)
		}
	}
	_, err = Open(t.Context(), OCILayout, dir, Options{})
	wantError(t, err, "escapes")
}

// TestInterrupt ends the reading of an image by its context.
func TestInterrupt(t *testing.T) {
	layer := bomb(t, "other/a", 256<<20)
	dir := writeLayout(t, []string{""}, build(t, "linux/amd64", configs, layer))
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Open(ctx, OCILayout, dir, Options{Progress: func(int64) { cancel() }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestUsedUp reads an image of more than may be read, wanted or not.
func TestUsedUp(t *testing.T) {
	text := makeTar(t, "other/a = "+strings.Repeat("x", 2*pieceSize))
	for _, b := range []*budget{{packed: 100, unpacked: 1 << 20}, {packed: 1 << 20, unpacked: 1000}} {
		l := layer{diffID: newDigest(text), open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(text)), nil
		}}
		r, err := l.read(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); !errors.Is(err, errTooMuch) {
			t.Errorf("%v: %v", b, err)
		}
		r.Close()
	}
}

// FuzzLayer reads any bytes as the upper of two layers.
func FuzzLayer(f *testing.F) {
	for _, list := range []string{
		"configs/a = one\n configs/b -> a\n configs/c => configs/a",
		"configs/.wh.a =\n configs/p/.wh..wh..opq =\n configs/a/b = x\n configs/a #",
		"../a = x", "configs -> /x\n x/a = y", ".wh.configs =", "configs/.wh.. =\n .wh... =\n .wh. =",
	} {
		f.Add(makeTar(f, list))
	}
	lower := makeTar(f, "configs/a = one\n configs/p/b = two\n configs/c => configs/a\n configs/d -> p/b")
	layerOf := func(text []byte) layer {
		return layer{diffID: newDigest(text), open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(text)), nil
		}}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<20 || Compression(text) != "" {
			return
		}
		img := &Image{Labels: configs}
		err := img.fill(t.Context(), &contents{layers: []layer{layerOf(lower), layerOf(text)}}, Options{MaxSize: 1 << 20})
		if err != nil {
			wantError(t, err)
			return
		}
		var size int64
		fs.WalkDir(img.FS, ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil && fs.ValidPath(name) {
				t.Errorf("%q: %v", name, err)
			}
			if read, err := fs.ReadFile(img.FS, name); err == nil {
				size += int64(len(read))
			}
			return nil
		})
		if size > 1<<20 {
			t.Errorf("%d bytes out of %d", size, len(text))
		}
	})
}
