package catalogs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestManifestFolders is about where the import of package manifests finds ClusterServiceVersions: in every folder below, and
// several in one (operator-registry: pkg/sqlite DirectoryLoader).
func TestManifestFolders(t *testing.T) {
	csv := func(version, replaces string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "kind: ClusterServiceVersion\nmetadata: {name: red.v%s}\nspec: {version: %[1]s, replaces: %q}\n", version, replaces)}
	}
	files := fstest.MapFS{
		"red/red.package.yaml":  {Data: []byte("packageName: red\nchannels:\n- {name: slow, currentCSV: red.v5.0.0}\n")},
		"red/red1.yaml":         csv("1.0.0", ""),
		"red/red2.yaml":         csv("2.0.0", "red.v1.0.0"),
		"red/service.yaml":      {Data: []byte("kind: Service\n")},
		"red/3/red.yaml":        csv("3.0.0", "red.v2.0.0"),
		"red/3/more.yaml":       csv("4.0.0", "red.v3.0.0"),
		"red/5/below/red.yaml":  csv("5.0.0", "red.v4.0.0"),
		"red/5/metadata/a.yaml": {Data: []byte("annotations: {}\n")},
		"red/5/extra.yaml":      {Data: []byte("kind: Service\n")},
		"red/.hidden/red6.yaml": csv("6.0.0", "red.v5.0.0"),
	}
	bundleFiles(files, "blue/1.0.0", "1.0.0", "a", "")
	name := files["blue/1.0.0/metadata/annotations.yaml"]
	name.Data = []byte(strings.Replace(string(name.Data), ": red", ": blue", 1))
	cats, err := openTree(t.Context(), &source{fsys: files}, Options{})
	if err != nil || len(cats) != 1 {
		t.Fatal(cats, err)
	}
	if len(cats[0].Problems) > 0 {
		t.Error(cats[0].Problems)
	}
	var got []string
	for _, p := range cats[0].Packages {
		for _, b := range p.Bundles {
			manifests, err := new(Manifests).Of(b)
			if err != nil {
				t.Fatal(err)
			}
			line := p.Name.Value + " " + b.Name.Value
			for _, m := range manifests {
				line += " " + m.File
			}
			got = append(got, line)
		}
	}
	want := []string{"blue red.v1.0.0 red.yaml", "red red.v1.0.0 red1.yaml service.yaml", "red red.v2.0.0 red2.yaml service.yaml",
		"red red.v4.0.0 more.yaml", "red red.v3.0.0 red.yaml", "red red.v5.0.0 red.yaml"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
