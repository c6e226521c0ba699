package open

import (
	"archive/tar"
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// makeTar makes a tar of one file.
func makeTar(t testing.TB, name, text string, format tar.Format) []byte {
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

func compressZstd(t testing.TB, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(text, nil)
}

// makePAX makes a tar of one file, whose header is behind an extended one of more than size bytes.
func makePAX(t testing.TB, name, text string, size int) []byte {
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

// binaries are files that are neither YAML nor JSON, by what they are called.
func binaries(t testing.TB) map[string][]byte {
	ustar := makeTar(t, "catalog.yaml", twoTexts, tar.FormatUSTAR)
	longPax := makePAX(t, "catalog.yaml", twoTexts, 3*filetype.HeadSize)
	return map[string][]byte{
		"a tar archive":                      ustar,
		"a tar archive packed with gzip":     gzipped(longPax),
		"a tar archive packed with zstd":     compressZstd(t, ustar),
		"a file packed with gzip":            gzipped([]byte(twoTexts)),
		"a file packed with zstd":            compressZstd(t, []byte(twoTexts)),
		"a SQLite database packed with gzip": gzipped([]byte("SQLite format 3\x00")),
		"a file packed with xz":              []byte("\xfd7zXZ\x00"),
		"a file packed with bzip2":           []byte("BZh91AY&SY\x00\x00"),
		// 128 MiB by the header of its only frame
		"a file packed with zstd, of which unpacking takes more than 64 MiB of memory": []byte("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"),
		"a zip archive": []byte("PK\x03\x04\x14\x00"),
	}
}

// TestBinary wants each file to be named as what it is, though its name says that it is YAML: alone it is an error what may hold a
// catalog, and in a folder a problem of one file, as opm rejects it.
func TestBinary(t *testing.T) {
	for what, text := range binaries(t) {
		name := filepath.Join(t.TempDir(), "catalog.yaml")
		catalogtest.Write(t, name, string(text))
		want, isTar := ": "+what+", neither YAML nor JSON: ", strings.Contains(what, "tar")
		for _, ref := range []string{name, "-"} {
			shown := map[string]string{name: name, "-": "stdin"}[ref]
			cats, err := Open(context.Background(), ref, form.Options{Stdin: bytes.NewReader(text)})
			if isTar && (err != nil || len(cats[0].Packages) == 0) || !isTar && (err == nil || !strings.HasPrefix(err.Error(), shown+want)) {
				t.Errorf("%s: %v; want %s", ref, err, what)
			}
		}
		cats, err := Open(context.Background(), filepath.Dir(name), form.Options{})
		if err != nil || problemLines(cats[0]) != name+" "+what+", neither YAML nor JSON" || cats[0].Problems[0].Fix == "" {
			t.Errorf("%s: %v, %+v", what, err, cats)
		}
	}
}

// TestLongHeader wants a tar to be one though its extended header is longer than what is looked at.
func TestLongHeader(t *testing.T) {
	text := makePAX(t, "catalog.yaml", twoTexts, 3*filetype.HeadSize)
	if kind, known := filetype.Recognise(text[:filetype.HeadSize]); !known || kind.What != "a tar archive" {
		t.Errorf("%+v, %v", kind, known)
	}
	if kind, known := filetype.Recognise(make([]byte, filetype.HeadSize)); known && kind.What == "a tar archive" {
		t.Error("zeros are a tar")
	}
}

// TestOldTar: a tar of the first kind has no mark but the checksum of its header.
func TestOldTar(t *testing.T) {
	text := makeTar(t, "catalog.yaml", twoTexts, tar.FormatUSTAR)
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
		if read := fbc.ReadObjects(&source.File{Source: &source.Source{}, Name: "x"}, text); len(read.Report.Problems) == 0 {
			t.Errorf("%s, but it can be read: %q", kind.What, text)
		}
	})
}
