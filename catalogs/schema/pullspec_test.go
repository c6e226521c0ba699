package schema

import (
	"strings"
	"testing"

	"github.com/distribution/reference"
)

func TestPullSpecs(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0a", 32)
	for image, ok := range map[string]bool{
		"quay.io/a/b" + digest: true, "quay.io/a-b/c_d.e" + digest: true, "a/b:c": true, "a": true, "localhost/x": true,
		"localhost:5000/x": true, "a/b:t" + digest: true, "a__b/c": true, "a--b": true, "quay.io/a/b" + digest + "0": false,
		"UPPER/x": false, "quay.io/A/b": false, "Quay.io/a/b": true, "a b": false, "": false, "a/b@sha256:abc": false,
		"http://a/b": false, "a___b": false, "-a/b": false, "a//b": false, "a/b:": false, "[::1]:5000/x": false,
		strings.Repeat("a", 64): false, "quay.io/" + strings.Repeat("a/", 130) + "b": false, "quay.io./a" + digest: false,
	} {
		if err := CheckPullSpec(image); (err == nil) != ok {
			t.Errorf("%q: got %v", image, err)
		}
	}
}

// FuzzPullSpec checks that isCommon accepts only what the library accepts.
func FuzzPullSpec(f *testing.F) {
	f.Add("quay.io/a/b@sha256:" + strings.Repeat("0a", 32))
	f.Add("a.b/c__d-e.f@sha256:" + strings.Repeat("0a", 32))
	f.Fuzz(func(t *testing.T, image string) {
		if _, err := reference.ParseNormalizedNamed(image); isCommon(image) && err != nil {
			t.Fatalf("%q: %v", image, err)
		}
	})
}
