package image

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

func write(t testing.TB, text []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	catalogtest.Write(t, name, string(text))
	return name
}

func gzipped(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(text)
	w.Close()
	return write(t, out.Bytes())
}

func TestRecognise(t *testing.T) {
	img := imageSaying(t, "linux/amd64", "x")
	dir := writeLayout(t, []string{"v1"}, img)
	oci, docker := packArchive(t, dir), dockerSave(t, map[string]v1.Image{"a/b:v1": img})
	bare := writeLayout(t, []string{"v1"}, img)
	if err := os.Remove(filepath.Join(bare, "oci-layout")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		what, path string
		want       Kind
	}{
		{"layout", dir, OCILayout},
		{"layout with a tag", dir + ":v1", OCILayout},
		{"layout without oci-layout", bare, OCILayout},
		{"oci archive", oci, OCIArchive},
		{"docker archive", docker, DockerArchive},
		{"docker archive with a name", docker + ":a/b:v1", DockerArchive},
		{"packed oci archive", gzipped(t, oci), OCIArchive},
		{"packed docker archive", gzipped(t, docker), DockerArchive},
		{"both forms", write(t, makeTar(t, "manifest.json = x\n index.json = x\n oci-layout = x")), OCIArchive},
		{"dots", write(t, makeTar(t, "./\n ./manifest.json = x")), DockerArchive},
		{"folder", t.TempDir(), 0},
		{"other tar", write(t, makeTar(t, "configs/manifest.json = x")), 0},
		{"other packed tar", gzipped(t, write(t, makeTar(t, "configs/a = x"))), 0},
		{"text", write(t, []byte("schema: olm.package\n")), 0},
		{"packed text", gzipped(t, write(t, []byte("schema: olm.package\n"))), 0},
		{"nothing in it", write(t, nil), 0},
		{"nothing there", filepath.Join(t.TempDir(), "x"), 0},
		{"device", os.DevNull, 0},
	}
	for _, test := range tests {
		if got, ok := Recognise(test.path); got != test.want && ok || ok != (test.want != 0) {
			t.Errorf("%s: %v, %v; want %v", test.what, got, ok, test.want)
		}
	}
}

func FuzzRecognise(f *testing.F) {
	dir := writeLayout(f, []string{"v1"}, imageSaying(f, "linux/amd64", "x"))
	for _, name := range []string{packArchive(f, dir), gzipped(f, packArchive(f, dir))} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add(makeTar(f, "./manifest.json = x"))
	f.Add([]byte("schema: olm.package\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		kind, ok := RecogniseArchive(bytes.NewReader(text))
		if ok != (kind == OCIArchive || kind == DockerArchive) {
			t.Errorf("%v, %v", kind, ok)
		}
	})
}
