//go:build unix

package catalogs

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
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
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	must(os.Symlink("loop2", filepath.Join(dir, "loop1")))
	must(os.Symlink("loop1", filepath.Join(dir, "loop2")))
	must(os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(os.Symlink("sub", filepath.Join(dir, "folder")))
	must(os.Symlink("..", filepath.Join(dir, "sub", "up")))
	must(os.Symlink("good.yaml", filepath.Join(dir, "linked")))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "zero")))

	cats, err := Open(context.Background(), dir, Options{})
	must(err)
	c := cats[0]
	if red := c.Packages[len(c.Packages)-1]; red.Name.Value != "red" || len(red.Duplicates) != 1 {
		t.Errorf("the good file and the link to it are not both there: %+v", red)
	}
	got := problemsOf(c)
	want := map[string]string{
		"pipe": "named pipe", "loop1": "too many levels", "loop2": "too many levels", "dangling": "no such file",
		"folder": "a link to a folder", "sub/up": "a link to a folder", "zero": "not a regular file", "binary": "a program (ELF)",
	}
	if os.Geteuid() != 0 {
		want["secret"] = "permission denied"
	}
	for name, message := range want {
		if !slices.ContainsFunc(c.Problems, func(p Problem) bool {
			return p.Pos.File == filepath.Join(dir, name) && strings.Contains(p.Message, message)
		}) {
			t.Errorf("%s: no problem that says %q in\n%s", name, message, got)
		}
	}
	if len(c.Problems) != len(want) {
		t.Errorf("got %d problems:\n%s", len(c.Problems), got)
	}
	if _, err := Open(context.Background(), filepath.Join(dir, "pipe"), Options{}); err == nil || !strings.Contains(err.Error(), "named pipe") {
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
			"cannot be read: the line has 64 KiB or more: opm refuses the catalog", 3},
	} {
		for _, name := range []string{".indexignore", "sub/.indexignore", "package.yaml", "red.package.yaml"} {
			if is.line > 0 && path.Base(name) != ".indexignore" {
				continue
			}
			dir := t.TempDir()
			must(os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
			must(os.WriteFile(filepath.Join(dir, "good.yaml"), []byte("schema: olm.package\nname: red\n"), 0o644))
			must(is.make(filepath.Join(dir, name)))
			cats, err := Open(context.Background(), dir, Options{})
			must(err)
			if p := cats[0].Problems; len(p) != 1 || p[0].Message != is.want || p[0].Pos.Line != is.line || p[0].Pos.Col != min(is.line, 1) || p[0].Pos.File != filepath.Join(dir, name) {
				t.Errorf("%s: got %v, want %q", name, p, is.want)
			}
		}
	}
}
