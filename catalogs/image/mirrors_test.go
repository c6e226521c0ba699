package image

import (
	"slices"
	"strings"
	"testing"
)

const someMirrors = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
spec:
  imageDigestMirrors:
  - source: quay.io
    mirrors: [mirror.example.com:5000/quay, other.example.com/quay]
  - source: quay.io/red
    mirrors: [mirror.example.com:5000/red]
    mirrorSourcePolicy: NeverContactSource
  - source: '*.redhat.io'
    mirrors: [mirror.example.com:5000/rh]
---
kind: List
items:
- kind: ImageTagMirrorSet
  spec:
    imageTagMirrors:
    - source: quay.io/blue
      mirrors: [tags.example.com/blue]
- kind: ImageContentSourcePolicy
  spec:
    repositoryDigestMirrors:
    - source: docker.io/x
      mirrors: [mirror.example.com:5000/x]
`

func TestMirrors(t *testing.T) {
	all, err := ParseMirrors("mirrors.yaml", []byte(someMirrors))
	if err != nil {
		t.Fatal(err)
	}
	digest := "@sha256:" + strings.Repeat("0", 64)
	for ref, want := range map[string][]string{
		"quay.io/a/b" + digest:                {"mirror.example.com:5000/quay/a/b" + digest, "other.example.com/quay/a/b" + digest, "quay.io/a/b" + digest},
		"quay.io/red/b" + digest:              {"mirror.example.com:5000/red/b" + digest},
		"quay.io/redder/b" + digest:           {"mirror.example.com:5000/quay/redder/b" + digest, "other.example.com/quay/redder/b" + digest, "quay.io/redder/b" + digest},
		"quay.io/red/b:v1":                    {"quay.io/red/b:v1"},
		"quay.io/blue:v1":                     {"tags.example.com/blue:v1", "quay.io/blue:v1"},
		"registry.redhat.io/r/b" + digest:     {"mirror.example.com:5000/rh/r/b" + digest, "registry.redhat.io/r/b" + digest},
		"docker.io/x/y" + digest:              {"mirror.example.com:5000/x/y" + digest, "docker.io/x/y" + digest},
		"quay.io.example.com/a" + digest:      {"quay.io.example.com/a" + digest},
		"example.com/quay.io/a/b:v1" + digest: {"example.com/quay.io/a/b:v1" + digest},
	} {
		if got := all.references(ref); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	for text, want := range map[string]string{"kind: Pod": `m.yaml:1: no ImageDigestMirrorSet`, "---\n- a": "m.yaml:2", "a: [": "m.yaml: ",
		"kind: ImageTagMirrorSet\nspec: {imageTagMirrors: [{mirrors: [a]}]}": "mirrors without a source"} {
		if _, err := ParseMirrors("m.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzMirrors(f *testing.F) {
	f.Add(someMirrors, "quay.io/a@sha256:0")
	f.Fuzz(func(t *testing.T, text, ref string) {
		if all, err := ParseMirrors("m", []byte(text)); err == nil {
			all.references(ref)
			all.Hosts()
		}
	})
}
