package main

import (
	"archive/tar"
	"bytes"
	"database/sql"
	"encoding/base64"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the driver
)

// makeImage is "image FORM OUT LABEL DIR": an image whose only layer has the folder at its path, and that label naming it.
// FORM is oci, oci-archive or docker-archive, or docker to push it to the registry under that name.
func makeImage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: image FORM OUT LABEL DIR")
	}
	form, out, label, dir := args[0], args[1], args[2], args[3]
	img, err := imageOf(ts.MkAbs(dir), dir, "operators.operatorframework.io.index."+label+".v1")
	ts.Check(err)
	tag, err := name.NewTag("example.com/catalog:v1")
	ts.Check(err)
	switch form {
	case "oci":
		ts.Check(writeLayout(ts.MkAbs(out), img))
	case "oci-archive":
		ts.Check(writeLayout(ts.MkAbs(out)+".dir", img))
		ts.Check(os.WriteFile(ts.MkAbs(out), tarOf(ts.MkAbs(out)+".dir", "."), 0o666))
	case "docker-archive":
		ts.Check(tarball.WriteToFile(ts.MkAbs(out), tag, img))
	case "docker":
		ref, err := name.ParseReference(out, name.Insecure)
		ts.Check(err)
		ts.Check(remote.Write(ref, img))
	}
}

func imageOf(dir, inside, label string) (v1.Image, error) {
	text := tarOf(dir, inside)
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil })
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	config := v1.Config{Labels: map[string]string{label: "/" + inside}}
	return mutate.Config(img, config)
}

func writeLayout(dir string, img v1.Image) error {
	l, err := layout.Write(dir, empty.Index)
	if err == nil {
		err = l.AppendImage(img)
	}
	return err
}

// tarOf packs a file or a folder under another name.
func tarOf(dir, inside string) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(filepath.Join(inside, strings.TrimPrefix(path, dir)))
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
		_, err = w.Write(text)
		return err
	})
	w.Close()
	return out.Bytes()
}

// serveRegistry is "registry": a registry on the loopback device, whose address is in $REGISTRY from then on.
func serveRegistry(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	ts.Defer(server.Close)
	ts.Setenv("REGISTRY", strings.TrimPrefix(server.URL, "http://"))
}

// makeDatabase is "sql FILE SCRIPT": a SQLite database made by the statements of a file.
func makeDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE SCRIPT")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	_, err = db.Exec(ts.ReadFile(args[1]))
	ts.Check(err)
}

// makeNoise is "noise FILE KIB": a ConfigMap with so much text that cannot be compressed, always the same.
func makeNoise(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: noise FILE KIB")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	noise := make([]byte, size<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: noise\nbinaryData:\n  noise: " + base64.StdEncoding.EncodeToString(noise) + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}
