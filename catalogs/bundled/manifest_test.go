package bundled

import (
	"strings"
	"testing"
)

func TestPathKeys(t *testing.T) {
	for path, want := range map[string]string{
		"":                                  "",
		"spec":                              "spec",
		"spec.versions[0].schema":           "spec|versions|0|schema",
		"metadata.annotations[a.b/c]":       "metadata|annotations|a.b/c",
		"spec.properties[x[y].items[1][2].": "spec|properties|x[y|items|1|2",
		"a[]b":                              "a||b",
		"..a..b":                            "a|b",
		"[":                                 "",
	} {
		if got := strings.Join(pathKeys(path), "|"); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestCompressedManifests: beyond a limit large manifests are kept compressed, and read the same.
func TestCompressedManifests(t *testing.T) {
	objects, err := ParseObjects([]byte("kind: A\nmetadata: {name: b, namespace: c}\ntext: '" + strings.Repeat("long ", minCompressed) + "'\n---\nkind: B\n"))
	if err != nil || len(objects) != 2 {
		t.Fatal(len(objects), err)
	}
	want := string(objects[0].JSON())
	m := Manifests{bytes: maxUncompressed}
	for _, o := range objects {
		m.keep(o)
	}
	if o := objects[0]; !o.packed || len(o.json)*10 > len(want) || cap(o.json) > 2*len(o.json) || string(o.JSON()) != want || o.Namespace != "c" {
		t.Errorf("%d bytes are held in %d of %d", len(want), len(o.json), cap(o.json))
	}
	if objects[1].packed {
		t.Error("a small one is compressed")
	}
}

// TestManifestPart checks which part of an object a path leads to, and that a path that leads further stops at the innermost part.
func TestManifestPart(t *testing.T) {
	objects, err := ParseObjects([]byte("metadata: {annotations: {a.b/c: '<x>'}}\nspec: {modes: [{type: All, supported: true}], size: 1.5}\n"))
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{Object: objects[0]}
	for path, want := range map[string][2]string{
		"spec.modes[0].supported":     {"spec.modes[0].supported", "true"},
		"spec.modes[0].type":          {"spec.modes[0].type", `"All"`},
		"metadata.annotations[a.b/c]": {"metadata.annotations[a.b/c]", `"<x>"`},
		"spec.modes[3].type":          {"spec.modes", ""},
		"spec.modes":                  {"spec.modes", ""},
		"spec.none":                   {"spec", ""},
		"none":                        {"", ""},
		"":                            {"", ""},
		"spec.size.none":              {"spec.size", "1.5"},
	} {
		if path, value := m.Part(path); path != want[0] || value != want[1] {
			t.Errorf("%s: %q, %q, want %q", path, path, value, want)
		}
	}
}
