//go:build unix

package catalogs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestHostileFolder reads a folder in which something of everything lies around. opm stops at the first, and waits for
// ever for the pipe.
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
	if red := c.Packages[len(c.Packages)-1]; red.Name.Value != "red" || len(red.Again) != 1 {
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
