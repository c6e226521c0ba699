package catalogs

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// bundleFiles are the files of a bundle red.vVERSION.
func bundleFiles(files fstest.MapFS, dir, version, channels, defaultChannel string) {
	annotations := fmt.Sprintf("annotations:\n  %s: red\n  %s: %q\n", annotationPackage, annotationChannels, channels)
	if defaultChannel != "" {
		annotations += fmt.Sprintf("  %s: %s\n", annotationDefault, defaultChannel)
	}
	csv := fmt.Sprintf("kind: ClusterServiceVersion\nmetadata: {name: red.v%s}\nspec: {version: %[1]s}\n", version)
	files[dir+"/manifests/red.yaml"] = &fstest.MapFile{Data: []byte(csv)}
	files[dir+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: []byte(annotations)}
}

// TestInferredDefaultChannel is about packages of which opm registry add has to infer the default channel.
func TestInferredDefaultChannel(t *testing.T) {
	for _, c := range []struct {
		mode, first, second string // the channels of the versions 1.9.0 and 1.10.0, then = and the default one
		want                string // "" if opm refuses the package
	}{
		{"", "slow", "", "slow"},
		{"", "slow,slow", "", "slow"},
		{"", "slow,fast", "", ""},
		{"", "slow,fast=slow", "", "slow"},
		{"", "slow", "fast", "slow"},
		{"", "slow", "slow,fast", "slow"},
		{"", "slow,fast", "slow", ""},
		{"", "slow,fast", "slow=slow", "slow"},
		{"replaces-mode", "slow,fast", "slow", ""},
		{semverMode, "slow,fast", "a", "fast"},
		{skipPatchMode, "slow,fast", "", "fast"},
		{semverMode, "slow,fast", "a=a", "a"},
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
		cats, err := openTree(t.Context(), &source{fsys: files}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, problems := cats[0].Packages[0].DefaultChannel.Value, cats[0].Problems
		refused := len(problems) == 1 && problems[0].Kind == ManifestAnnotations && problems[0].Bundle == "red.v1.9.0"
		if got != c.want || refused != (c.want == "") {
			t.Errorf("%+v: the default channel is %q, problems %v", c, got, problems)
		}
	}
}
