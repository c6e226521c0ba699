//go:build unix

package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStrangeFiles opens what a stranger can put into a folder: nothing blocks, nothing is read that has no end.
func TestStrangeFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(syscall.Mkfifo(at("pipe"), 0o644))
	must(os.Symlink("/dev/zero", at("device")))
	must(os.Symlink("pipe", at("link")))
	must(os.Symlink("loop", at("loop")))
	must(os.Mkdir(at("folder"), 0o755))
	must(os.WriteFile(at("large"), nil, 0o644))
	must(os.Truncate(at("large"), 20<<30))
	root, err := OpenRoot(dir, false)
	must(err)
	defer root.Close()
	for name, want := range map[string]string{"pipe": "named pipe", "device": "not a regular file", "link": "named pipe", "loop": "too many levels",
		"folder": "a folder", "none": "no such file", "large": "more than 1 KiB"} {
		_, err := Read(at(name), 1<<10)
		_, errRoot := root.ReadFile(name, 1<<10)
		_, errFolder := fs.ReadFile(Folder(dir), name)
		if name == "large" {
			errFolder = errors.Join(err, errFolder)
		}
		for i, err := range []error{err, errRoot, errFolder} {
			if name == "device" && i == 1 { // it is outside
				want = "escapes"
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d: %v, want %s", name, i, err, want)
			}
			want = strings.Replace(want, "escapes", "not a regular file", 1)
		}
	}
	if head, err := Head(Folder(dir), "large", 10); err != nil || len(head) != 10 {
		t.Errorf("%d bytes, %v", len(head), err)
	}
	if os.Symlink("/proc/kmsg", at("kmsg")) == nil {
		if text, err := fs.ReadFile(Folder(dir), "kmsg"); len(text) > 0 || err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d bytes of a file without a size, %v", len(text), err)
		}
	}
}

// TestIsPrivate: a cache that others can write, or that belongs to somebody else, is none.
func TestIsPrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil || !IsPrivate(dir) {
		t.Errorf("%v: not private", err)
	}
	if err := os.Chmod(dir, 0o775); err != nil || IsPrivate(dir) {
		t.Errorf("%v: the group can write", err)
	}
	if os.Chmod(dir, 0o755) == nil && os.Chown(dir, 12345, 12345) == nil && IsPrivate(dir) {
		t.Error("it belongs to somebody else")
	}
}

// TestGrowing reads no more of a file than it had when it was opened.
func TestGrowing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(name, []byte("old and new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); string(text) != "old" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
