package catalogs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

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
	folder := b.Folder
	if _, err := new(Manifests).Of(b); err != nil {
		t.Fatal(err)
	}
	if folder.AnnotationsPos.Line != 1 || len(folder.Annotations) != 2 || len(folder.Dependencies) != 1 {
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
		got, refused := ApplyEdits([]byte(text), edits)
		if string(got) != want { // the first b stays: without it the object would be empty
			t.Errorf("%q, want %q (%v)", text, want, refused)
		}
	}
	if got, refused := ApplyEdits([]byte("a: b\n"), []Edit{{Pos: Pos{Line: 9, Col: 1}}}); refused[0] == nil || string(got) != "a: b\n" {
		t.Errorf("%q, %v", got, refused)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct{ kind, value, want string }{
		{TypePackage, `{"packageName": "a", "version": 1.0}`, "olm.package.version is the number 1"},
		{TypePackage, `null`, ""},
		{TypePackage, `"a"`, `olm.package is the string "a", but opm expects an object`},
		{TypePackage, `{"packageName": null, "other": [1]}`, ""},
		{TypePackage, `{"PackageName": "a"}`, `opm reads "PackageName" as "packageName" only because it ignores case`},
		{TypeChannel, `{"priority": 1.0}`, ""},
		{TypeChannel, `{"priority": 1.5}`, "a whole number of 64 bits"},
		{TypeBundleObject, `{"data": "YQ=="}`, ""},
		{TypeBundleObject, `{"data": "YQ="}`, "olm.bundle.object.data is not base64"},
		{TypeBundleObject, `{"data": [123, 125]}`, ""},
		{TypeBundleObject, `{"data": [97, null]}`, "control characters are not allowed"},
		{TypeBundleObject, `{"data": [256]}`, "base64"},
		{TypeCSVMetadata, `{"installModes": [{"type": "A", "supported": "true"}]}`, "installModes[0].supported is the string"},
		{TypeCSVMetadata, `{"annotations": {"a": true}}`, "olm.csv.metadata.annotations.a is the boolean true"},
		{TypeCSVMetadata, `{"annotations": {"a": true, "a": "b"}}`, ""},
		{TypeCSVMetadata, `{"apiServiceDefinitions": {"owned": [{"containerPort": 4294967296}]}}`, "32 bits"},
		{TypeCSVMetadata, `{"crdDescriptions": {"owned": [{"specDescriptors": [{"value": {"any": 1}, "x-descriptors": [null]}]}]}}`, ""},
	} {
		got := checkShape(t, c.kind, c.value)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0].Message, c.want)) {
			t.Errorf("%s %s: got %+v, want %q", c.kind, c.value, got, c.want)
		}
	}
}

func checkShape(t testing.TB, kind, value string) []Problem {
	t.Helper()
	n, _, err := tree.ParseJSON([]byte(value), tree.Place{Line: 1, Col: 1}, nil)
	if err != nil {
		t.Fatal(err.Msg)
	}
	d := partDecoder(&file{name: "x"}, true)
	if kind == TypeBundleObject {
		d.checkBundleObject(&n)
	} else {
		d.checkShape(&n, propertyShapes[kind], &valuePath{key: kind})
	}
	return d.problems
}

// FuzzFitsYAML is FuzzFits for values in YAML.
func FuzzFitsYAML(f *testing.F) {
	f.Add("v:\n  annotations:\n    a: b\n    c: 1\n  keywords:\n  - x\n  - no\n  installModes:\n  - supported: true\n    type: x\n")
	f.Add("v:\n  crdDescriptions:\n    owned:\n    - name: a\n      specDescriptors:\n      - value: {}\n        x-descriptors:\n        - a\n")
	f.Add("v:\n  description: {}\n  annotations:\n    a: []\n  keywords:\n  - { } # x\n  - []\n  provider:\n    name: {}\n")
	f.Add("v:\n- group: y\n  kind: |\n    a\n- 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		at := tree.Place{Line: 1, Col: 1}
		root, _, err := tree.ParseYAML([]byte(text), at, tree.SkipPath("v"))
		v := root.Get("v")
		if err != nil || v == nil || v.Kind != tree.Raw {
			return
		}
		built, err := tree.ExpandYAML([]byte(text), at, *v)
		if err != nil {
			t.Fatal(err)
		}
		for kind, shape := range propertyShapes {
			d := partDecoder(&file{name: "x"}, false)
			d.checkShape(&built, shape, &valuePath{key: kind})
			if shape.FitsYAML([]byte(text), at, *v) && len(d.problems) > 0 {
				t.Fatalf("%q fits %s, but %+v", text, kind, d.problems)
			}
		}
	})
}

// FuzzFits wants the short look at a value never to miss what the long one finds.
func FuzzFits(f *testing.F) {
	f.Add(`{"annotations": {"a": "b"}, "keywords": ["x", null], "installModes": [{"supported": true}]}`)
	f.Add(`{"crdDescriptions": {"owned": [{"name": "a", "specDescriptors": [{"value": {}, "X-descriptors": []}]}]}}`)
	f.Add(`{"group": 1, "data": "YQ==", "priority": 3}`)
	f.Fuzz(func(t *testing.T, value string) {
		if _, end, err := tree.ParseJSON([]byte(value), tree.Place{Line: 1, Col: 1}, nil); err != nil || end != len(value) {
			return
		}
		for kind, shape := range propertyShapes {
			if shape.FitsJSON([]byte(value)) && len(checkShape(t, kind, value)) > 0 {
				t.Fatalf("%s fits %s, but %+v", value, kind, checkShape(t, kind, value))
			}
		}
	})
}

func TestRemoveDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n---\nb: 1\n---\nc: 1\n":          "a: 1\n---\nc: 1\n",
		"a: 1\n---\nc: 1\n---\nb: 1\n":          "a: 1\n---\nc: 1\n",
		"a: 1\n---\nb: 1\n---\nb: 2":            "a: 1\n",
		"b: 1\n---\nb: 2\n---\na: 1\n":          "a: 1\n",
		"b: 0\n---\na: 1\n---\nb: 2\n":          "a: 1\n",
		"a: 1\n---\nb: 1\n---\nb: 2\n---\nc: 1": "a: 1\n---\nc: 1",
		"{\"a\":1}\n{\"b\":1}\n{\"c\":1}\n":     "{\"a\":1}\n{\"c\":1}\n",
		"{\"a\":1}\n{\"b\":1}\n":                "{\"a\":1}\n",
		"b: 1\n":                                "",
	} {
		if got := string(RemoveDocuments([]byte(text), func(root *tree.Node) bool { return root.Get("b") != nil })); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
