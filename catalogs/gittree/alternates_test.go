package gittree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAlternatesBound reads no list of alternates that is larger than any: each is compared with all before.
func TestAlternatesBound(t *testing.T) {
	dir := t.TempDir()
	for n, want := range map[int]int{maxAlternates: maxAlternates, 60_000: 0} {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "/%d/objects\n", i)
		}
		name := filepath.Join(dir, "info", "alternates")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := len(alternates(dir)); got != want {
			t.Errorf("%d alternates: %d, want %d", n, got, want)
		}
	}
}
