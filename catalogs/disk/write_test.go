package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplacement(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.yaml", link); err != nil {
		t.Skip(err)
	}
	r, err := Prepare(link, []byte("old"), []byte("new"))
	if err == nil {
		err = r.Commit()
	}
	if text, _ := os.ReadFile(name); err != nil || string(text) != "new" {
		t.Errorf("%q: %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestTemporary knows the names of temporary files, which are not those of other files of the tool.
func TestTemporary(t *testing.T) {
	path, err := target{path: filepath.Join(t.TempDir(), "a.yaml")}.writeTemporary([]byte("cut"))
	if err != nil || !IsTemporary(filepath.Base(path)) || IsTemporary(".olmgraph-baseline.json") {
		t.Error(path, err)
	}
}

// put writes a file with that mode, or skips the test where there are no such modes.
func put(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != mode {
		t.Skip("no such modes here: ", info.Mode(), err)
	}
}

// wantFile wants a regular file with that text.
func wantFile(t *testing.T, name, text string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if info, _ := os.Lstat(name); err != nil || string(got) != text || !info.Mode().IsRegular() {
		t.Errorf("%s holds %q, want %q: %v", name, got, text, err)
	}
}

// wantNone wants no file that matches a pattern.
func wantNone(t *testing.T, pattern string) {
	t.Helper()
	if left, _ := filepath.Glob(pattern); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestReplacementKeeps keeps all bits of the mode of a file, and leaves the other names of it alone.
func TestReplacementKeeps(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "other.yaml")
	const mode = 0o750 | os.ModeSetgid | os.ModeSticky
	put(t, name, "long old text", mode)
	if err := os.Link(name, other); err != nil {
		t.Skip(err)
	}
	r, err := Prepare(name, []byte("long old text"), []byte("new"))
	if err == nil {
		err = r.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, other, "long old text")
	for _, text := range []string{"newer by far", "third", ""} {
		if err := Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, name, text)
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("mode %v: %v", info.Mode(), err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestReplacementChanged does not write a file that another program has written since Prepare.
func TestReplacementChanged(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("other")
	if _, err := Prepare(name, []byte("old"), []byte("new")); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
	write("old")
	r, err := Prepare(name, []byte("old"), []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	write("other")
	if err := r.Commit(); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := Prepare(filepath.Join(dir, "none"), nil, nil); err == nil {
		t.Error("a file that is not there was written")
	}
}

// TestWrite writes what is new and what is there, through links, keeps the mode, and leaves nothing behind.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(at("sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "sub/there", "ahead": "sub/new", "round": "about", "about": "round"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"sub/there": 0o640, "locked": 0o444} {
		put(t, at(name), "old", mode)
	}
	for _, test := range []struct{ name, target, wrong string }{
		{"plain", "plain", ""},
		{"plain", "plain", ""}, // again
		{"link", "sub/there", ""},
		{"ahead", "ahead", ""}, // leads to nothing
		{"locked", "locked", "locked: the file is read-only"},
		{"none/x", "none/x", "none/x: its folder does not exist; create it first"},
		{"sub", "sub", "sub: is a directory"},
		{"round", "round", "too many links"},
	} {
		err := Write(at(test.name), []byte(test.name))
		switch {
		case err == nil && test.wrong == "":
			wantFile(t, at(test.target), test.name)
		case err == nil || test.wrong == "" || !strings.HasSuffix(err.Error(), test.wrong) || strings.Contains(err.Error(), ".olmgraph-"):
			t.Errorf("%s: %v, want %q", test.name, err, test.wrong)
		}
	}
	if info, err := os.Stat(at("sub/there")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
	wantFile(t, at("locked"), "old")
	for _, pattern := range []string{"*/.olm*", ".olm*"} {
		wantNone(t, at(pattern))
	}
}

// TestWriteFails leaves what was there, and nothing else, if the new file cannot take its place.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := resolveTarget(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.replace([]byte("new"), func() error { return errChanged }); err != errChanged {
		t.Error(err)
	}
	entries, _ := os.ReadDir(dir)
	if text, _ := os.ReadFile(name); string(text) != "old" || len(entries) != 1 {
		t.Errorf("%q, beside %v", text, entries)
	}
}
