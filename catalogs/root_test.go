package catalogs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepositoryRoot reads the catalogs in the root of a git repository, and nothing else that is in it.
func TestRepositoryRoot(t *testing.T) {
	packageOf := func(name string) string { return "schema: olm.package\nname: " + name + "\n" }
	const template, workflow = "schema: olm.template.basic\nentries:\n- name: red\n  schema: olm.package\n", "on: push\n"
	around := map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core\n", ".github/workflows/lint.yaml": workflow, "README.md": "schema: olm.package\n",
		"docs/a.yaml": "a: [", "node_modules/x/package.yaml": packageOf("red"), ".hidden/red.yaml": packageOf("red"), "templates/red.yaml": template,
		"templates/red.json": `{"schema": "olm.semver", "x": {"schema": "olm.package"}}`, "deploy/crd.yaml": "kind: CustomResourceDefinition\nolm.package: x\n"}
	for name, is := range map[string]struct {
		files map[string]string
		want  string // catalogs and their files, and what is said to be read
	}{
		"one file":        {map[string]string{"catalog.yaml": packageOf("red")}, ":catalog.yaml catalog.yaml"},
		"a file of JSON":  {map[string]string{"a/b/red.json": `{"name": "red", "schema": "olm.package"}`}, ":a/b/red.json a/b"},
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
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		cats, err := Open(t.Context(), dir, Options{Deferred: true})
		var got []string
		selected := ""
		for _, c := range cats {
			var paths []string
			for _, p := range c.deferred.paths {
				paths = append(paths, strings.TrimPrefix(c.deferred.source.display(p), filepath.ToSlash(dir)+"/"))
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
	for name, text := range map[string]string{"catalog/red.yaml": "schema: olm.package\nname: red\n", "catalog/README.md": "text", "catalog/sub/.git": "gitdir: x\n"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), fs.ModePerm); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	problems := func() string {
		cats, err := Open(t.Context(), filepath.Join(dir, "catalog"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(len(cats[0].Problems), cats[0].Selected)
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
	if err := os.WriteFile(filepath.Join(dir, "catalog", ".indexignore"), []byte(".git\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := problems(); got != "1" {
		t.Error(got)
	}
}
