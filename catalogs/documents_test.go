package catalogs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs/stream"
)

const folderCSV = "kind: ClusterServiceVersion # olmgraph:ignore some/rule it is meant\nmetadata: {name: boat.v1.0.0}\nspec: {version: 1.0.0}\n"

// TestFolderProgress wants to be told of each byte of bundles while they are read.
func TestFolderProgress(t *testing.T) {
	annotations := "annotations: {" + annotationPackage + ": boat, " + annotationChannels + ": a}\n"
	manifest := "packageName: boat\nchannels: [{name: a, currentCSV: boat.v1.0.0}]\n"
	repository := fstest.MapFS{}
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		repository["operators/boat/"+version+"/manifests/a.yaml"] = &fstest.MapFile{Data: []byte(folderCSV)}
		repository["operators/boat/"+version+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: []byte(annotations)}
	}
	bundle, err := repository.Sub("operators/boat/1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	for form, c := range map[Form]struct {
		fsys  fs.FS
		calls int
		bytes int
	}{
		Repository:   {repository, 3, 3 * (len(folderCSV) + len(annotations))},
		BundleFolder: {bundle, 1, len(folderCSV) + len(annotations)},
		PackageManifests: {fstest.MapFS{"boat.package.yaml": {Data: []byte(manifest)}, "1.0.0/a.yaml": {Data: []byte(folderCSV)}},
			2, len(manifest) + len(folderCSV)},
	} {
		calls, bytes := 0, int64(0)
		cats, err := openTree(t.Context(), &source{fsys: c.fsys}, Options{Progress: func(n int64) { calls, bytes = calls+1, bytes+n }})
		if err != nil || cats[0].Form != form {
			t.Fatal(form, err)
		}
		if calls != c.calls || bytes != int64(c.bytes) || bytes != cats[0].Stats.Bytes {
			t.Errorf("%s: told %d times of %d bytes, want %d of %d, as are counted: %d", form, calls, bytes, c.calls, c.bytes, cats[0].Stats.Bytes)
		}
	}
}

// TestIgnoresAreOfTheFirstReading changes a folder behind the catalog's back: what a bundle's folder says, and the comments in
// it, are those that were found when it was read.
func TestIgnoresAreOfTheFirstReading(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	annotations := "annotations: {" + annotationPackage + ": boat, " + annotationChannels + ": a} # olmgraph:ignore other/rule so is this\n"
	write("manifests/a.yaml", folderCSV)
	write("metadata/annotations.yaml", annotations)
	write("metadata/dependencies.yaml", "dependencies: [{type: olm.package, value: {packageName: p, version: '>1.0.0'}}]\n")
	c := openOne(t, dir, Options{})
	b := c.Packages[0].Bundles[0]
	write("manifests/a.yaml", "\n\n"+folderCSV)
	write("metadata/annotations.yaml", "\n"+annotations)
	folder := b.Folder()
	if _, err := new(Manifests).Of(b); err != nil {
		t.Fatal(err)
	}
	if folder.Annotated.Line != 1 || len(folder.Annotations) != 2 || len(folder.Dependencies) != 1 {
		t.Errorf("the folder has %+v", folder)
	}
	if found := c.Ignores(); len(found) != 2 {
		t.Errorf("the comments are %+v", found)
	}
}

func TestReadUpTo(t *testing.T) {
	for _, size := range []int{0, 1, 5000} {
		text := strings.Repeat("x", size)
		for _, said := range []int{0, size, 9000} {
			got, err := readUpTo(strings.NewReader(text), int64(said), 5000)
			if err != nil || string(got) != text {
				t.Errorf("%d bytes of %d that are said to be %d, %v", len(got), size, said, err)
			}
		}
		if _, err := readUpTo(strings.NewReader(text+"x"), int64(size), int64(size)); !errors.Is(err, stream.ErrTooLarge) {
			t.Errorf("more than %d bytes: %v", size, err)
		}
	}
}

// TestDocuments wants the documents of a text, whatever they are, and why others cannot be read.
func TestDocuments(t *testing.T) {
	text := "a: 1\n---\n- b\n---\nc: [\n---\n# empty\n---\nd: 2\n"
	d := decoderOf(&file{}, []byte(text))
	var got []string
	for _, doc := range d.documents() {
		got = append(got, text[doc.off:int(doc.off)+doc.size])
	}
	if joined := strings.Join(got, "|"); joined != "a: 1\n|- b\n|# empty\n|d: 2\n" || len(d.faults()) != 1 {
		t.Errorf("got %q, and faults %v", got, d.faults())
	}
	n := 0
	d = decoderOf(&file{}, []byte(text))
	for range d.documents() {
		n++
		break
	}
	if n != 1 || len(d.faults()) != 1 {
		t.Errorf("got %d documents, and faults %v", n, d.faults())
	}
}

// TestRevise edits documents of a stream, YAML and JSON, and leaves the others as they are.
func TestRevise(t *testing.T) {
	for text, want := range map[string]string{
		"\uFEFF# top\r\n---\r\nskips: [b, b]\r\n---\r\n{bad\r\n---\r\nskips:\r\n- b\r\n- b": "\uFEFF# top\r\n---\r\nskips: [b]\r\n---\r\n{bad\r\n---\r\nskips:\r\n- b",
		"{\"skips\": [\"b\", \"b\"]}\n{\"skips\": [\n\"b\",\n\"b\"]}\n{\n":                  "{\"skips\": [\"b\"]}\n{\"skips\": [\n\"b\"]}\n{\n",
		"{skips: [b, b]}\n": "{skips: [b]}\n",
	} {
		var edits []Edit
		starts := lineStarts([]byte(text))
		for line, start := range starts {
			end := len(text)
			if line+1 < len(starts) {
				end = starts[line+1]
			}
			if i := strings.LastIndex(text[start:end], "b"); i >= 0 && !strings.Contains(text[start:end], "bad") {
				if text[start:end][max(i-1, 0)] == '"' {
					i--
				}
				e := Edit{Pos: Pos{Line: line + 1, Col: i + 1}}
				e.Was = "b"
				edits = append(edits, e)
			}
		}
		got, refused := Revise([]byte(text), edits)
		if string(got) != want { // the first b stays: without it the object would be empty
			t.Errorf("%q, want %q (%v)", text, want, refused)
		}
	}
	if got, refused := Revise([]byte("a: b\n"), []Edit{{Pos: Pos{Line: 9, Col: 1}}}); refused[0] == nil || string(got) != "a: b\n" {
		t.Errorf("%q, %v", got, refused)
	}
}
