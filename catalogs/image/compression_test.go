package image

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packedBy are texts packed with each program whose packing can be written here.
func packedBy(t testing.TB, text []byte) map[string][]byte {
	t.Helper()
	pack := func(w io.WriteCloser, err error, out *bytes.Buffer) []byte {
		if err == nil {
			_, err = w.Write(text)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	var gz, zst bytes.Buffer
	z, err := zstd.NewWriter(&zst)
	return map[string][]byte{"gzip": pack(gzip.NewWriter(&gz), nil, &gz), "zstd": pack(z, err, &zst)}
}

// TestPackedArchives reads the same image from an archive with each compression, from a file and from memory, also if a layer is
// too large to be kept.
func TestPackedArchives(t *testing.T) {
	large := make([]byte, 3<<20/2)
	rand.NewChaCha8([32]byte{}).Read(large)
	for i := range large {
		large[i] = large[i]%64 + '0'
	}
	img := build(t, "linux/amd64", configs, gzipLayer(t, makeTar(t, "configs/a = one\n configs/b = two")),
		gzipLayer(t, makeTar(t, "usr/x = "+string(large))), gzipLayer(t, makeTar(t, "configs/b = three\n configs/c = "+string(large[:1000]))))
	dir := writeLayout(t, []string{"v1"}, img)
	for kind, name := range map[Kind]string{OCIArchive: packArchive(t, dir), DockerArchive: dockerSave(t, map[string]v1.Image{"a/b:v1": img})} {
		plain, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for program, text := range packedBy(t, plain) {
			what := kind.String() + ", " + program
			path := write(t, text)
			if got, ok := Recognise(path); !ok || got != kind {
				t.Errorf("%s: recognised as %v, %v", what, got, ok)
			}
			for _, open := range []func() (*Image, error){
				func() (*Image, error) { return Open(t.Context(), kind, path, Options{}) },
				func() (*Image, error) { return Open(t.Context(), kind, path+":v1", Options{}) },
				func() (*Image, error) { return OpenArchive(t.Context(), kind, text, Options{}) },
			} {
				found, err := open()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if got, err := fs.ReadFile(found.FS, "b"); err != nil || string(got) != "three" {
					t.Errorf("%s: %q, %v", what, got, err)
				}
			}
			_, err := Open(t.Context(), kind, write(t, text[:len(text)*2/3]), Options{})
			wantError(t, err, "damaged after its file")
		}
	}
}

// TestBzip2 reads a tar of a folder and an archive of images that bzip2 has packed.
func TestBzip2(t *testing.T) {
	folder, err := OpenTar(t.Context(), func() (io.ReadCloser, error) { return os.Open("testdata/folder.tar.bz2") }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(folder, "configs/a"); err != nil || string(got) != "one\n" {
		t.Errorf("%q, %v", got, err)
	}
	kind, ok := Recognise("testdata/oci.tar.bz2")
	if !ok || kind != OCIArchive {
		t.Fatalf("%v, %v", kind, ok)
	}
	img, err := Open(t.Context(), kind, "testdata/oci.tar.bz2", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(img.FS, "a"); err != nil || string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestUnpackedAnew wants unpacking an archive again for each of its layers to end.
func TestUnpackedAnew(t *testing.T) {
	text := packedBy(t, makeTar(t, "x = y"))["gzip"]
	left := int64(5000)
	a := &archive{files: map[string]archived{"x": {off: 512, size: 1}}}
	a.unpack = func() (io.ReadCloser, error) { return unpackArchive(t.Context(), bytes.NewReader(text), &left) }
	var err error
	for i := 0; i < 20 && err == nil; i++ {
		var r io.ReadCloser
		if r, err = a.open("x"); err == nil {
			_, err = io.ReadAll(r)
		}
	}
	wantError(t, err, "unpack it first")
}

// TestPackedLayers reads layers however they are packed, whatever their media type says.
func TestPackedLayers(t *testing.T) {
	plain := makeTar(t, "configs/a = one")
	for program, text := range packedBy(t, plain) {
		img := build(t, "linux/amd64", configs, blobLayer{text, "application/vnd.oci.image.layer.v1.tar", newDigest(plain)})
		found, err := Open(t.Context(), OCILayout, writeLayout(t, []string{"v1"}, img), Options{})
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		if got, err := fs.ReadFile(found.FS, "a"); err != nil || strings.TrimSpace(string(got)) != "one" {
			t.Errorf("%s: %q, %v", program, got, err)
		}
	}
}
