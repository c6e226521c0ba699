package catalogs

import "testing"

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
