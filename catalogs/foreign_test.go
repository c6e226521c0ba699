package catalogs

import (
	"archive/tar"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/olmgraph/olmgraph/catalogs/filetype"
)

// tarOf makes a tar of one file.
func tarOf(t testing.TB, name, text string, format tar.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg, Format: format}); err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(text))
	w.Close()
	return out.Bytes()
}

func gzipped(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(text)
	w.Close()
	return out.Bytes()
}

func zstdOf(t testing.TB, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(text, nil)
}

// paxOf makes a tar of one file, whose header is behind an extended one of more than size bytes.
func paxOf(t testing.TB, name, text string, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"X.note": strings.Repeat("\x01\x02", size/2)}}
	if err := w.WriteHeader(h); err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(text))
	w.Close()
	return out.Bytes()
}

func xzOf(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := xz.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Close()
	return out.Bytes()
}

// binaries are files that are neither YAML nor JSON, by what they are called.
func binaries(t testing.TB) map[string][]byte {
	ustar := tarOf(t, "catalog.yaml", twoTexts, tar.FormatUSTAR)
	longPax := paxOf(t, "catalog.yaml", twoTexts, 3*filetype.HeadSize)
	return map[string][]byte{
		"a tar archive":                      ustar,
		"a tar archive packed with gzip":     gzipped(longPax),
		"a tar archive packed with xz":       xzOf(t, longPax),
		"a tar archive packed with zstd":     zstdOf(t, ustar),
		"a file packed with gzip":            gzipped([]byte(twoTexts)),
		"a file packed with zstd":            zstdOf(t, []byte(twoTexts)),
		"a SQLite database packed with gzip": gzipped([]byte("SQLite format 3\x00")),
		"a file packed with xz":              xzOf(t, []byte(twoTexts)),
		"a file packed with bzip2":           []byte("BZh91AY&SY\x00\x00"),
		// 128 MiB by the header of its only block
		"a file packed with xz, of which unpacking takes more than 64 MiB of memory": []byte("\xfd7zXZ\x00\x00\x00\xff\x12\xd9\x41\x02\x00\x21\x01\x1e\x00\x00\x00\x00\x00\x00\x00"),
		"a zip archive": []byte("PK\x03\x04\x14\x00"),
	}
}

// TestBinary wants each file to be named as what it is, though its name says that it is YAML: alone it is an error what may hold a
// catalog, and in a folder a problem of one file, as opm rejects it.
func TestBinary(t *testing.T) {
	for what, text := range binaries(t) {
		name := filepath.Join(t.TempDir(), "catalog.yaml")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		want, isTar := ": "+what+", neither YAML nor JSON: ", strings.Contains(what, "tar")
		for _, ref := range []string{name, "-"} {
			shown := map[string]string{name: name, "-": "stdin"}[ref]
			cats, err := Open(context.Background(), ref, Options{Stdin: bytes.NewReader(text)})
			if isTar && (err != nil || len(cats[0].Packages) == 0) || !isTar && (err == nil || !strings.HasPrefix(err.Error(), shown+want)) {
				t.Errorf("%s: %v; want %s", ref, err, what)
			}
		}
		cats, err := Open(context.Background(), filepath.Dir(name), Options{})
		if err != nil || problemLines(cats[0]) != name+" "+what+", neither YAML nor JSON" || cats[0].Problems[0].Fix == "" {
			t.Errorf("%s: %v, %+v", what, err, cats)
		}
	}
}

// TestLongHeader wants a tar to be one though its extended header is longer than what is looked at.
func TestLongHeader(t *testing.T) {
	text := paxOf(t, "catalog.yaml", twoTexts, 3*filetype.HeadSize)
	if kind, known := filetype.Recognise(text[:filetype.HeadSize]); !known || kind.What != "a tar archive" {
		t.Errorf("%+v, %v", kind, known)
	}
	if kind, known := filetype.Recognise(make([]byte, filetype.HeadSize)); known && kind.What == "a tar archive" {
		t.Error("zeros are a tar")
	}
}

// TestOldTar: a tar of the first kind has no mark but the checksum of its header.
func TestOldTar(t *testing.T) {
	text := tarOf(t, "catalog.yaml", twoTexts, tar.FormatUSTAR)
	header := text[:512]
	copy(header[257:], make([]byte, 8))
	sum := 8 * int(' ')
	for i, c := range header {
		if i < 148 || i >= 156 {
			sum += int(c)
		}
	}
	for i := range 6 { // six octal digits, a NUL and a blank
		header[148+5-i] = byte('0' + sum>>(3*i)&7)
	}
	if kind, known := filetype.Recognise(header); !known || kind.What != "a tar archive" {
		t.Errorf("%+v, %v", kind, known)
	}
}

// TestNotBinary: text that may be YAML is read as YAML, and an error in it is reported with its place.
func TestNotBinary(t *testing.T) {
	for _, text := range []string{"", twoTexts, "BZh: 1", "PK: 1", "schema: olm.package\nname: a\x00b\n# and so on, much longer than that\n",
		"\xff\xfes\x00c\x00h\x00", "\xef\xbb\xbfschema: x", "7z: \u0101", "\x1b[31m"} {
		if kind, known := filetype.Recognise([]byte(text)); known {
			t.Errorf("%q is %s", text, kind.What)
		}
	}
}

// FuzzBinary recognises what any bytes are. What is recognised is surely rejected as YAML and JSON.
func FuzzBinary(f *testing.F) {
	for _, text := range binaries(f) {
		f.Add(text)
	}
	f.Add([]byte(twoTexts))
	f.Add([]byte("\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		text = text[:min(len(text), filetype.HeadSize)]
		kind, known := filetype.Recognise(text)
		if !known {
			return
		}
		if read := readObjectsIn(&file{source: &source{}, name: "x"}, text); len(read.text.problems) == 0 {
			t.Errorf("%s, but it can be read: %q", kind.What, text)
		}
	})
}

// TestForeign wants each text to be recognised by what it says, in YAML and in JSON, and nothing of it to be taken for a package.
func TestForeign(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"schema: olm.template.basic\nentries: [{schema: olm.package, name: red}]", "a template (olm.template.basic)"},
		{"Schema: olm.semver\nStable: {Bundles: [{Image: x}]}", "a template (olm.semver)"},
		{`{"SCHEMA": "olm.template.substitutes"}`, "a template (olm.template.substitutes)"},
		{`{"csvName": "red.v1", "packageName": "red", "channelName": "stable"}` + "\n" + `{"csvName": "red.v2", "bundlePath": "x"}`,
			"an answer of ListBundles of a catalog's pod (as grpcurl prints it)"},
		{`{"name": "red", "channels": [{"name": "stable", "csvName": "red.v1"}], "defaultChannelName": "stable"}`,
			"an answer of GetPackage of a catalog's pod (as grpcurl prints it)"},
		{"apiVersion: packages.operators.coreos.com/v1\nkind: PackageManifest", "the package manifests that a cluster's package server shows (kubectl get packagemanifests)"},
		{"apiVersion: v1\nkind: List\nitems: [{apiVersion: packages.operators.coreos.com/v1, kind: PackageManifest}]",
			"the package manifests that a cluster's package server shows (kubectl get packagemanifests)"},
		{"apiVersion: v1\nkind: ConfigMap\ndata: {clusterServiceVersions: x}", "a catalog in a ConfigMap"},
		{"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, data: {packages: x}}]", "a catalog in a ConfigMap"},
		{"apiVersion: v1\nkind: ConfigMap\ndata: {a: b}", `a Kubernetes object (kind "ConfigMap")`},
		{"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]", `a Kubernetes object (kind "List")`},
		{"apiVersion: v1\nkind: \"a\\x1b[31m\\u202e\"", `a Kubernetes object (kind "a\x1b[31m\u202e")`},
		{"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1", "an ImageSetConfiguration of oc-mirror"},
		{"apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource", "a CatalogSource"},
		{"apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion", "a ClusterServiceVersion"},
		{"packageName: red\nchannels: [{name: stable, currentCSV: red.v1}]", "a package manifest"},
		{"annotations: {operators.operatorframework.io.bundle.package.v1: red}", "the annotations of a bundle"},
		{"dependencies: [{type: olm.gvk}]", "the dependencies of a bundle"},
		{"updateGraph: semver-mode", "the ci.yaml of a catalog repository"},
		{"fbc: {enabled: true}", "the ci.yaml of a catalog repository"},
		{"catalog_templates: [{template_name: v4.20.yaml, channels: [stable]}]", "the release-config.yaml of a bundle in a catalog repository"},
		{"merge: false\ncatalog_templates: [{template_name: a}]", "the release-config.yaml of a bundle in a catalog repository"},
		{`{"schemaVersion": 2, "layers": []}`, "the manifest of a container image"},
		{`{"imageLayoutVersion": "1.0.0"}`, "the mark of an OCI image layout"},
		{"apiVersion: v2\nname: red\nversion: 1.0.0", "the Chart.yaml of a Helm chart"},
		{"schema: olm.bundel\nname: red", `objects of schema "olm.bundel"`},
		{"schema: olm.deprecations\npackage: red\nentries: []", "deprecations (olm.deprecations) of a package that is not there"},
		{"{}", ""},
	} {
		c := loadText(t, []byte(test.text+"\n"), chunkSize)
		found, none := c.NoPackage()
		if !none || found.What != test.want || found.Fix == "" || !found.Pos.Known() && test.want != "" {
			t.Errorf("%q: %+v, %v; want %q", test.text, found, none, test.want)
		}
		if n := strings.Count(problemsOf(c), "has no schema"); n > 1 {
			t.Errorf("%q: %d problems for one file:\n%s", test.text, n, problemsOf(c))
		}
	}
	for _, catalog := range []string{twoFormats, "schema: olm.package\nname: red\n", "schema: olm.channel\npackage: red\nname: stable\n",
		"schema: olm.bundle\npackage: red\nname: red.v1\n"} {
		if found, none := loadText(t, []byte(catalog), chunkSize).NoPackage(); none {
			t.Errorf("%.40q: %+v", catalog, found)
		}
	}
}
