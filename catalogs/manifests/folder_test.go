package manifests

import (
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs/source"
)

// TestConfigMapSizeUnread: a file that cannot be read is an error, and not a smaller size.
func TestConfigMapSizeUnread(t *testing.T) {
	missing := newManifestFolder(&source.Source{Fsys: fstest.MapFS{}}, ".")
	missing.Paths = []string{"a.yaml"}
	if _, err := ConfigMapSize(missing.Folder, 1); err == nil {
		t.Error("no error for a file that is gone")
	}
}
