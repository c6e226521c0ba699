//go:build unix

package open

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/form"
)

// TestHostileFolder reads a folder with every kind of unreadable file. opm stops at the first, and blocks on the named pipe.
func TestHostileFolder(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("good.yaml", "schema: olm.package\nname: red\n")
	write("binary", "\x7fELF\x02\x01\x01\x00\x00")
	write("empty", "")
	write("secret", "schema: olm.package\nname: blue\n")
	must(os.Chmod(filepath.Join(dir, "secret"), 0))
	write(".olmgraph-ABCDEFGHIJKLMNOPQRSTUVWXYZ", "schema: olm.package\nname: blue\n")
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	must(os.Symlink("loop2", filepath.Join(dir, "loop1")))
	must(os.Symlink("loop1", filepath.Join(dir, "loop2")))
	must(os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(os.Symlink("sub", filepath.Join(dir, "folder")))
	must(os.Symlink("..", filepath.Join(dir, "sub", "up")))
	must(os.Symlink("good.yaml", filepath.Join(dir, "linked")))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "zero")))

	c := openOne(t, dir, form.Options{})
	if red := c.Packages[len(c.Packages)-1]; red.Name.Value != "red" || len(red.Duplicates) != 1 {
		t.Errorf("the good file and the link to it are not both there: %+v", red)
	}
	got := problemLines(c)
	want := map[string]string{
		"pipe": "named pipe", "loop1": "too many levels", "loop2": "too many levels", "dangling": "no such file",
		"folder": "a link to a folder", "sub/up": "a link to a folder", "zero": "not a regular file", "binary": "a program (ELF)",
		".olmgraph-ABCDEFGHIJKLMNOPQRSTUVWXYZ": "olmgraph was killed",
	}
	if os.Geteuid() != 0 {
		want["secret"] = "permission denied"
	}
	for name, message := range want {
		if !slices.ContainsFunc(c.Problems, func(p catalogs.Problem) bool {
			return p.Pos.File == filepath.Join(dir, name) && strings.Contains(p.Message, message)
		}) {
			t.Errorf("%s: no problem that says %q in\n%s", name, message, got)
		}
	}
	if len(c.Problems) != len(want) {
		t.Errorf("got %d problems:\n%s", len(c.Problems), got)
	}
	if _, err := Open(context.Background(), filepath.Join(dir, "pipe"), form.Options{}); err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Errorf("a pipe as reference: %v", err)
	}
}

// TestHostileIgnore reads no .indexignore and no package manifest that may never end: each is a finding, as is a line that is too long
// for opm.
func TestHostileIgnore(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	link := func(to string) func(string) error {
		return func(name string) error { return os.Symlink(to, name) }
	}
	pipe := func(name string) error { return syscall.Mkfifo(name, 0o644) }
	elsewhere := filepath.Join(t.TempDir(), "pipe")
	must(pipe(elsewhere))
	for _, is := range []struct {
		make func(name string) error
		want string
		line int
	}{
		{pipe, "cannot be read: a named pipe: opm would block reading it", 0},
		{link(elsewhere), "cannot be read: a named pipe: opm would block reading it", 0},
		{link("/proc/kmsg"), "cannot be read: a link leads out of the catalog, to an empty file or one without a known size", 0},
		{link("/dev/zero"), "cannot be read: not a regular file", 0},
		{func(name string) error { return os.WriteFile(name, []byte("a\n\n"+strings.Repeat("b", 1<<20)), 0o644) },
			"cannot be read: the line has 64 KiB or more: opm rejects the catalog", 3},
	} {
		for _, name := range []string{".indexignore", "sub/.indexignore", "package.yaml", "red.package.yaml"} {
			if is.line > 0 && path.Base(name) != ".indexignore" {
				continue
			}
			dir := t.TempDir()
			must(os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
			must(os.WriteFile(filepath.Join(dir, "good.yaml"), []byte("schema: olm.package\nname: red\n"), 0o644))
			must(is.make(filepath.Join(dir, name)))
			if p := openOne(t, dir, form.Options{}).Problems; len(p) != 1 || p[0].Message != is.want || p[0].Pos.Line != is.line || p[0].Pos.Col != min(is.line, 1) || p[0].Pos.File != filepath.Join(dir, name) {
				t.Errorf("%s: got %v, want %q", name, p, is.want)
			}
		}
	}
}

// outsideFolder makes a folder with a catalog and, beside it, files that are nobody's business.
func outsideFolder(t *testing.T, links map[string]string, secrets map[string]string) (catalog string) {
	t.Helper()
	top := t.TempDir()
	catalog = filepath.Join(top, "catalog")
	files := map[string]string{"catalog/red.yaml": "schema: olm.package\nname: red\nskips: wrong\n", "catalog/.git/config": "[http]\n\textra: SECRET\n",
		"catalog/.indexignore": ".git\n"}
	for name, text := range secrets {
		files[name] = text
	}
	for name, text := range files {
		name = filepath.Join(top, name)
		catalogtest.Write(t, name, text)
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(catalog, name)); err != nil {
			t.Skip(err)
		}
	}
	return catalog
}

// inertPlaces returns the positions of all problems, whose messages must say nothing secret.
func inertPlaces(t *testing.T, c *catalogs.Catalog) []catalogs.Pos {
	t.Helper()
	var places []catalogs.Pos
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
	c := openOne(t, dir, form.Options{})
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
			places = append(places, catalogs.Pos{File: filepath.ToSlash(filepath.Join(dir, name)), Line: line + 1, Col: 1})
		}
	}
	inside := false
	for at, excerpt := range excerpt.Excerpts(c, places) {
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
	dir := outsideFolder(t, map[string]string{"link": "../host"}, map[string]string{"host/a.yaml": "schema: olm.package\nSECRET: [\n"})
	t.Chdir(dir)
	for _, ref := range []string{"link", "./link/", "link/a.yaml", "dir:link"} {
		c := openOne(t, ref, form.Options{})
		if len(c.Problems) == 0 {
			t.Errorf("%s: no problem", ref)
		}
		for _, p := range c.Problems {
			if len(excerpt.Excerpts(c, []catalogs.Pos{p.Pos})) > 0 || strings.Contains(p.Message, "SECRET") {
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
		"schema: olm.package\nname: 1.10\n": {"name is the number …, not a string, as YAML 1.1 reads … without quotes; write …OUT"},
		"schema: olm.channel\nname: null\nentries: [1]\n":  {"name is null, but opm expects a string", "an entry is the number …, but opm expects an objectOUT"},
		"schema: olm.channel\nEntries: {SECRET: SECRET}\n": {"entries is an object, but opm expects a list"},
		"schema: olm.package\nicon: {base64data: '!'}\n":   {"… is not base64OUT"},
		"SECRET: [\n": {"neither YAML nor JSON that can be read: …OUT"},
	}
	for text, want := range texts {
		secrets, links := map[string]string{"host.yaml": text, "catalog/.git/words": text}, map[string]string{"link.yaml": "../host.yaml", "words": ".git/words"}
		c := openOne(t, outsideFolder(t, links, secrets), form.Options{})
		for name, end := range map[string]string{"link.yaml": outside, "words": git} {
			var got, wanted []string
			for _, p := range c.Problems {
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
