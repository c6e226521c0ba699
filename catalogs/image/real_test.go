package image

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

var forms = []struct {
	ending string
	kind   Kind
}{
	{".oci", OCILayout},
	{".oci.tar", OCIArchive},
	{".docker.tar", DockerArchive},
}

func TestRealCatalog(t *testing.T) {
	want := os.DirFS(catalogtest.Data(t, "fbc/community-v4.20"))
	for _, form := range forms {
		path := catalogtest.Data(t, "images/community-v4.20"+form.ending)
		if kind, ok := Recognise(path); kind != form.kind || !ok {
			t.Errorf("%s is recognised as %v, %v", path, kind, ok)
		}
		img, err := Open(t.Context(), form.kind, path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if img.Root != "configs" || img.Database != nil || img.Platform != "linux/amd64" {
			t.Errorf("%s: root %s, database %v, platform %s", path, img.Root, img.Database, img.Platform)
		}
		compareFolders(t, path, img.FS, want)
	}
}

// compareFolders wants two file systems to have the same files with the same text.
func compareFolders(t *testing.T, where string, got, want fs.FS) {
	t.Helper()
	files := map[string]bool{}
	for _, fsys := range []fs.FS{want, got} {
		err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
			files[name] = entry.IsDir()
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
	}
	if len(files) < 2 {
		t.Fatalf("%s: only %d files", where, len(files))
	}
	for name, isDir := range files {
		if isDir {
			continue
		}
		a, err := fs.ReadFile(got, name)
		b, wantErr := fs.ReadFile(want, name)
		if err != nil || wantErr != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s differs: %d bytes, %v; want %d bytes, %v", where, name, len(a), err, len(b), wantErr)
		}
	}
}

func TestRealDatabase(t *testing.T) {
	want, err := os.ReadFile(catalogtest.Data(t, "sqlite/small.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range forms {
		path := catalogtest.Data(t, "images/small-sqlite"+form.ending)
		img, err := Open(t.Context(), form.kind, path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if img.Database == nil {
			t.Fatalf("%s has no database; its labels are %v", path, img.Labels)
		}
		got, err := io.ReadAll(img.Database)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the database differs: %v", path, err)
		}
		same, err := fs.ReadFile(img.FS, filepath.Base(img.DatabasePath))
		if err != nil || !bytes.Equal(same, want) {
			t.Errorf("%s: the database differs as a file: %v", path, err)
		}
	}
}

// TestMemory reads all of a catalog in an image and looks at how much the program takes from the system.
func TestMemory(t *testing.T) {
	path := catalogtest.Data(t, "images/community-v4.20.oci")
	debug.FreeOSMemory()
	before := inUse()
	img, err := Open(t.Context(), OCILayout, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	peak := inUse()
	size := readEverything(t, img.FS)
	peak = max(peak, inUse())
	if grown := peak - before; grown > 30<<20 {
		t.Errorf("reading a catalog of %d MiB takes %d MiB", size>>20, grown>>20)
	}
	runtime.KeepAlive(img)
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

func readEverything(t testing.TB, fsys fs.FS) (size int64) {
	t.Helper()
	buffer := make([]byte, 64<<10)
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := fsys.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, buffer)
		size += n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

func BenchmarkOpen(b *testing.B) {
	for _, form := range forms {
		b.Run(form.kind.String(), func(b *testing.B) {
			path := catalogtest.Data(b, "images/community-v4.20"+form.ending)
			for b.Loop() {
				img, err := Open(b.Context(), form.kind, path, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(unpackedSize(b, img.FS))
			}
		})
	}
}

func unpackedSize(b *testing.B, fsys fs.FS) (size int64) {
	b.Helper()
	fs.WalkDir(fsys, ".", func(_ string, entry fs.DirEntry, err error) error {
		if i, err := entry.Info(); err == nil && !entry.IsDir() {
			size += i.Size()
		}
		return err
	})
	return size
}

// BenchmarkRead reads what is in an image: all of it in order, and pieces as rules ask for single objects.
func BenchmarkRead(b *testing.B) {
	img, err := Open(b.Context(), OCILayout, catalogtest.Data(b, "images/community-v4.20.oci"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("sequential", func(b *testing.B) {
		for b.Loop() {
			b.SetBytes(readEverything(b, img.FS))
		}
	})
	b.Run("random", func(b *testing.B) {
		f, err := img.FS.Open("dell-csm-operator/catalog.yaml")
		if err != nil {
			b.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		random, piece := rand.New(rand.NewPCG(1, 2)), make([]byte, 4096)
		b.SetBytes(int64(len(piece)))
		for b.Loop() {
			if _, err := f.(io.ReaderAt).ReadAt(piece, random.Int64N(info.Size()-int64(len(piece)))); err != nil {
				b.Fatal(err)
			}
		}
	})
}
