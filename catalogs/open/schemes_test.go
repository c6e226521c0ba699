package open

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/form"
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
		cats, err := Open(t.Context(), "-", form.Options{Stdin: bytes.NewReader(test.text)})
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
	f.Add(gzipped(tarWith(tar.Header{Name: "manifest.json", Typeflag: tar.TypeReg})))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !image.IsTar(bytes.NewReader(text)) {
			return
		}
		openTar(t.Context(), "x.tar", func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }, form.Options{MaxSize: 1 << 20})
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
		cats, err := openBundleImage(t.Context(), img, image.Registry, "docker://x", "x", form.Options{})
		if err != nil || len(cats) != 1 {
			t.Fatalf("%d catalogs, %v", len(cats), err)
		}
		var reader bundled.Manifests
		for _, p := range cats[0].Packages {
			for _, b := range p.Bundles {
				if _, err := bundled.Facts(b); err != nil || b.Image.Value != "x" {
					t.Errorf("%q, %v", b.Image.Value, err)
				}
				if _, err := reader.Read(b); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestRepositoryRoot reads the catalogs in the root of a git repository, and nothing else that is in it.
func TestRepositoryRoot(t *testing.T) {
	packageOf := func(name string) string {
		return "schema: olm.package\nname: " + name + "\n---\nschema: olm.bundle\npackage: " + name + "\n"
	}
	const template, workflow = "schema: olm.template.basic\nentries:\n- name: red\n  schema: olm.package\n", "on: push\n"
	around := map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core\n", ".github/workflows/lint.yaml": workflow, "README.md": "schema: olm.package\n",
		"docs/a.yaml": "a: [", "node_modules/x/package.yaml": packageOf("red"), ".hidden/red.yaml": packageOf("red"), "templates/red.yaml": template,
		"templates/red.json": `{"schema": "olm.semver", "x": {"schema": "olm.package"}}`, "deploy/crd.yaml": "kind: CustomResourceDefinition\nolm.package: x\n"}
	for name, is := range map[string]struct {
		files map[string]string
		want  string // catalogs and their files, and what is said to be read
	}{
		"one file":        {map[string]string{"catalog.yaml": packageOf("red")}, ":catalog.yaml catalog.yaml"},
		"a file of JSON":  {map[string]string{"a/b/red.json": `{"name": "red", "schema": "olm.package"} {"schema": "olm.bundle"}`}, ":a/b/red.json a/b"},
		"folders":         {map[string]string{"red/a.yaml": packageOf("red"), "blue/a.yml": packageOf("blue")}, ":blue/a.yml,red/a.yaml blue, red"},
		"one below":       {map[string]string{"catalog/red/a.yaml": packageOf("red"), "catalog/blue/a.yaml": packageOf("blue"), "catalog/README.md": "#"}, ":catalog/blue/a.yaml,catalog/red/a.yaml catalog"},
		"twice":           {map[string]string{"catalog/red.yaml": packageOf("red"), "dev/red.yaml": packageOf("red")}, "catalog:catalog/red.yaml dev:dev/red.yaml catalog, dev"},
		"versions":        {map[string]string{"v4.9/red.yaml": packageOf("red"), "v4.10/red.yaml": packageOf("red")}, "v4.9:v4.9/red.yaml v4.10:v4.10/red.yaml v4.10, v4.9"},
		"versions below":  {map[string]string{"catalogs/v4.9/red/a.yaml": packageOf("red"), "catalogs/v4.9/x": "schema: x"}, ":catalogs/v4.9/red/a.yaml,catalogs/v4.9/x catalogs"},
		"and another one": {map[string]string{"catalogs/v4.9/red.yaml": packageOf("red"), "catalogs/dev/red.yaml": packageOf("red")}, "catalogs/v4.9:catalogs/v4.9/red.yaml catalogs/dev:catalogs/dev/red.yaml catalogs"},
		"broken":          {map[string]string{"catalog.yaml": "schema: olm.channel\nname: [\n"}, ":catalog.yaml catalog.yaml"},
		"ignored":         {map[string]string{"catalog.yaml": packageOf("red"), "old.yaml": packageOf("red"), ".indexignore": "old.yaml\n"}, ":catalog.yaml catalog.yaml"},
		"none":            {nil, "there is no catalog in it"},
	} {
		dir := t.TempDir()
		for _, files := range []map[string]string{around, is.files} {
			for name, text := range files {
				name = filepath.Join(dir, filepath.FromSlash(name))
				catalogtest.Write(t, name, text)
			}
		}
		cats, err := Catalogs(t.Context(), dir, form.Options{Deferred: true})
		var got []string
		selected := ""
		for _, c := range cats {
			var paths []string
			for _, p := range c.Files.Paths {
				paths = append(paths, strings.TrimPrefix(c.Source.Display(p), filepath.ToSlash(dir)+"/"))
			}
			got = append(got, c.Name+":"+strings.Join(paths, ","))
			selected += c.Selected
		}
		text := strings.TrimSpace(strings.Join(append(got, selected), " "))
		if err != nil {
			text = err.Error()
		}
		if text != is.want && (err == nil || !strings.Contains(text, is.want)) {
			t.Errorf("%s: %s, want %s", name, text, is.want)
		}
	}
}

// TestGitFolderOfCatalog leaves out .git wherever it is on disk; a root that opm can read, since .indexignore names .git, is read as opm does.
func TestGitFolderOfCatalog(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"catalog/red.yaml": "schema: olm.package\nname: red\n---\nschema: olm.bundle\npackage: red\n", "catalog/README.md": "text", "catalog/sub/.git": "gitdir: x\n"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		catalogtest.Write(t, name, text)
	}
	problems := func() string {
		c := openOne(t, filepath.Join(dir, "catalog"), form.Options{})
		return fmt.Sprint(len(c.Problems), c.Selected)
	}
	if got := problems(); got != "1" { // README.md
		t.Error(got)
	}
	if err := os.Mkdir(filepath.Join(dir, "catalog", ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := problems(); got != "0red.yaml" {
		t.Error(got)
	}
	catalogtest.Write(t, filepath.Join(dir, "catalog", ".indexignore"), ".git\n")
	if got := problems(); got != "1" {
		t.Error(got)
	}
}

// twoTexts are a catalog in YAML and JSON.
const twoTexts = `
schema: olm.package
name: red
defaultChannel: stable
---
# comment
schema: olm.channel
package: red
name: stable
entries:
- name: red.v2.0.0
  replaces: red.v1.0.0
  skips: [red.v1.1.0, "red.v1.2.0"]
  skipRange: '>=1.0.0 <2.0.0'
- name: red.v1.0.0
---
schema: olm.bundle
package: red
name: red.v1.0.0
image: quay.io/red/red@sha256:0000000000000000000000000000000000000000000000000000000000000000
properties:
- type: olm.package
  value: {packageName: red, version: 1.0.0}
---
image: quay.io/red/red:v2
name: red.v2.0.0
package: red
schema: olm.bundle
properties:
- value:
    packageName: red
    version: 2.0.0
  type: olm.package
- type: olm.csv.metadata
  value:
    keywords: [a, 1]
---
schema: olm.deprecations
package: red
entries:
- reference:
    schema: olm.bundle
    name: red.v1.0.0
  message: too old
`

func problemLines(c *catalogs.Catalog) string {
	var lines []string
	for _, p := range c.Problems {
		lines = append(lines, p.Pos.String()+" "+p.Message)
	}
	return strings.Join(lines, "\n")
}
