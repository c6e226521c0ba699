package open

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// bundleFiles are the files of a bundle red.vVERSION.
func bundleFiles(files fstest.MapFS, dir, version, channels, defaultChannel string) {
	annotations := fmt.Sprintf("annotations:\n  %s: red\n  %s: %q\n", catalogs.AnnotationPackage, catalogs.AnnotationChannels, channels)
	if defaultChannel != "" {
		annotations += fmt.Sprintf("  %s: %s\n", catalogs.AnnotationDefault, defaultChannel)
	}
	csv := fmt.Sprintf("kind: ClusterServiceVersion\nmetadata: {name: red.v%s}\nspec: {version: %[1]s}\n", version)
	files[dir+"/manifests/red.yaml"] = &fstest.MapFile{Data: []byte(csv)}
	files[dir+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: []byte(annotations)}
}

// TestInferredDefaultChannel is about packages of which opm registry add has to infer the default channel.
func TestInferredDefaultChannel(t *testing.T) {
	for _, c := range []struct {
		mode, first, second string // the channels of the versions 1.9.0 and 1.10.0, then = and the default one
		want                string
		rejected            bool // the first one
	}{
		{"", "slow", "", "slow", false},
		{"", "slow,fast", "", "", true},
		{"", "slow,fast=slow", "", "slow", false},
		{"", "slow", "fast", "slow", false},
		{"", "slow", "slow,fast", "slow", false},
		{"", "slow,fast", "slow", "slow", true},
		{"", "slow,fast", "fast,slow=slow", "slow", true},
		{"replaces-mode", "slow,fast", "slow", "slow", true},
		{pipelineconfig.SemverMode, "slow,fast", "a", "fast", false},
		{pipelineconfig.SkipPatchMode, "slow,fast", "", "fast", false},
		{pipelineconfig.SemverMode, "slow,fast", "a=a", "a", false},
	} {
		files := fstest.MapFS{}
		for version, says := range map[string]string{"1.9.0": c.first, "1.10.0": c.second} {
			if channels, named, _ := strings.Cut(says, "="); channels != "" {
				bundleFiles(files, "red/"+version, version, channels, named)
			}
		}
		if c.mode != "" {
			files["red/ci.yaml"] = &fstest.MapFile{Data: []byte("updateGraph: " + c.mode + "\n")}
		}
		cats, err := Folder(t.Context(), &source.Source{Fsys: files}, form.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, problems := cats[0].Packages[0].DefaultChannel.Value, slices.Clone(cats[0].Problems)
		problems = slices.DeleteFunc(problems, func(p catalogs.Problem) bool { return p.Kind == catalogs.RegistryPruned })
		rejected := len(problems) == 1 && problems[0].Kind == catalogs.ManifestAnnotations && problems[0].Bundle == "red.v1.9.0"
		if got != c.want || rejected != c.rejected {
			t.Errorf("%+v: the default channel is %q, problems %v", c, got, problems)
		}
	}
}

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
	cats, err := Folder(t.Context(), &source.Source{Fsys: files}, form.Options{})
	if err != nil || len(cats) != 1 {
		t.Fatal(cats, err)
	}
	if len(cats[0].Problems) > 0 {
		t.Error(cats[0].Problems)
	}
	var got []string
	for _, p := range cats[0].Packages {
		for _, b := range p.Bundles {
			manifests, err := new(bundled.Manifests).Read(b)
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

// TestFolderProgress: Progress is called for each byte of bundles.
func TestFolderProgress(t *testing.T) {
	annotations := "annotations: {" + catalogs.AnnotationPackage + ": boat, " + catalogs.AnnotationChannels + ": a}\n"
	manifest := "packageName: boat\nchannels: [{name: a, currentCSV: boat.v1.0.0}]\n"
	repository := fstest.MapFS{}
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		repository["operators/boat/"+version+"/manifests/a.yaml"] = &fstest.MapFile{Data: []byte(folderCSV)}
		repository["operators/boat/"+version+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: []byte(annotations)}
	}
	bundle, err := repository.Sub("operators/boat/1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	for kind, c := range map[catalogs.Form]struct {
		fsys  fs.FS
		calls int
		bytes int
	}{
		catalogs.Repository:   {repository, 3, 3 * (len(folderCSV) + len(annotations))},
		catalogs.BundleFolder: {bundle, 1, len(folderCSV) + len(annotations)},
		catalogs.PackageManifests: {fstest.MapFS{"boat.package.yaml": {Data: []byte(manifest)}, "1.0.0/a.yaml": {Data: []byte(folderCSV)}},
			2, len(manifest) + len(folderCSV)},
	} {
		calls, bytes := 0, int64(0)
		cats, err := Folder(t.Context(), &source.Source{Fsys: c.fsys}, form.Options{Progress: func(n int64) { calls, bytes = calls+1, bytes+n }})
		if err != nil || cats[0].Form != kind {
			t.Fatal(kind, err)
		}
		if calls != c.calls || bytes != int64(c.bytes) || bytes != cats[0].Stats.Bytes {
			t.Errorf("%s: told %d times of %d bytes, want %d of %d, as are counted: %d", kind, calls, bytes, c.calls, c.bytes, cats[0].Stats.Bytes)
		}
	}
}
