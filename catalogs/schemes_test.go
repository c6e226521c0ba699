package catalogs

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs/image"
)

const tarred = "schema: olm.package\nname: red\n"

func tarWith(headers ...tar.Header) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		h.Mode = 0o644
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(tarred))
		}
		w.WriteHeader(&h)
		if h.Typeflag == tar.TypeReg {
			w.Write([]byte(tarred))
		}
	}
	w.Close()
	return out.Bytes()
}

// TestTar wants no name and no link in an archive to lead out of it, and an archive that ends early to be no catalog.
func TestTar(t *testing.T) {
	file := tar.Header{Name: "a/red.yaml", Typeflag: tar.TypeReg}
	whole := tarWith(file)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(whole)
	w.Close()
	for name, test := range map[string]struct {
		text  []byte
		fault string
	}{
		"plain":     {whole, ""},
		"absolute":  {tarWith(tar.Header{Name: "/a/red.yaml", Typeflag: tar.TypeReg}), ""},
		"gzip":      {packed.Bytes(), ""},
		"twice":     {tarWith(file, file), ""},
		"whiteout":  {tarWith(file, tar.Header{Name: "a/.wh.red.yaml", Typeflag: tar.TypeSymlink, Linkname: "red.yaml"}), ""},
		"hard link": {tarWith(file, tar.Header{Name: "b/red.yaml", Linkname: "a/red.yaml", Typeflag: tar.TypeLink}), ""},
		"upwards":   {tarWith(file, tar.Header{Name: "../../red.yaml", Typeflag: tar.TypeReg}), "leads out"},
		"cut":       {whole[:530], "cannot be read to its end"},
		"cut gzip":  {packed.Bytes()[:packed.Len()-8], "cannot be read to its end"},
		"link out":  {tarWith(tar.Header{Name: "a/red.yaml", Linkname: "../../../../etc/passwd", Typeflag: tar.TypeSymlink}), "problem"},
	} {
		cats, err := Open(t.Context(), "-", Options{Stdin: bytes.NewReader(test.text)})
		switch {
		case test.fault == "problem":
			if err == nil && (len(cats[0].Problems) == 0 || len(cats[0].Packages) > 0) {
				t.Errorf("%s: %+v", name, cats[0])
			}
		case test.fault == "" && (err != nil || len(cats[0].Packages) != 1 || cats[0].Container != "tar archive"):
			t.Errorf("%s: %v", name, err)
		case test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)):
			t.Errorf("%s: %v, want %q", name, err, test.fault)
		}
	}
}

func FuzzTar(f *testing.F) {
	f.Add(tarWith(tar.Header{Name: "a/red.yaml", Typeflag: tar.TypeReg}))
	f.Add(tarWith(tar.Header{Name: "b", Linkname: "b", Typeflag: tar.TypeSymlink}, tar.Header{Name: "a/c", Linkname: "../b", Typeflag: tar.TypeLink}))
	f.Add(xzOf(f, tarWith(tar.Header{Name: "a/red.yaml", Typeflag: tar.TypeReg})))
	f.Add(gzipped(tarWith(tar.Header{Name: "manifest.json", Typeflag: tar.TypeReg})))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !image.IsTar(bytes.NewReader(text)) {
			return
		}
		openTar(t.Context(), "x.tar", func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }, Options{MaxSize: 1 << 20})
	})
}

// FuzzBundleImage reads any texts as a CSV, a CRD and the annotations of a bundle image.
func FuzzBundleImage(f *testing.F) {
	csv := "kind: ClusterServiceVersion\nmetadata: {name: red.v1.0.0}\nspec: {version: 1.0.0, customresourcedefinitions: {owned: [{name: a.b, kind: A, version: v1}]}}\n"
	crd := "kind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: {group: b, names: {kind: A, plural: a}, versions: [{name: v1}]}\n"
	notes := "annotations: {operators.operatorframework.io.bundle.package.v1: red, operators.operatorframework.io.bundle.channels.v1: 'a,b,,a'}\n"
	f.Add(csv, crd, notes)
	f.Add(csv+"---\n"+csv, "", "annotations: []\ndependencies: [1, {type: olm.gvk}]\nproperties: {}\n")
	f.Add("[", "{}", notes+notes)
	f.Fuzz(func(t *testing.T, csv, crd, notes string) {
		text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
		img := &image.Image{Bundle: true, FS: fstest.MapFS{"manifests/csv.yaml": text(csv), "manifests/crd.yaml": text(crd), "metadata/annotations.yaml": text(notes)}}
		cats, err := openBundleImage(t.Context(), img, image.Registry, "docker://x", "x", Options{})
		if err != nil || len(cats) != 1 {
			t.Fatalf("%d catalogs, %v", len(cats), err)
		}
		var reader Manifests
		for _, p := range cats[0].Packages {
			for _, b := range p.Bundles {
				if _, err := b.Facts(); err != nil || b.Image.Value != "x" {
					t.Errorf("%q, %v", b.Image.Value, err)
				}
				if _, err := reader.Of(b); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
