package image

import (
	"fmt"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// splitReference splits a reference into the path of a folder or file and the selected image. Both may have colons
// (index.tar:registry.example.com:5000/catalog:v1): if the whole reference is not a path, the shortest path that exists is taken.
func splitReference(ref string) (path string, want selector, err error) {
	if disk.Exists(ref) {
		return ref, want, nil
	}
	if path, digest, ok := cutDigest(ref); ok {
		h, err := v1.NewHash(digest)
		if err != nil {
			return "", want, fmt.Errorf("%q is not a digest: expected sha256: and 64 hexadecimal digits", digest)
		}
		return path, selector{digest: h}, nil
	}
	first := -1
	for i := len(filepath.VolumeName(ref)); i < len(ref); i++ {
		if ref[i] != ':' || i == 0 {
			continue
		}
		if disk.Exists(ref[:i]) {
			return ref[:i], selector{tag: ref[i+1:]}, nil
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 {
		return ref, want, nil
	}
	return ref[:first], selector{tag: ref[first+1:]}, nil
}

func cutDigest(ref string) (path, digest string, ok bool) {
	i := strings.LastIndexByte(ref, '@')
	if i <= 0 || !strings.Contains(ref[i:], ":") || !disk.Exists(strings.TrimSuffix(ref[:i], ":")) {
		return "", "", false
	}
	return strings.TrimSuffix(ref[:i], ":"), ref[i+1:], true
}
