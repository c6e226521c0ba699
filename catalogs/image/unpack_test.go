package image

import (
	"io"
	"strings"
	"testing"
	"testing/fstest"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

func TestLayers(t *testing.T) {
	tests := []struct {
		name   string
		layers string // the lowest first, with --- between
		want   string
	}{
		{"one layer", "configs/\n configs/a = one\n etc/passwd = root", "a = one"},
		{"folders need no entry", "configs/p/q/a = one", "p/\n p/q/\n p/q/a = one"},
		{"dots and slashes", "./configs/a = one\n /configs/b = two\n configs//c = three\n configs/x/../d = four",
			"a = one\n b = two\n c = three\n d = four"},
		{"other folders with such a name", "configs2/a = one\n x/configs/a = two\n configs/a = three", "a = three"},
		{"a higher layer replaces", "configs/a = one\n configs/b = two\n --- configs/a = new", "a = new\n b = two"},
		{"the last of a layer wins", "configs/a = one\n configs/a = two", "a = two"},
		{"whiteout of a file", "configs/a = one\n configs/b = two\n --- configs/.wh.a =", "b = two"},
		{"whiteout of a folder", "configs/p/a = one\n configs/b = two\n --- configs/.wh.p =", "b = two"},
		{"whiteout of the folder itself", "configs/a = one\n --- .wh.configs = \n configs/b = two", "b = two"},
		{"whiteout and new in one layer", "configs/a = one\n --- configs/.wh.a =\n configs/a = new", "a = new"},
		{"new and whiteout in one layer", "configs/a = one\n --- configs/a = new\n configs/.wh.a =", "a = new"},
		{"whiteout of a folder and new in it", "configs/p/a = one\n --- configs/.wh.p =\n configs/p/b = two", "p/\n p/b = two"},
		{"whiteout, then back", "configs/a = one\n --- configs/.wh.a =\n --- configs/a = back", "a = back"},
		{"whiteout of a folder, then back", "configs/p/a = one\n --- configs/.wh.p =\n --- configs/p/b = two", "p/\n p/b = two"},
		{"whiteout of nothing", "configs/a = one\n --- configs/.wh.b =", "a = one"},
		{"opaque", "configs/p/a = one\n configs/b = two\n --- configs/p/.wh..wh..opq =\n configs/p/c = three",
			"b = two\n p/\n p/c = three"},
		{"opaque at the end", "configs/p/a = one\n --- configs/p/c = three\n configs/p/.wh..wh..opq =", "p/\n p/c = three"},
		{"opaque image", "configs/a = one\n --- .wh..wh..opq =\n configs/b = two", "b = two"},
		{"opaque below what is above", "configs/p/a = one\n --- configs/p/.wh..wh..opq =\n --- configs/p/c = three",
			"p/\n p/c = three"},
		{"what aufs keeps", "configs/.wh..wh.plnk/1.2 = x\n configs/.wh..wh.aufs =\n configs/a = one",
			".wh..wh.plnk/\n .wh..wh.plnk/1.2 = x\n a = one"},
		{"a file becomes a folder", "configs/a = one\n --- configs/a/b = two", "a/\n a/b = two"},
		{"a folder becomes a file", "configs/a/b = one\n --- configs/a = two", "a = two"},
		{"a folder becomes a file and a folder again", "configs/a/b = one\n --- configs/a = two\n --- configs/a/c = three",
			"a/\n a/c = three"},
		{"a file becomes a folder in one layer", "configs/a = one\n configs/a/b = two", "a/\n a/b = two"},
		{"pipes and devices", "configs/a |\n configs/b #\n configs/c = one", "c = one"},
		{"a device hides", "configs/a = one\n configs/p/b = two\n --- configs/a #\n configs/p |", ""},

		{"symbolic links", "configs/a = one\n configs/b -> a\n configs/p/c -> ../a\n configs/d -> /configs/p/c",
			"a = one\n b -> a = one\n d -> /configs/p/c = one\n p/\n p/c -> ../a = one"},
		{"a link by way of the root", "configs/a = one\n configs/b -> ../../../configs/a", "a = one\n b -> ../../../configs/a = one"},
		{"links through a linked folder", "configs/p/a = one\n configs/q -> p\n configs/b -> q/a\n configs/c -> q/../p/a",
			"b -> q/a = one\n c -> q/../p/a = one\n p/\n p/a = one\n q -> p ! is a folder"},
		{"a link to nothing", "configs/b -> nothing", "b -> nothing ! file does not exist"},
		{"a link out", "configs/b -> ../etc/passwd\n etc/passwd = root\n configs/c -> /etc/../configs/a\n configs/a = one",
			`a = one
			b -> ../etc/passwd ! a link that leads out of /configs, the folder of the catalog
			c -> /etc/../configs/a ! a link that leads out of /configs, the folder of the catalog`},
		{"links in a cycle", "configs/a -> b\n configs/b -> a",
			"a -> b ! a link in a cycle, or in a long chain\n b -> a ! a link in a cycle, or in a long chain"},
		{"a link to a file that is replaced", "configs/a = one\n configs/b -> a\n --- configs/a = new", "a = new\n b -> a = new"},

		{"hard links", "configs/a = one\n configs/b => configs/a\n configs/c => configs/b", "a = one\n b = one\n c = one"},
		{"a hard link to a file that is deleted", "configs/a = one\n configs/b => configs/a\n --- configs/.wh.a =", "b = one"},
		{"a hard link to a file that is replaced", "configs/a = one\n configs/b => configs/a\n --- configs/a = new",
			"a = new\n b = one"},
		{"a hard link to one that is deleted", "configs/a = one\n configs/b => configs/a\n configs/c => configs/b\n --- configs/.wh.b =",
			"a = one\n c = one"},
		{"a hard link to a deleted one to a deleted file",
			"configs/a = one\n configs/b => configs/a\n configs/c => configs/b\n --- configs/.wh.b =\n configs/.wh.a =", "c = one"},
		{"a hard link to a file that the layer replaces", "configs/a = one\n configs/b => configs/a\n configs/a = two",
			"a = two\n b = one"},
		{"a hard link to a lower layer", "configs/a = one\n --- configs/b => configs/a", "a = one\n b = one"},
		{"a hard link to a higher layer", "configs/b => configs/a\n --- configs/a = one",
			"a = one\n b ! a hard link to /configs/a, which is no file in the folder of the catalog"},
		{"a hard link to a link", "configs/a = one\n configs/b -> a\n configs/c => configs/b",
			"a = one\n b -> a = one\n c -> a = one"},
		{"a hard link out", "etc/passwd = root\n configs/b => etc/passwd",
			"b ! a hard link to /etc/passwd, which is no file in the folder of the catalog"},
		{"a hard link out to nothing", "configs/b => x/a", "b ! a hard link to /x/a, which is no file in the folder of the catalog"},
		{"a hard link to itself", "configs/b => configs/b", "b ! a hard link to /configs/b, which is no file in the folder of the catalog"},
		{"a hard link to a folder", "configs/p/\n configs/b => configs/p", "b ! a hard link to /configs/p, which is no file in the folder of the catalog\n p/"},

		{"the folder is a link", "data/fbc/a = one\n configs -> data/fbc", "a = one"},
		{"the folder is an absolute link", "data/fbc/a = one\n configs -> /data/fbc", "a = one"},
		{"a lower link is replaced", "data/fbc/a = one\n configs -> data/fbc\n --- configs/b = two", "b = two"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := writeLayout(t, []string{""}, catalogImage(t, strings.Split(test.layers, "---")...))
			img, err := Open(t.Context(), OCILayout, dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(img.FS); got != lines(test.want) {
				t.Errorf("the layers\n%s\ngive\n%s\nwant\n%s", lines(test.layers), got, lines(test.want))
			}
		})
	}
}

func TestRoot(t *testing.T) {
	tests := []struct{ label, layer, root, want string }{
		{"/configs", "configs/a = one", "configs", "a = one"},
		{"configs/", "configs/a = one", "configs", "a = one"},
		{"/usr/share/fbc", "usr/share/fbc/a = one\n usr/bin/opm = x", "usr/share/fbc", "a = one"},
		{"/usr/share/fbc", "usr -> sys\n sys/share/fbc/a = one", "sys/share/fbc", "a = one"},
		{"/fbc", "x/y/a = one\n x/y/b -> ../y/a\n x/fbc -> y\n fbc -> x/fbc", "x/y", "a = one\n b -> ../y/a = one"},
		{"../../configs", "configs/a = one", "configs", "a = one"},
		{"/", "a = one\n p/b = two", ".", "a = one\n p/\n p/b = two"},
	}
	for _, test := range tests {
		img := build(t, "linux/amd64", map[string]string{configsLabel: test.label}, gzipLayer(t, makeTar(t, test.layer)))
		got, err := Open(t.Context(), OCILayout, writeLayout(t, []string{""}, img), Options{})
		if err != nil {
			t.Errorf("%s: %v", test.label, err)
			continue
		}
		if got.Root != test.root || listing(got.FS) != lines(test.want) {
			t.Errorf("%s: root %s with\n%s", test.label, got.Root, listing(got.FS))
		}
	}
}

func TestLabels(t *testing.T) {
	const both = "configs/a = one\n database/index.db = SQLite\n other = x\n loop -> pool\n pool -> loop"
	tests := []struct {
		labels map[string]string
		want   string // an error
	}{
		{map[string]string{configsLabel: "/configs", databaseLabel: "/database/index.db"}, ""},
		{map[string]string{"x": "1", "a\nb": "2"}, `neither the label ` + configsLabel + ` nor ` + databaseLabel +
			`; its labels are "a\nb" and x`},
		{nil, "it has no labels at all"},
		{map[string]string{configsLabel: "/nothing"}, "the catalog is in /nothing, but no layer of the image has that"},
		{map[string]string{configsLabel: "/configs/a"}, "the catalog is in /configs/a, but that is a file"},
		{map[string]string{configsLabel: "/other/fbc"}, "no layer of the image has that"},
		{map[string]string{configsLabel: "/loop"}, "cycle"},
		{map[string]string{databaseLabel: "/configs"}, "the catalog is in /configs, but that is a folder"},
		{map[string]string{databaseLabel: "/"}, "the catalog is in /, but that is a folder"},
	}
	for _, test := range tests {
		img := build(t, "linux/amd64", test.labels, gzipLayer(t, makeTar(t, both)))
		got, err := Open(t.Context(), OCILayout, writeLayout(t, []string{""}, img), Options{})
		if test.want != "" {
			wantError(t, err, test.want)
		} else if err != nil || got.Database != nil || listing(got.FS) != "a = one\n" {
			t.Errorf("%v: %v, %v", test.labels, got, err)
		}
	}
}

func TestDatabase(t *testing.T) {
	for _, layer := range []string{"database/index.db = SQLite\n database/index.db-wal = x", "database -> db\n db/index.db = SQLite"} {
		img := build(t, "linux/amd64", map[string]string{databaseLabel: "/database/index.db"}, gzipLayer(t, makeTar(t, layer)))
		got, err := Open(t.Context(), OCILayout, writeLayout(t, []string{""}, img), Options{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(got.Database)
		if string(text) != "SQLite" || got.Database.Size() != 6 || err != nil || listing(got.FS) != "index.db = SQLite\n" {
			t.Errorf("%s: %q, %v, files\n%s", layer, text, err, listing(got.FS))
		}
	}
}

func TestPacking(t *testing.T) {
	text := makeTar(t, "configs/a = one")
	two := gzipLayer(t, text[:600])
	two.packed, two.diffID = append(two.packed, gzipLayer(t, text[600:]).packed...), newDigest(text)
	mislabelled := zstdLayer(t, text)
	mislabelled.media = "application/vnd.oci.image.layer.v1.tar+gzip"
	for _, layer := range []v1.Layer{plainLayer(text), gzipLayer(t, text), zstdLayer(t, text), two, mislabelled} {
		dir := writeLayout(t, []string{""}, build(t, "linux/amd64", configs, layer))
		for kind, path := range map[Kind]string{OCILayout: dir, OCIArchive: packArchive(t, dir)} {
			img, err := Open(t.Context(), kind, path, Options{})
			if err != nil || listing(img.FS) != "a = one\n" {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// TestFile reads a file of several blocks.
func TestFile(t *testing.T) {
	text := strings.Repeat("abcdefg ", packed.BlockSize/2)
	got, err := Open(t.Context(), OCILayout, writeLayout(t, []string{""}, catalogImage(t, "configs/a = "+text, "configs/p/c = y")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(got.FS, "a", "p/c"); err != nil {
		t.Error(err)
	}
}
