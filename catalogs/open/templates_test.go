package open

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/template"
)

// publishedBundle is an olm.bundle object of a published catalog.
func publishedBundle(version string) string {
	return fmt.Sprintf("---\nschema: olm.bundle\nname: red.v%[1]s\npackage: red\nimage: quay.io/red/bundle:%[1]s\nproperties:\n"+
		"- type: olm.package\n  value: {packageName: red, version: %[1]s}\n- type: olm.gvk\n  value: {group: red.io, kind: Red, version: v1}\n", version)
}

// templateRepository writes a repository with a template of operator red and catalogs with two of its bundles each, and returns the template's
// file.
func templateRepository(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"operators/red/ci.yaml":                  "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: t.yaml\n    type: olm.semver\n    catalog_names: [v4.18]\n",
		"operators/red/catalog-templates/t.yaml": text,
		"catalogs/v4.18/red/catalog.yaml":        publishedBundle("1.0.0") + publishedBundle("1.0.1"),
		"catalogs/v4.19/red/catalog.yaml":        publishedBundle("1.0.1") + publishedBundle("1.1.0"),
	}
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		catalogtest.Write(t, name, text)
	}
	return filepath.Join(root, "operators", "red", "catalog-templates", "t.yaml")
}

// edges lists the entries of a catalog with their edges and the lines of the template that they are in.
func edges(c *catalogs.Catalog) string {
	var all []string
	for _, p := range c.Packages {
		for _, ch := range p.Channels {
			for _, e := range ch.Entries {
				one := fmt.Sprintf("%s/%s:%d", ch.Name.Value, e.Name.Value, e.Name.Pos.Line)
				if e.Replaces.Value != "" {
					one += fmt.Sprintf(" replaces %s:%d", e.Replaces.Value, e.Replaces.Pos.Line)
				}
				for _, skip := range e.Skips {
					one += fmt.Sprintf(" skips %s:%d", skip.Value, skip.Pos.Line)
				}
				all = append(all, one)
			}
		}
	}
	return strings.Join(all, "\n")
}

const basicTemplate = `schema: olm.template.basic
Entries:
- schema: olm.package
  name: red
  defaultChannel: stable
- schema: olm.channel
  package: red
  name: stable
  entries:
  - name: red.v1.0.0
  - name: red.v1.1.0
    replaces: red.v1.0.0
- schema: olm.bundle
  image: quay.io/red/bundle:1.0.0
- schema: olm.bundle
  image: quay.io/red/bundle:1.1.0
`

// TestBasicTemplate: entries are in the template, and a bundle is where its image is, with the properties of the published one.
func TestBasicTemplate(t *testing.T) {
	name := templateRepository(t, basicTemplate)
	c := openOne(t, name, form.Options{})
	want := "stable/red.v1.0.0:10\nstable/red.v1.1.0:11 replaces red.v1.0.0:12"
	if got := edges(c); got != want || c.Form != catalogs.TemplateForm || len(c.Template.Unknown) > 0 || len(c.Problems) > 0 {
		t.Errorf("%s %+v %v:\n%s\nwant\n%s", c.Form, c.Template, c.Problems, got, want)
	}
	b := c.Package("red").Bundle("red.v1.1.0")
	facts, err := bundled.Facts(b)
	if err != nil || len(facts.Provides) != 1 || facts.Provides[0].Kind != "Red" || b.Semver() == nil {
		t.Errorf("%+v, %v", facts, err)
	}
	for _, at := range []catalogs.Pos{b.Pos, b.Name.Pos, b.Image.Pos, b.Version.Pos, b.Properties[1].Pos, facts.Properties[0].Pos} {
		if at.File != filepath.ToSlash(name) || at.Line != 16 {
			t.Errorf("%v, want line 16 of the template", at)
		}
	}
}

// TestTemplateWithoutBundles: versions are those in the names of entries.
func TestTemplateWithoutBundles(t *testing.T) {
	for _, text := range []string{basicTemplate, strings.ReplaceAll(basicTemplate, "red.v1", "red-1")} {
		c := openOne(t, "-", form.Options{Stdin: strings.NewReader(text)})
		p := c.Package("red")
		if len(c.Template.Unknown) != 2 || c.Template.Unknown[0].Pos.Line != 14 || len(p.Bundles) != 2 || c.Stats.Bundles != 2 {
			t.Fatalf("%+v, %d bundles", c.Template, len(p.Bundles))
		}
		for _, e := range p.Channels[0].Entries {
			if e.Bundle == nil || !e.Bundle.Guessed || e.Bundle.Semver() == nil || !strings.HasSuffix(e.Name.Value, e.Bundle.Version.Value) {
				t.Errorf("%s: %+v", e.Name.Value, e.Bundle)
			}
		}
	}
}

const semverTemplate = `Schema: olm.semver
GenerateMajorChannels: true
GenerateMinorChannels: false
Stable:
  Bundles:
  - Image: quay.io/red/bundle:1.0.0
  - Image: quay.io/red/bundle:1.0.1
  - Image: quay.io/red/bundle:1.1.0
`

// TestSemverTemplate: the edges of a generated channel are at the images of their bundles, and depend on the version of opm.
func TestSemverTemplate(t *testing.T) {
	name := templateRepository(t, semverTemplate)
	pinned, err := template.ParseOPM("v1.46")
	if err != nil {
		t.Fatal(err)
	}
	for opm, want := range map[template.OPM]string{
		{}:     "stable-v1/red.v1.0.0:6\nstable-v1/red.v1.0.1:7 skips red.v1.0.0:7\nstable-v1/red.v1.1.0:8 replaces red.v1.0.1:8 skips red.v1.0.0:8",
		pinned: "stable-v1/red.v1.0.0:6\nstable-v1/red.v1.0.1:7 skips red.v1.0.0:7\nstable-v1/red.v1.1.0:8 replaces red.v1.0.1:8 skips red.v1.0.1:8",
	} {
		c := openOne(t, name, form.Options{OPM: opm})
		if got := edges(c); got != want || c.Package("red").DefaultChannel.Value != "stable-v1" || c.Editable() {
			t.Errorf("opm %s, default %s:\n%s\nwant\n%s", opm, c.Package("red").DefaultChannel.Value, got, want)
		}
	}
	c := openOne(t, "-", form.Options{Stdin: strings.NewReader(semverTemplate)})
	if _, none := c.NoPackage(); !none || len(c.Template.Unknown) != 3 {
		t.Errorf("without bundles: %+v, %d packages", c.Template, len(c.Packages))
	}
}

// TestPinnedOPM: the version of opm is that of the pipelines, unless another one is asked for. That in the Makefile of the operator is known.
func TestPinnedOPM(t *testing.T) {
	name := templateRepository(t, semverTemplate)
	makefile := filepath.Join(filepath.Dir(name), "..", "Makefile")
	catalogtest.Write(t, makefile, "OPM_VERSION ?= v1.46.0\n")
	if c := openOne(t, name, form.Options{}); c.Template.OPM != template.Pipelines() || c.Template.Pinned.String() != "v1.46.0" || !strings.HasSuffix(c.Template.PinnedBy.File, "operators/red/Makefile") {
		t.Errorf("%+v", c.Template)
	}
	if c := openOne(t, name, form.Options{OPM: template.NewestOPM()}); c.Template.OPM != template.NewestOPM() || c.Template.PinnedBy.IsKnown() {
		t.Errorf("%+v", c.Template)
	}
}

// TestSubstitutesTemplate: the substitute gets the edges of its base.
func TestSubstitutesTemplate(t *testing.T) {
	text := strings.Replace(basicTemplate, "template.basic", "template.substitutes", 1)
	text = text[:strings.Index(text, "- schema: olm.bundle")]
	for _, version := range []string{"1.0.0", "1.1.0"} {
		text += strings.ReplaceAll(strings.Replace(publishedBundle(version), "---\nschema", "- schema", 1), "\n", "\n  ") + "\n"
	}
	text += "substitutions:\n- name: quay.io/red/bundle:1.0.1\n  base: red.v1.0.0\n"
	c := openOne(t, templateRepository(t, text), form.Options{})
	line := strings.Count(text, "\n") - 1
	want := fmt.Sprintf("stable/red.v1.0.0:10\nstable/red.v1.1.0:11 replaces red.v1.0.1:%[1]d skips red.v1.0.0:%[1]d\nstable/red.v1.0.1:%[1]d skips red.v1.0.0:%[1]d", line)
	if got := edges(c); got != want || len(c.Problems) > 0 || len(c.Package("red").Bundles) != 3 {
		t.Errorf("%v\n%s\nwant\n%s", c.Problems, got, want)
	}
}

// TestSecondDocument: opm reads the first document of a template, and a template in a folder of templates is a catalog of its own.
func TestSecondDocument(t *testing.T) {
	name := templateRepository(t, basicTemplate+"---\n"+semverTemplate)
	cats, err := Open(t.Context(), filepath.Dir(name), form.Options{})
	if err != nil || len(cats) != 1 || cats[0].Name != "t" || len(cats[0].Packages) != 1 {
		t.Fatalf("%d catalogs, %v", len(cats), err)
	}
	if p := cats[0].Problems; len(p) != 1 || p[0].Kind != catalogs.TemplateFault || !p[0].Accepted || p[0].Pos.Line != 18 {
		t.Errorf("%+v", p)
	}
}

// TestExpandTemplate: what other versions of opm make of a template, and what they make of it with a change, has the bundles of the catalog.
func TestExpandTemplate(t *testing.T) {
	name := templateRepository(t, semverTemplate)
	c := openOne(t, name, form.Options{OPM: template.Changes()[3]})
	edges := func(p *catalogs.Package) int {
		n := 0
		for _, ch := range p.Channels {
			for _, e := range ch.Entries {
				if e.Bundle == nil || e.Bundle != c.Package("red").Bundle(e.Name.Value) || e.Pos.Line < 6 {
					t.Errorf("%s: %+v", e.Name.Value, e)
				}
				n += len(e.Skips)
			}
		}
		return n
	}
	if same := edges(expansion.Expand(c.Template, c.Template.OPM, nil)); same != edges(c.Package("red")) || same == edges(expansion.Expand(c.Template, template.Changes()[4], nil)) {
		t.Errorf("%d skips", same)
	}
	less := expansion.Expand(c.Template, c.Template.OPM, func(s *template.SemverTemplate) { s.Streams[0].Images = s.Streams[0].Images[:1] })
	if len(less.Channels) != 1 || len(less.Channels[0].Entries) != 1 || len(c.Package("red").Channels[0].Entries) != 3 {
		t.Errorf("%+v", less.Channels)
	}
	if c := openOne(t, "-", form.Options{Stdin: strings.NewReader(semverTemplate)}); expansion.Expand(c.Template, template.NewestOPM(), nil) != nil {
		t.Error("without bundles")
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{basicTemplate, semverTemplate, strings.Replace(basicTemplate, "template.basic", "template.substitutes", 1) + "substitutions: [{name: quay.io/red/bundle:1.1.0, base: red.v1.0.1}]\n",
		"schema: olm.semver\nstable: {bundles: [{image: quay.io/red/bundle:1.0.0}]}\nStable: {bundles: [{image: quay.io/red/bundle:1.0.1}, ~]}\n---\n- a",
		"schema: olm.template.basic\nentries:\n- ~\n- {schema: olm.bundle, image: a, package: b}\n- {schema: olm.channel, package: red, entries: [{name: a-1.0.0, skips: [~]}]}\nentries: []",
		`{"schema": "olm.template.basis", "Entries": {}}`, "x: olm.semver", "schema: olm.template.basic\nentries:\n- {schema: olm.bundle, image: a}\n- {schema: olm.channel, package: red, entries: [{}]}",
		"schema: olm.template.substitutes\nsubstitutions: [{name: a, base: a}]"} {
		f.Add([]byte(seed))
	}
	cats, err := Open(f.Context(), "-", form.Options{Stdin: strings.NewReader(publishedBundle("1.0.0") + publishedBundle("1.0.1") + publishedBundle("1.1.0"))})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, sources := range [][]*catalogs.Catalog{nil, cats} {
			read, err := Open(t.Context(), "-", form.Options{Stdin: bytes.NewReader(text), Sources: sources})
			if err != nil || len(read) != 1 || read[0].Template == nil {
				return
			}
			checkTemplate(t, read[0])
		}
	})
}

// checkTemplate checks what holds of the catalog of any template.
func checkTemplate(t *testing.T, c *catalogs.Catalog) {
	t.Helper()
	for _, p := range c.Problems {
		if p.Message == "" || p.Pos.Line < 1 || p.Pos.Col < 1 {
			t.Fatalf("a problem without a place or a message: %+v", p)
		}
	}
	if len(c.Template.Unknown) > c.Template.Images || c.Template.Pos.Line < 1 {
		t.Fatalf("%+v", c.Template)
	}
	for _, p := range c.Packages {
		for _, b := range p.Bundles {
			if b.Guessed && len(c.Template.Unknown) == 0 && !c.Template.Rejected || b.Pos.Line < 1 {
				t.Fatalf("%+v", b)
			}
			fbc.CheckManifestProperties(b)
		}
		for _, ch := range p.Channels {
			for _, e := range ch.Entries {
				if c.Template.IsGenerated() && (e.Bundle == nil || e.Name.Pos != e.Pos) {
					t.Fatalf("%s: %+v", ch.Name.Value, e)
				}
			}
		}
	}
	if made := expansion.Expand(c.Template, c.Template.OPM, nil); made != nil && edges(&catalogs.Catalog{Packages: []*catalogs.Package{made}}) != edges(c) {
		t.Fatalf("%s\nis not\n%s", edges(&catalogs.Catalog{Packages: []*catalogs.Package{made}}), edges(c))
	}
}

// TestSubstitute: the entry of a substitute gets the edges of its base, and others lead on to it.
func TestSubstitute(t *testing.T) {
	c := &catalogs.Channel{Name: catalogs.Text{Value: "c"}}
	entry := func(name, replaces string, skips ...string) {
		e := catalogs.Entry{Name: catalogs.Text{Value: name}, Replaces: catalogs.Text{Value: replaces}}
		for _, skip := range skips {
			e.Skips = append(e.Skips, catalogs.Text{Value: skip})
		}
		c.Entries = append(c.Entries, e)
	}
	entry("v1", "", "v0")
	entry("v2", "v1")
	entry("v3", "v2", "v1", "v0")
	entry("v4", "v1", "v1")
	c.Entries[0].SkipRange.Value = "<1.0.0"
	at := catalogs.Pos{Line: 7}
	expansion.Substitute(c, catalogs.Text{Value: "v1b", Pos: at}, catalogs.Text{Value: "v1", Pos: at})
	want := "c/v1:0\nc/v2:0 replaces v1b:7 skips v1:7\nc/v3:0 replaces v2:0 skips v0:0 skips v1b:7\n" +
		"c/v4:0 replaces v1b:7 skips v1:0 skips v1:7\nc/v1b:7 skips v0:0 skips v1:7"
	if got := edges(&catalogs.Catalog{Packages: []*catalogs.Package{{Channels: []*catalogs.Channel{c}}}}); got != want || c.Entries[4].SkipRange.Value != "<1.0.0" || c.Entries[0].SkipRange.Value != "" {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestUnknownSubstitutes: a substitute that is not known changes nothing, and costs no copy of the catalog.
func TestUnknownSubstitutes(t *testing.T) {
	text := strings.Replace(basicTemplate, "template.basic", "template.substitutes", 1) + "substitutions:\n"
	for i := range 1000 {
		text += fmt.Sprintf("- {name: quay.io/unknown:%d, base: unknown.%d}\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "t.yaml")
	catalogtest.Write(t, file, text)
	c := openOne(t, file, form.Options{})
	if all := slices.Collect(c.MustBeValid()); len(all) != 1 || all[0] != c {
		t.Errorf("%d catalogs must be valid, want the last alone", len(all))
	}
}

// BenchmarkImages opens templates with many images, which no catalog has: the time for one should not grow with their number.
func BenchmarkImages(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var text strings.Builder
			text.WriteString("schema: olm.template.basic\nentries:\n- {schema: olm.package, name: red, defaultChannel: stable}\n")
			for i := range n {
				fmt.Fprintf(&text, "- {schema: olm.bundle, image: 'quay.io/red/bundle:%d'}\n", i)
			}
			for b.Loop() {
				cats, err := Open(b.Context(), "-", form.Options{Stdin: strings.NewReader(text.String())})
				if err != nil || len(cats[0].Template.Unknown) != n {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/image")
		})
	}
}
