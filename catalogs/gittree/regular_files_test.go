package gittree

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLargeMeta: what go-git reads as a whole may not be large, packs may.
func TestLargeMeta(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]bool{"config": false, "packed-refs": false, "objects/pack/a.pack": true} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if os.WriteFile(path, nil, 0o644) != nil || os.Truncate(path, 20<<30) != nil {
			t.Skip("no sparse files")
		}
		f, err := regularFiles(dir).Open(name)
		if (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
}
