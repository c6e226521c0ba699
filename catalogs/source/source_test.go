package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/stream"
)

func TestReadUpTo(t *testing.T) {
	for _, size := range []int{0, 1, 5000} {
		text := strings.Repeat("x", size)
		for _, said := range []int{0, size, 9000} {
			got, err := readUpTo(strings.NewReader(text), new([]byte), int64(said), 5000)
			if err != nil || string(got) != text {
				t.Errorf("%d bytes of %d that are said to be %d, %v", len(got), size, said, err)
			}
		}
		if _, err := readUpTo(strings.NewReader(text+"x"), new([]byte), int64(size), int64(size)); !errors.Is(err, stream.ErrTooLarge) {
			t.Errorf("more than %d bytes: %v", size, err)
		}
	}
}

// TestSameFolder: an empty file is the same in both folders, wherever the working directory is.
func TestSameFolder(t *testing.T) {
	folder := func() *Source {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".gitkeep"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return OnDisk(dir, nil)
	}
	if !folder().SameFolder(t.Context(), folder(), ".") {
		t.Error("two folders with an empty file are not the same")
	}
}

// TestLinkedBlobID: the hash of a file outside, to which a link leads, is not that of a manifest, also if folders were compared before.
func TestLinkedBlobID(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "a.yaml")
	if err := errors.Join(os.WriteFile(outside, []byte("a: b"), 0o666), os.Symlink(outside, filepath.Join(dir, "a.yaml"))); err != nil {
		t.Fatal(err)
	}
	s := OnDisk(dir, nil)
	if _, ok := s.BlobID(t.Context(), "a.yaml"); !ok {
		t.Error("the file cannot be compared")
	}
	if id, ok := s.File("a.yaml").BlobID(); ok {
		t.Errorf("it is the manifest %s", id)
	}
}
