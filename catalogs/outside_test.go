package catalogs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// outsideFolder creates a folder with a catalog and, beside it, private files.
func outsideFolder(t *testing.T, links map[string]string, secrets map[string]string) (catalog string) {
	t.Helper()
	top := t.TempDir()
	catalog = filepath.Join(top, "catalog")
	files := map[string]string{"catalog/red.yaml": "schema: olm.package\nname: red\nskips: wrong\n", "catalog/.git/config": "[http]\n\textra: SECRET\n"}
	for name, text := range secrets {
		files[name] = text
	}
	for name, text := range files {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(catalog, name)); err != nil {
			t.Skip(err)
		}
	}
	return catalog
}

// inertPlaces returns the positions of all problems, whose messages must say nothing secret.
func inertPlaces(t *testing.T, c *Catalog) []Pos {
	t.Helper()
	var places []Pos
	for _, p := range c.Problems {
		if strings.Contains(p.Message, "SECRET") {
			t.Errorf("%s: %s", p.Pos, p.Message)
		}
		places = append(places, p.Pos)
	}
	return places
}

// TestOutside follows links out of a catalog as opm does, and quotes nothing that it finds there: no line, and no word in a
// message.
func TestOutside(t *testing.T) {
	secrets := map[string]string{
		"passwords":    "root:SECRET:0:0\n\tSECRET: [\n",
		"key.pem":      "-----BEGIN SECRET KEY-----\nSECRET\n",
		"auth.json":    `{"auths": {"SECRET": "SECRET"}, "auths": {"SECRET": 1}, "AUTHS": "SECRET", "schema": ["SECRET"]} SECRET`,
		"twice.yaml":   "SECRET: 1\nsecret: 2\nSECRET: 3\nschema: 17\npackage: SECRET\n",
		"anchor.yaml":  "a: *SECRET\n",
		"types.yaml":   "schema: olm.channel\npackage: red\nname: stable\nentries: SECRET\n",
		"catalog.yaml": "# SECRET\nschema: olm.channel\npackage: red\nname: fast\nentries:\n- name: red.v1.0.0\n",
	}
	links := map[string]string{"inside.yaml": "red.yaml", "gitconfig.yaml": ".git/config", "environ.yaml": "/proc/self/environ"}
	for name := range secrets {
		links["link-"+name] = "../" + name
	}
	dir := outsideFolder(t, links, secrets)
	cats, err := Open(context.Background(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := cats[0]
	if c.Package("red").Channel("fast") == nil {
		t.Error("the channel that a link leads to is not there")
	}
	refused := map[string]bool{}
	places := inertPlaces(t, c)
	for _, p := range places {
		refused[filepath.Base(p.File)] = true
	}
	for name := range links {
		if !refused[name] && name != "link-catalog.yaml" && name != "inside.yaml" {
			t.Errorf("no problem of %s", name)
		}
		for line := range 5 {
			places = append(places, Pos{File: filepath.ToSlash(filepath.Join(dir, name)), Line: line + 1, Col: 1})
		}
	}
	inside := false
	for at, excerpt := range c.Excerpts(places) {
		if inside = inside || filepath.Base(at.File) == "inside.yaml"; !strings.HasSuffix(at.File, "inside.yaml") && !strings.HasSuffix(at.File, "red.yaml") {
			t.Errorf("%s is quoted: %q", at, excerpt.Text)
		}
	}
	if !inside {
		t.Error("a link inside the catalog is not quoted")
	}
}

// TestOutsideFolder quotes nothing where the catalog itself is a link out of the working folder.
func TestOutsideFolder(t *testing.T) {
	dir := outsideFolder(t, map[string]string{"link": "../host"}, map[string]string{"host/a.yaml": "SECRET: [\n"})
	t.Chdir(dir)
	for _, ref := range []string{"link", "./link/", "link/a.yaml", "dir:link"} {
		cats, err := Open(context.Background(), ref, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(cats[0].Problems) == 0 {
			t.Errorf("%s: no problem", ref)
		}
		for _, p := range cats[0].Problems {
			if len(cats[0].Excerpts([]Pos{p.Pos})) > 0 || strings.Contains(p.Message, "SECRET") {
				t.Errorf("%s: %s is quoted: %s", ref, p.Pos, p.Message)
			}
		}
	}
}

// TestOutsideWords shows what olmgraph itself says of a file that it may not quote, and where that file is.
func TestOutsideWords(t *testing.T) {
	const outside, git = " (its text is not shown: the file is outside the catalog)", " (its text is not shown: the file is in .git)"
	texts := map[string][]string{
		"null\n":                            {"an empty document: opm expects an object with a schema"},
		"a: 1\n":                            {"an object without a schema"},
		"[SECRET]":                          {"a document must be an object, not a list"},
		"schema: olm.package\nname: 1.10\n": {"name is the number …, not a string: so YAML 1.1 reads … without quotes; write …OUT"},
		"schema: olm.channel\nname: null\nentries: [1]\n":  {"name is null, but opm expects a string", "an entry is the number …, but opm expects an objectOUT"},
		"schema: olm.channel\nEntries: {SECRET: SECRET}\n": {"opm reads … as entries only because it ignores case: write entriesOUT", "entries is a object, but opm expects a list"},
		"schema: olm.package\nicon: {base64data: '!'}\n":   {"… is not base64OUT"},
		"SECRET: [\n": {"neither YAML nor JSON that can be read: …OUT"},
	}
	for text, want := range texts {
		secrets, links := map[string]string{"host.yaml": text, "catalog/.git/words": text}, map[string]string{"link.yaml": "../host.yaml"}
		cats, err := Open(context.Background(), outsideFolder(t, links, secrets), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, end := range map[string]string{"link.yaml": outside, "words": git} {
			var got, wanted []string
			for _, p := range cats[0].Problems {
				if filepath.Base(p.Pos.File) == name {
					got = append(got, strings.ReplaceAll(p.Message, `"`, ""))
				}
			}
			for _, w := range want {
				wanted = append(wanted, strings.ReplaceAll(w, "OUT", end))
			}
			if !slices.Equal(got, wanted) {
				t.Errorf("%s of %q:\n%q, want\n%q", name, text, got, wanted)
			}
		}
	}
}
