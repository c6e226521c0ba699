package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// TestLeft removes what a process that was killed has left of the same file long ago, and of no other; a young one may be another process's.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	var left []string
	for i, base := range []string{"a.yaml", "b.yaml", "a.yaml"} {
		path, _, err := target{path: filepath.Join(dir, base)}.writeTemporary([]byte("cut"))
		if err != nil || !IsTemporary(filepath.Base(path)) {
			t.Fatal(path, err)
		}
		if old := time.Now().Add(-2 * leftAfter); i < 2 && os.Chtimes(path, old, old) != nil {
			t.Fatal(path)
		}
		left = append(left, path)
	}
	if err := Write(name, []byte("new")); err != nil || Exists(left[0]) || !Exists(left[1]) || !Exists(left[2]) || IsTemporary(".olmgraph-baseline.json") {
		t.Errorf("%v, left: %v, %v, %v", err, Exists(left[0]), Exists(left[1]), Exists(left[2]))
	}
	wantFile(t, name, "new")
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

// TestReplacementKeeps keeps the other names of a file, and all bits of its mode.
func TestReplacementKeeps(t *testing.T) {
	dir := t.TempDir()
	for _, names := range [][]string{{"one"}, {"two", "other"}} {
		name := filepath.Join(dir, names[0])
		const mode = 0o750 | os.ModeSetgid | os.ModeSticky
		put(t, name, "long old text", mode)
		for _, other := range names[1:] {
			if err := os.Link(name, filepath.Join(dir, other)); err != nil {
				t.Skip(err)
			}
		}
		r, err := Prepare(name, []byte("long old text"), []byte("new"))
		if err == nil {
			err = r.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
		for n, text := range []string{"new", "newer by far", "third"} {
			for _, name := range names {
				wantFile(t, filepath.Join(dir, name), text)
			}
			if info, err := os.Stat(name); err != nil || info.Mode() != mode {
				t.Errorf("%s: mode %v: %v", name, info.Mode(), err)
			}
			if err := Write(name, []byte([]string{"newer by far", "third", ""}[n])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestOverwriteFails has a disk that is full.
func TestOverwriteFails(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	if err := overwrite(full, []byte("new"), 0o600); err == nil {
		t.Error("a full disk was written to")
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
	for link, to := range map[string]string{"link": "sub/there", "ahead": "sub/new", "sub/back": "../top", "round": "about", "about": "round"} {
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
		{"ahead", "sub/new", ""},
		{"sub/back", "top", ""},
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
	d, err := targetOf(name)
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

// TestOverwriteLost keeps the new text, and says where it is, if a file that has to be overwritten cannot be, and what it held cannot be
// written again either. If that can, no copy is left.
func TestOverwriteLost(t *testing.T) {
	for _, fails := range []int{1, 2} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a.yaml")
		put(t, name, "old", 0o644)
		if err := os.Link(name, filepath.Join(dir, "other")); err != nil {
			t.Skip(err)
		}
		r, err := Prepare(name, []byte("old"), []byte("new"))
		if err != nil {
			t.Fatal(err)
		}
		r.target.overwrite = func(name string, text []byte, mode fs.FileMode) error {
			if fails--; fails >= 0 {
				return errors.Join(&fs.PathError{Op: "write", Path: name, Err: errors.New("the disk is full")}, os.Truncate(name, 1))
			}
			return overwrite(name, text, mode)
		}
		lost := fails == 2
		err = r.Commit()
		copies, _ := filepath.Glob(filepath.Join(dir, ".olmgraph-*"))
		if err == nil || !strings.Contains(err.Error(), "the disk is full") || strings.Contains(err.Error(), "its content is lost") != lost {
			t.Errorf("%v", err)
		}
		if !lost {
			if wantFile(t, name, "old"); len(copies) > 0 {
				t.Errorf("left behind: %v", copies)
			}
			continue
		}
		if len(copies) != 1 || !strings.HasSuffix(err.Error(), "the new text is in "+copies[0]) {
			t.Fatalf("left behind: %v: %v", copies, err)
		}
		wantFile(t, copies[0], "new")
	}
}
