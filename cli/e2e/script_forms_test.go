package e2e

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/base64"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the driver
)

// makeImage is "image FORM OUT LABEL DIR": an image whose only layer has the folder at its path, and that label naming it: configs or
// database of an index image. Where LABEL is bundle, it is a bundle image with the folder as its root.
// FORM is oci, oci-archive or docker-archive, or docker to push it to the registry under that name.
func makeImage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: image FORM OUT LABEL DIR")
	}
	form, out, label, dir := args[0], args[1], args[2], args[3]
	labels := "operators.operatorframework.io.index." + label + ".v1"
	inside := dir
	if label == "bundle" {
		labels, inside = "operators.operatorframework.io.bundle.package.v1", "."
	}
	img, err := packImage(ts.MkAbs(dir), inside, labels)
	ts.Check(err)
	tag, err := name.NewTag("example.com/catalog:v1")
	ts.Check(err)
	switch form {
	case "oci":
		ts.Check(writeLayout(ts.MkAbs(out), img))
	case "oci-archive":
		ts.Check(writeLayout(ts.MkAbs(out)+".dir", img))
		ts.Check(os.WriteFile(ts.MkAbs(out), makeTar(ts.MkAbs(out)+".dir", "."), 0o666))
	case "docker-archive":
		ts.Check(tarball.WriteToFile(ts.MkAbs(out), tag, img))
	case "docker":
		ref, err := name.ParseReference(out, name.Insecure)
		ts.Check(err)
		ts.Check(remote.Write(ref, img))
	}
}

func packImage(dir, inside, label string) (v1.Image, error) {
	text := makeTar(dir, inside)
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

// makeTar packs a file or a folder under another name.
func makeTar(dir, inside string) []byte {
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

// packFolder is "pack FILE FOLDER": a tar of the folder, packed as packFile does, or a zip archive if FILE ends in .zip.
func packFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pack FILE FOLDER")
	}
	if filepath.Ext(args[0]) != ".zip" {
		writePacked(ts, args[0], makeTar(ts.MkAbs(args[1]), "."))
		return
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	ts.Check(w.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o666))
}

// packFile is "compress PACKED FILE": the file, packed with gzip if PACKED ends in .gz or .tgz, with zstd if it ends in .zst. If
// it ends in .xz, it only begins as xz does.
func packFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: compress PACKED FILE")
	}
	text, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	writePacked(ts, args[0], text)
}

func writePacked(ts *testscript.TestScript, name string, text []byte) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch filepath.Ext(name) {
	case ".gz", ".tgz":
		w = gzip.NewWriter(&out)
	case ".zst":
		w, err = zstd.NewWriter(&out)
	case ".xz":
		out.WriteString("\xfd7zXZ\x00")
	}
	ts.Check(err)
	if w == nil {
		out.Write(text)
	} else {
		w.Write(text)
		ts.Check(w.Close())
	}
	ts.Check(os.WriteFile(ts.MkAbs(name), out.Bytes(), 0o666))
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
	execSQL(ts, args[0], args[1], func() {})
}

// makeRunningDatabase is "running-sql FILE SCRIPT": the same, and the files as they are while the program still runs.
func makeRunningDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: running-sql FILE SCRIPT")
	}
	found := map[string][]byte{}
	execSQL(ts, args[0], args[1], func() {
		names, err := filepath.Glob(ts.MkAbs(args[0]) + "*")
		ts.Check(err)
		for _, name := range names {
			found[name], err = os.ReadFile(name)
			ts.Check(err)
		}
	})
	for name, text := range found {
		ts.Check(os.WriteFile(name, text, 0o666))
	}
}

// execSQL runs the statements of a script, and calls look before it closes the database.
func execSQL(ts *testscript.TestScript, file, script string, look func()) {
	db, err := sql.Open("sqlite", ts.MkAbs(file))
	ts.Check(err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(ts.ReadFile(script))
	ts.Check(err)
	look()
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

// commitFolder is "commit FOLDER [TAG]": a commit of all that is in the folder now, which becomes a repository if it is none.
func commitFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: commit FOLDER [TAG]")
	}
	dir := ts.MkAbs(args[0])
	r := repository{filesystem.NewStorage(osfs.New(filepath.Join(dir, ".git")), nil)}
	commit := "author a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\ntext\n"
	if last, err := r.Reference("refs/heads/main"); err == nil {
		commit = "parent " + last.Hash().String() + "\n" + commit
	} else {
		ts.Check(r.Init())
		ts.Check(r.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, "refs/heads/main")))
	}
	tree, err := r.tree(dir)
	ts.Check(err)
	h, err := r.put(plumbing.CommitObject, []byte("tree "+tree.String()+"\n"+commit))
	ts.Check(err)
	ts.Check(r.SetReference(plumbing.NewHashReference("refs/heads/main", h)))
	if len(args) == 2 {
		ts.Check(r.SetReference(plumbing.NewHashReference(plumbing.ReferenceName("refs/tags/"+args[1]), h)))
	}
}

// repository is what commits are written to.
type repository struct{ *filesystem.Storage }

func (r repository) put(kind plumbing.ObjectType, text []byte) (plumbing.Hash, error) {
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	o.Write(text)
	return r.SetEncodedObject(o)
}

// tree writes a folder, but for the repository in it.
func (r repository) tree(dir string) (plumbing.Hash, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	order := func(e os.DirEntry) string { // git's
		if e.IsDir() {
			return e.Name() + "/"
		}
		return e.Name()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(order(a), order(b)) })
	var text []byte
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		mode, h, err := r.entry(filepath.Join(dir, e.Name()), e)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		text = append(append(append(text, mode+" "+e.Name()...), 0), h[:]...)
	}
	return r.put(plumbing.TreeObject, text)
}

func (r repository) entry(name string, e os.DirEntry) (string, plumbing.Hash, error) {
	switch {
	case e.IsDir():
		h, err := r.tree(name)
		return "40000", h, err
	case e.Type() == os.ModeSymlink:
		target, err := os.Readlink(name)
		if err != nil {
			return "", plumbing.ZeroHash, err
		}
		h, err := r.put(plumbing.BlobObject, []byte(target))
		return "120000", h, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", plumbing.ZeroHash, err
	}
	h, err := r.put(plumbing.BlobObject, text)
	return "100644", h, err
}
