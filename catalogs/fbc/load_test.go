package fbc

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// loadText reads a catalog of one file that is called "catalog", in chunks of a size.
func loadText(t testing.TB, text []byte, size int) *catalogs.Catalog {
	t.Helper()
	return loadAs(t, text, size, false)
}

func loadAs(t testing.TB, text []byte, size int, asIntended bool) *catalogs.Catalog {
	t.Helper()
	l := &loader{source: &source.Source{Fsys: source.MemoryFile{Name: "catalog", Text: text}, AsIntended: asIntended}, size: size}
	c, err := l.load(context.Background(), []string{"catalog"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ignoreInternals leaves out of a comparison what is not part of the answer: how the text is read again.
var ignoreInternals = cmp.Options{
	cmpopts.IgnoreUnexported(catalogs.Package{}, catalogs.Bundle{}, tree.Node{}),
	cmpopts.IgnoreFields(catalogs.Catalog{}, "Source", "Sums", "Lost"),
	cmpopts.IgnoreFields(catalogs.Property{}, "RawValue"),
	cmpopts.IgnoreFields(catalogs.Bundle{}, "Document"),
	cmpopts.EquateEmpty(),
}

func problemText(c *catalogs.Catalog) string {
	var lines []string
	for _, p := range c.Problems {
		lines = append(lines, p.Pos.String()+" "+p.Message)
	}
	return strings.Join(lines, "\n")
}

const twoFormats = `
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

func TestModel(t *testing.T) {
	c := loadText(t, []byte(twoFormats), chunkSize)
	if got := problemText(c); got != "" {
		t.Fatal(got)
	}
	at := func(line, col int) catalogs.Pos { return catalogs.Pos{File: "catalog", Line: line, Col: col} }
	p := c.Packages[0]
	entry := p.Channel("stable").Entries[0]
	want := catalogs.Entry{
		Name:      catalogs.Text{Value: "red.v2.0.0", Pos: at(11, 9)},
		Replaces:  catalogs.Text{Value: "red.v1.0.0", Pos: at(12, 13)},
		Skips:     []catalogs.Text{{Value: "red.v1.1.0", Pos: at(13, 11)}, {Value: "red.v1.2.0", Pos: at(13, 23)}},
		SkipRange: catalogs.Text{Value: ">=1.0.0 <2.0.0", Pos: at(14, 14)},
		Pos:       at(11, 9),
	}
	if diff := cmp.Diff(want, entry, cmpopts.IgnoreFields(catalogs.Entry{}, "Bundle")); diff != "" {
		t.Error(diff)
	}
	v2 := p.Bundle("red.v2.0.0")
	if entry.Bundle != v2 || v2.Semver().String() != "2.0.0" || v2.Version.Pos != at(32, 14) {
		t.Errorf("bundle: got %v, version %v at %v", entry.Bundle, v2.Semver(), v2.Version.Pos)
	}
	if d := p.Deprecations[0].Entries[0]; d.Name.Value != "red.v1.0.0" || d.Message.Pos != at(44, 12) {
		t.Errorf("deprecation: got %+v", d)
	}
	problems := CheckManifestProperties(v2)
	if len(problems) != 1 || problems[0].Pos != at(36, 19) || problems[0].Bundle != "red.v2.0.0" ||
		!strings.Contains(problems[0].Message, "olm.csv.metadata.keywords[1] is the number 1") {
		t.Errorf("heavy property: got %+v", problems)
	}
	if got := (catalogs.Stats{Files: 1, Objects: 5, Packages: 1, Channels: 1, Entries: 2, Bundles: 2, Bytes: int64(len(twoFormats))}); c.Stats != got {
		t.Errorf("stats: got %+v", c.Stats)
	}
}

// TestChunks compares a catalog that was read in small chunks with the same read as a whole.
func TestChunks(t *testing.T) {
	for _, text := range []string{twoFormats, strings.Repeat("---\n---\n", 20), strings.Repeat("{\n\"schema\": \"x\"\n}\n", 50),
		"{\"schema\": \"a\"}\n" + strings.Repeat("---\nschema: b\n", 40), strings.Repeat("a: 1\n--- b\n", 20)} {
		whole := loadText(t, []byte(text), chunkSize)
		for _, size := range []int{16, 100, 333} {
			if diff := cmp.Diff(whole, loadText(t, []byte(text), size), ignoreInternals); diff != "" {
				t.Errorf("%.30q in chunks of %d: %s", text, size, diff)
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{twoFormats, "{\"schema\":\"a\"}\n{\"schema\":\"b\",\"package\":3}\n{}\n", "---\n---\n", "{a: b}\n---\nc: d",
		"{\"schema\": \"olm.bundle\", \"properties\": [{\"type\": \"olm.bundle.object\", \"value\": {\"data\": \"YTogYg==\"}}, null, {}]}",
		"schema: olm.channel\nSchema: x\nentries: [{Name: y, name: 1, skips: [null, '']}]\n...\nb", "\xff\xfea\x00", "--- x", "\n", "{}\n{}{",
		"apiVersion: v1\nkind: List\nitems: [{kind: PackageManifest}]\n---\nkind: ConfigMap\napiVersion: v1\ndata: {packages: x}\n",
		"{\"csvName\": \"a\", \"bundlePath\": \"b\"}\n{\"csvName\": \"c\", \"csvJson\": 3}\n", "Schema: olm.semver\n---\nschema: olm.template.basic\n",
		"\x1f\x8b\x08\x00"} {
		f.Add([]byte(seed), 20)
	}
	f.Add([]byte(twoInOne), 20)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		for _, asIntended := range []bool{false, true} {
			checkLoad(t, text, size, asIntended)
		}
	})
}

// twoInOne are two objects of JSON with nothing between them.
const twoInOne = `{"schema":"olm.package","name":"red","schema":"olm.bundle","package":"red",` +
	`"properties":[{"type":"olm.package","value":{"packageName":"red","version":"1.0.0"}}]}`

func checkLoad(t *testing.T, text []byte, size int, asIntended bool) {
	whole := loadAs(t, text, 1<<16, asIntended)
	if diff := cmp.Diff(whole, loadAs(t, text, 16+max(size, -size)%512, asIntended), ignoreInternals); diff != "" {
		t.Fatal(diff)
	}
	for _, p := range whole.Packages {
		for _, b := range p.Bundles {
			CheckManifestProperties(b)
		}
	}
	for _, p := range whole.Problems {
		if _, binary := filetype.Recognise(text[:min(len(text), filetype.HeadSize)]); p.Message == "" || !binary && (p.Pos.Line < 1 || p.Pos.Col < 1) {
			t.Fatalf("a problem without a place or a message: %+v", p)
		}
	}
}

// TestExcerpts asks for places that are not sorted, not unique, or not known.
func TestExcerpts(t *testing.T) {
	c := loadText(t, []byte("schema: olm.package\nname: red\n"), chunkSize)
	at := func(line, col int) catalogs.Pos { return catalogs.Pos{File: "catalog", Line: line, Col: col} }
	got := excerpt.Excerpts(c, []catalogs.Pos{at(2, 7), at(1, 1), at(2, 7), at(9, 1), {}, {File: "none", Line: 1, Col: 1}})
	want := map[catalogs.Pos]excerpt.Excerpt{at(2, 7): {Text: "name: red", Col: 7}, at(1, 1): {Text: "schema: olm.package", Col: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReadLater wants what was known of a catalog when it was opened to stay when it is read later.
func TestReadLater(t *testing.T) {
	s := &source.Source{Fsys: fstest.MapFS{"red.yaml": {Data: []byte("schema: olm.package\nname: red\n")}}}
	f := Open(s, []string{"red.yaml"}, nil, form.Options{})
	c := f.Catalog
	c.Name, c.Form, c.Container, c.OpenShift = "v4.18", catalogs.PackageManifests, "tar archive", "4.18"
	if err := f.Read(t.Context(), form.All); err != nil {
		t.Fatal(err)
	}
	if c.Name != "v4.18" || c.Form != catalogs.PackageManifests || c.Container != "tar archive" || c.OpenShift != "4.18" || c.Package("red") == nil {
		t.Errorf("got %+v", c)
	}
}
