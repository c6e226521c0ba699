package amend

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/release"
)

// applyPlan returns a catalog of one file after the edits of a plan.
func applyPlan(t *testing.T, text string, edits []release.Edit, set func(*Change)) (string, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "c.yaml")
	if strings.HasPrefix(text, "{") {
		name = filepath.Join(filepath.Dir(name), "c.json")
	}
	catalogtest.Write(t, name, text)
	cats, err := open.Open(t.Context(), name, open.Options{})
	if err != nil || len(cats) != 1 || len(cats[0].Packages) != 1 {
		t.Fatalf("%v: %d catalogs", err, len(cats))
	}
	pkg := cats[0].Packages[0]
	c := &Change{Catalog: cats[0], Package: pkg, Plan: &release.Plan{Request: release.Request{Name: "a.v1.1.0", Version: "1.1.0"}, Edits: edits, After: graph.NewPackageGraph(pkg)}}
	if set != nil {
		set(c)
	}
	files, err := c.Files()
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	return string(files[0].New), nil
}

func added(channel, replaces string, skips ...string) release.Edit {
	return release.Edit{Channel: channel, Entry: "a.v1.1.0", Added: true, After: release.Edges{Replaces: replaces, Skips: skips}}
}

// TestOrder adds an entry where the others of its channel, or of other channels, say.
func TestOrder(t *testing.T) {
	channel := func(name string, versions ...string) string {
		text := "---\nschema: olm.channel\npackage: a\nname: " + name + "\nentries:\n"
		for _, v := range versions {
			text += "- name: a.v" + v + "\n"
		}
		return text
	}
	for name, test := range map[string]struct {
		before, after, others string
	}{
		"newest last":          {"1.0.0 1.0.1", "1.0.0 1.0.1 1.1.0", ""},
		"newest first":         {"1.0.1 1.0.0", "1.1.0 1.0.1 1.0.0", ""},
		"between, newest last": {"1.0.0 1.0.1 1.2.0", "1.0.0 1.0.1 1.1.0 1.2.0", ""},
		"between, first":       {"1.2.0 1.0.1 1.0.0", "1.2.0 1.1.0 1.0.1 1.0.0", ""},
		"by name":              {"0.1.0 1.0.0 1.10.0 1.2.0", "0.1.0 1.0.0 1.1.0 1.10.0 1.2.0", ""},
		"like other channels":  {"1.0.0", "1.1.0 1.0.0", "1.0.1 1.0.0"},
		"one entry":            {"1.0.0", "1.0.0 1.1.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "schema: olm.package\nname: a\ndefaultChannel: c\n" + channel("c", strings.Fields(test.before)...)
			want := "schema: olm.package\nname: a\ndefaultChannel: c\n" + channel("c", strings.Fields(test.after)...)
			if test.others != "" {
				text, want = text+channel("d", strings.Fields(test.others)...), want+channel("d", strings.Fields(test.others)...)
			}
			if got, err := applyPlan(t, text, []release.Edit{added("c", "")}, nil); err != nil || got != want {
				t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
			}
		})
	}
}

// TestChannels adds and changes entries of several channels of a file, adds a channel, and removes bundles.
func TestChannels(t *testing.T) {
	edits := []release.Edit{
		added("c", "a.v1.0.0", "a.v1.0.1"),
		{Channel: "c", Entry: "a.v2.0.0", Before: release.Edges{Replaces: "a.v1.0.0", Skips: []string{"s1", "s2"}}, After: release.Edges{Replaces: "a.v1.1.0", Skips: []string{"s2", "s3"}}},
		{Channel: "c", Entry: "a.v0.1.0", Removed: true},
		{Channel: "new", Entry: "a.v1.1.0", NewChannel: true, Added: true},
	}
	for name, test := range map[string]struct{ text, want string }{
		"YAML": {`# the package
schema: olm.package
name: a
---
entries: # all of them
- name: a.v0.1.0
- name: a.v1.0.0
- name: a.v2.0.0
  replaces: a.v1.0.0
  skips: [s1, s2]
name: c
package: a
schema: olm.channel
---
{schema: olm.bundle, package: a, name: a.v0.1.0, image: i}
---
{schema: olm.bundle, package: a, name: a.v1.0.0, image: i}`,
			`# the package
schema: olm.package
name: a
---
entries: # all of them
- name: a.v1.0.0
- name: a.v1.1.0
  replaces: a.v1.0.0
  skips: [a.v1.0.1]
- name: a.v2.0.0
  replaces: a.v1.1.0
  skips: [s2, s3]
name: c
package: a
schema: olm.channel
---
entries:
- name: a.v1.1.0
name: new
package: a
schema: olm.channel
---
{schema: olm.bundle, package: a, name: a.v1.0.0, image: i}`},
		"JSON": {`{"schema": "olm.package", "name": "a"}
{"schema": "olm.channel", "package": "a", "name": "c", "entries": [{"name": "a.v0.1.0"}, {"name": "a.v1.0.0"}, {"name": "a.v2.0.0", "replaces": "a.v1.0.0", "skips": ["s1", "s2"]}]}
{"schema": "olm.bundle", "package": "a", "name": "a.v0.1.0", "image": "i"}
`,
			`{"schema": "olm.package", "name": "a"}
{"schema": "olm.channel", "package": "a", "name": "c", "entries": [{"name": "a.v1.0.0"}, {"name": "a.v1.1.0", "replaces": "a.v1.0.0", "skips": ["a.v1.0.1"]}, {"name": "a.v2.0.0", "replaces": "a.v1.1.0", "skips": ["s2", "s3"]}]}
{"schema": "olm.channel", "package": "a", "name": "new", "entries": [{"name": "a.v1.1.0"}]}
`},
	} {
		got, err := applyPlan(t, test.text, edits, func(c *Change) { c.Plan.Unused = []string{"a.v0.1.0"} })
		if err != nil || got != test.want {
			t.Errorf("%s: %v\ngot:\n%s\nwant:\n%s", name, err, got, test.want)
		}
	}
}

// TestTemplate adds an entry, an image and a channel to a basic template.
func TestTemplate(t *testing.T) {
	text := `schema: olm.template.basic
entries:
  - schema: olm.package
    name: a
    defaultChannel: c
  - schema: olm.channel
    package: a
    name: c
    entries:
      - name: a.v1.0.0
  # the bundles
  - schema: olm.bundle
    image: r.example/a:1.0.0
`
	want := `schema: olm.template.basic
entries:
  - schema: olm.package
    name: a
    defaultChannel: c
  - schema: olm.channel
    package: a
    name: c
    entries:
      - name: a.v1.0.0
      - name: a.v1.1.0
        replaces: a.v1.0.0
  - schema: olm.channel
    package: a
    name: new
    entries:
      - name: a.v1.1.0
  # the bundles
  - schema: olm.bundle
    image: r.example/a:1.0.0
  - schema: olm.bundle
    image: r.example/a:1.1.0
`
	got, err := applyPlan(t, text, []release.Edit{added("c", "a.v1.0.0"), {Channel: "new", Entry: "a.v1.1.0", NewChannel: true, Added: true}}, func(c *Change) { c.Image = "r.example/a:1.1.0" })
	if err != nil || got != want {
		t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
	}
}

// TestTemplatePrune drops an entry of a template whose bundles are before its channels, and whose schema is last.
func TestTemplatePrune(t *testing.T) {
	text := `entries:
- {schema: olm.package, name: a, defaultChannel: c}
- {schema: olm.bundle, image: "r.example/a:1.0.0"}
- {schema: olm.bundle, image: "r.example/a:0.9.0"}
- schema: olm.deprecations
  package: a
  entries:
  - {reference: {schema: olm.bundle, name: a.v0.9.0}, message: old}
- schema: olm.channel
  package: a
  name: c
  entries:
  - name: a.v0.9.0
  - name: a.v1.0.0
schema: olm.template.basic
`
	want := `entries:
- {schema: olm.package, name: a, defaultChannel: c}
- {schema: olm.bundle, image: "r.example/a:1.0.0"}
- schema: olm.channel
  package: a
  name: c
  entries:
  - name: a.v1.0.0
  - name: a.v1.1.0
    skips:
    - a.v0.9.0
schema: olm.template.basic
`
	got, err := applyPlan(t, text, []release.Edit{added("c", "", "a.v0.9.0"), {Channel: "c", Entry: "a.v0.9.0", Removed: true}}, func(c *Change) {
		c.Plan.Unused = []string{"a.v0.9.0"}
		for _, b := range c.Package.Bundles { // what a catalog says of the images
			if b.Name.Value == "a.v0.9.0" {
				b.Guessed, b.Image = false, catalogs.Text{Value: "r.example/a:0.9.0"}
			}
		}
	})
	if err != nil || got != want {
		t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
	}
}

// TestShared does not change entries that an alias has in two channels.
func TestShared(t *testing.T) {
	text := `schema: olm.template.basic
entries:
- {schema: olm.package, name: a, defaultChannel: c}
- schema: olm.channel
  package: a
  name: c
  entries: &all
  - name: a.v1.0.0
- schema: olm.channel
  package: a
  name: d
  entries: *all
`
	if got, err := applyPlan(t, text, []release.Edit{added("c", "a.v1.0.0")}, nil); err == nil {
		t.Errorf("it was changed in both:\n%s", got)
	}
}
