package image

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// imageSaying makes an image whose catalog is one file with a text.
func imageSaying(t testing.TB, platform, text string) v1.Image {
	t.Helper()
	return build(t, platform, configs, gzipLayer(t, makeTar(t, "configs/a = "+text)))
}

func newIndex(images map[string]v1.Image, said bool) v1.ImageIndex {
	index := v1.ImageIndex(empty.Index)
	for platform, img := range images {
		var d v1.Descriptor
		if said {
			d.Platform, _ = v1.ParsePlatform(platform)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: d})
	}
	return index
}

func digestStr(t testing.TB, d interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	h, err := d.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h.String()
}

func TestChoose(t *testing.T) {
	amd, arm, s390 := imageSaying(t, "linux/amd64", "amd"), imageSaying(t, "linux/arm64", "arm"), imageSaying(t, "linux/s390x", "s390")
	old := imageSaying(t, "linux/amd64", "old")
	several := map[string]v1.Image{"linux/amd64": amd, "linux/arm64": arm}
	multi, silent := newIndex(several, true), newIndex(several, false)
	noAMD := newIndex(map[string]v1.Image{"linux/s390x": s390, "linux/arm64": arm}, true)
	nested := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: multi})
	named := "registry.example.com:5000/catalogs/index:v1"
	layouts := map[string]string{
		"one":    writeLayout(t, []string{"v1"}, amd),
		"arm":    writeLayout(t, []string{"v1"}, arm),
		"tags":   writeLayout(t, []string{"v1", "v2"}, amd, old),
		"twice":  writeLayout(t, []string{"v1", "latest"}, amd, amd),
		"names":  writeLayout(t, []string{named, "v2"}, amd, old),
		"multi":  writeLayout(t, []string{"v1"}, multi),
		"silent": writeLayout(t, []string{""}, silent),
		"noamd":  writeLayout(t, []string{"v1"}, noAMD),
		"nested": writeLayout(t, []string{"v1"}, nested),
		"empty":  writeLayout(t, nil),
	}
	tests := []struct {
		layout, which, platform string
		want                    string
		fails                   []string
	}{
		{"one", "", "", "amd", nil},
		{"one", ":v1", "", "amd", nil},
		{"one", ":v2", "", "", []string{"no image v2 is in it; there is v1"}},
		{"one", "", "linux/amd64", "amd", nil},
		{"one", "", "linux/arm64", "", []string{"no image for linux/arm64", "v1 (linux/amd64)"}},
		{"one", "", "arm64", "", []string{"expected os/arch"}},
		{"arm", "", "", "arm", nil},
		{"tags", ":v2", "", "old", nil},
		{"tags", "", "", "", []string{"several images", "v1 (linux/amd64) and v2 (linux/amd64)"}},
		{"tags", "@" + digestStr(t, old), "", "old", nil},
		{"tags", ":@" + digestStr(t, old), "", "old", nil},
		{"tags", "@" + digestStr(t, arm), "", "", []string{"no image " + digestStr(t, arm), "v1 and v2"}},
		{"tags", "@sha256:123", "", "", []string{"is not a digest"}},
		{"twice", "", "", "amd", nil},
		{"twice", ":latest", "", "amd", nil},
		{"names", ":" + named, "", "amd", nil},
		{"names", ":v1", "", "amd", nil},
		{"names", ":v2", "", "old", nil},
		{"names", ":5000/catalogs/index:v1", "", "", []string{"no image 5000/catalogs/index:v1"}},
		{"multi", "", "", "amd", nil},
		{"multi", ":v1", "linux/arm64", "arm", nil},
		{"multi", "", "linux/s390x", "", []string{"no image for linux/s390x", "linux/arm64"}},
		{"multi", "@" + digestStr(t, multi), "linux/arm64", "arm", nil},
		{"multi", "@" + digestStr(t, arm), "", "arm", nil},
		{"silent", "", "linux/arm64", "arm", nil},
		{"silent", "", "", "amd", nil},
		{"noamd", "", "", "", []string{"none of its images is for linux/amd64", "linux/arm64", "linux/s390x"}},
		{"noamd", "", "linux/s390x", "s390", nil},
		{"nested", ":v1", "linux/arm64", "arm", nil},
		{"nested", "@" + digestStr(t, multi), "", "amd", nil},
		{"empty", "", "", "", []string{"no image is in it"}},
	}
	archives := map[string]string{}
	for name, dir := range layouts {
		archives[name] = packArchive(t, dir)
	}
	for _, test := range tests {
		for kind, path := range map[Kind]string{OCILayout: layouts[test.layout], OCIArchive: archives[test.layout]} {
			got, err := Open(t.Context(), kind, path+test.which, Options{Platform: test.platform})
			checkChosen(t, test.layout+test.which+" "+test.platform, got, err, test.want, test.fails)
		}
	}
}

func checkChosen(t *testing.T, what string, got *Image, err error, want string, fails []string) {
	t.Helper()
	switch {
	case fails != nil:
		wantError(t, err, fails...)
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case listing(got.FS) != "a = "+want+"\n":
		t.Errorf("%s: got %s; want %s", what, listing(got.FS), want)
	}
}

func TestChooseDocker(t *testing.T) {
	amd, old := imageSaying(t, "linux/amd64", "amd"), imageSaying(t, "linux/amd64", "old")
	path := dockerSave(t, map[string]v1.Image{"registry.example.com:5000/index:v1": amd, "registry.example.com:5000/index:v2": old})
	id, err := old.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		which, want string
		fails       []string
	}{
		{":registry.example.com:5000/index:v1", "amd", nil},
		{":v2", "old", nil},
		{"@" + id.String(), "old", nil},
		{"", "", []string{"several images", "registry.example.com:5000/index:v1 (linux/amd64)"}},
		{":v3", "", []string{"no image v3"}},
	}
	for _, test := range tests {
		got, err := Open(t.Context(), DockerArchive, path+test.which, Options{})
		checkChosen(t, test.which, got, err, test.want, test.fails)
	}
	got, err := Open(t.Context(), DockerArchive, path+":v2", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Digest != id.String() || got.Reference != "registry.example.com:5000/index:v2" {
		t.Errorf("digest %s, reference %s", got.Digest, got.Reference)
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"plain", "with:colon", "with@sign"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Skip(err) // Windows has no such names
		}
	}
	digest := "sha256:" + strings.Repeat("a", 64)
	tests := []struct{ ref, path, tag, digest string }{
		{"plain", "plain", "", ""},
		{"plain:v1", "plain", "v1", ""},
		{"plain/:v1", "plain/", "v1", ""},
		{"plain:host:5000/name:v1", "plain", "host:5000/name:v1", ""},
		{"plain@" + digest, "plain", "", digest},
		{"plain:@" + digest, "plain", "", digest},
		{"with:colon", "with:colon", "", ""},
		{"with:colon:v1", "with:colon", "v1", ""},
		{"with@sign:v1", "with@sign", "v1", ""},
		{"with@sign@" + digest, "with@sign", "", digest},
		{"missing", "missing", "", ""},
		{"missing:v1", "missing", "v1", ""},
	}
	for _, test := range tests {
		path, want, err := splitReference(test.ref)
		if got := strings.TrimPrefix(want.digest.String(), ":"); path != test.path || want.tag != test.tag || got != test.digest || err != nil {
			t.Errorf("%s: %s, %s, %s, %v", test.ref, path, want.tag, got, err)
		}
	}
}
