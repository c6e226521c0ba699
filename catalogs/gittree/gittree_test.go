package gittree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/go-git/go-git/v5/plumbing"
)

var someFiles = []string{"a = one", "b.d/x = of b.d", "b/c/d = deep", "b/e = two", "empty = ", "sub @"}

const someListing = "a = one\nb/c/d = deep\nb/e = two\nb.d/x = of b.d\nempty = \nsub/\n"

func TestTree(t *testing.T) {
	for _, packed := range []string{"loose", "packed", "packed by names"} {
		t.Run(packed, func(t *testing.T) {
			b := newBuilder(t, false)
			b.main(someFiles...)
			if packed != "loose" {
				b.pack(packed == "packed by names")
			}
			tree := open(t, b.dir, "HEAD", "")
			if got := listing(tree); got != someListing {
				t.Errorf("got\n%s", got)
			}
			if err := fstest.TestFS(tree, "a", "b/c/d", "sub"); err != nil {
				t.Error(err)
			}
			if err := tree.Fault(); err != nil {
				t.Error(err)
			}
			f, err := tree.Open("b/e")
			if err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 2)
			if n, err := f.(io.ReaderAt).ReadAt(text, 1); n != 2 || string(text) != "wo" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// TestPaths takes paths as git show does.
func TestPaths(t *testing.T) {
	b := newBuilder(t, false)
	b.main(append(someFiles, "to -> b/c", "b/up -> ../a")...)
	here := filepath.Join(b.dir, "b", "c")
	if err := os.MkdirAll(here, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, name, path, file, want string }{
		{b.dir, "b", "b", "", "c/d = deep\ne = two\nup = one\n"},
		{here, "b/", "b", "", "c/d = deep\ne = two\nup = one\n"},
		{here, "b/c", "b/c", "", "d = deep\n"},
		{here, "./", "b/c", "", "d = deep\n"},
		{here, ".", "b/c", "", "d = deep\n"},
		{here, "../../b.d", "b.d", "", "x = of b.d\n"},
		{here, "../e", "b/e", "e", "c/d = deep\ne = two\nup = one\n"},
		{b.dir, "a", "a", "a", "a = one\n"},
		{b.dir, "to", "to", "", "d = deep\n"},
		{b.dir, "to/d", "to/d", "d", "d = deep\n"},
		{b.dir, "b/up", "b/up", "up", "c/d = deep\ne = two\nup = one\n"},
	} {
		tree, err := Open(t.Context(), test.dir, "main", test.name, Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := listing(tree); tree.Path != test.path || tree.File != test.file || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, %s\n%s", test.name, tree.Path, tree.File, got)
		}
	}
	for _, test := range []struct{ name, says string }{
		{"/a", "without / in front"}, {"../../..", "leads out of the repository"}, {"b/../../a", "leads out of the repository"},
		{"none", "there is no none at main"}, {"b/c/none/x", "there is no b/c/none/x at main, but there is b/c"},
		{"c/d", "there is no c/d at main"}, {"e", "there is no e at main"}, {"a/b", "not a folder"}, {"sub/x", "submodule"}, {"sub", "what is in it is in another repository"},
	} {
		refused(t, here, "main", test.name, test.says)
	}
	refused(t, filepath.Join(b.dir, "b"), "main", "e", "did you mean ./e, from the working directory?")
}

func TestLinks(t *testing.T) {
	b := newBuilder(t, false)
	b.main("d/in -> x", "d/x = text", "d/shared -> ../e/y", "e/y = of e", "d/dir -> ../e", "d/out -> ../../a", "d/root -> /etc/passwd",
		"d/none -> nothing", "d/loop -> loop", "d/chain -> in", "d/file -> x/y", "d/long -> "+strings.Repeat("a/", 3000))
	tree := open(t, b.dir, "HEAD", "d")
	for name, want := range map[string]string{"in": "text", "shared": "of e", "chain": "text", "dir/y": "of e"} {
		if text, err := fs.ReadFile(tree, name); string(text) != want || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, says := range map[string]string{"out": "leads out", "root": "leads out", "none": "does not exist", "loop": "cycle",
		"file": "not a folder", "long": "too long"} {
		_, err := fs.Stat(tree, name)
		wantError(t, name, err, says)
	}
	if target, err := tree.ReadLink("shared"); target != "../e/y" || err != nil {
		t.Errorf("%q, %v", target, err)
	}
	info, err := fs.Stat(tree, "dir")
	if err != nil || !info.IsDir() || info.Name() != "dir" {
		t.Errorf("%v, %v", info, err)
	}
	sub, err := fs.Sub(tree, "dir")
	if err != nil || listing(sub) != "y = of e\n" {
		t.Errorf("%v\n%s", err, listing(sub))
	}
	if tree.Fault() != nil { // on a disk they are as broken
		t.Error(tree.Fault())
	}
	b = newBuilder(t, false)
	b.main("a -> b/c", "b/c = text", "d -> b")
	if err := fstest.TestFS(open(t, b.dir, "HEAD", ""), "a", "b/c", "d"); err != nil {
		t.Error(err)
	}
}

// TestHostileTrees rejects what would be no folder on a disk, or none that a disk could hold.
func TestHostileTrees(t *testing.T) {
	b := newBuilder(t, false)
	text := b.put(plumbing.BlobObject, "text")
	for name, test := range map[string]struct {
		tree hash
		says string
	}{
		"..":        {b.rawTree("100644 ..", text), `something is called ".."`},
		".":         {b.rawTree("40000 .", b.tree("a = b")), `something is called "."`},
		"empty":     {b.rawTree("100644 ", text), `something is called ""`},
		"slash":     {b.rawTree("100644 a/b", text), `something is called "a/b"`},
		"line":      {b.rawTree("100644 a\nb/c", text), `"a\nb/c"`},
		"twice":     {b.rawTree("100644 a", text, "100644 a", text), `"a" is in it twice`},
		"pipe":      {b.rawTree("10644 p", text), `"p" is neither a file nor a folder`},
		"mode":      {b.rawTree("x a", text), `its mode is "x"`},
		"cut":       {b.put(plumbing.TreeObject, "100644 a\x00abc"), "ends in the middle"},
		"no name":   {b.put(plumbing.TreeObject, "100644"), "ends in the middle"},
		"no folder": {b.rawTree("40000 d", text), "a blob where a tree should be"},
		"gone":      {b.rawTree("40000 d", hash{1}), "an object of the repository is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			b.ref("refs/heads/main", b.commit(b.rawTree("40000 d", test.tree)))
			refused(t, b.dir, "HEAD", "", `the folder "d`, test.says)
		})
	}
}

// TestBombs rejects trees that a few objects make endless.
func TestBombs(t *testing.T) {
	b := newBuilder(t, false)
	wide := b.tree("f = text")
	for range 8 {
		var entries []any
		for i := range 10 {
			entries = append(entries, fmt.Sprintf("40000 d%d", i), wide)
		}
		wide = b.rawTree(entries...)
	}
	deep := b.tree("f = text")
	for range maxDepth + 1 {
		deep = b.rawTree("40000 d", deep)
	}
	b.ref("refs/heads/wide", b.commit(wide))
	b.ref("refs/heads/deep", b.commit(deep))
	refused(t, b.dir, "wide", "", "more than 1000000 files")
	refused(t, b.dir, "deep", "", "more than 1000 folders are in each other")
	if got := listing(open(t, b.dir, "wide", "d1/d1/d1/d1/d1/d1/d1/d1")); got != "f = text\n" {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, b.dir, "wide", "", Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFaults finds out that not all could be read.
func TestFaults(t *testing.T) {
	b := newBuilder(t, false)
	text := b.put(plumbing.BlobObject, "text")
	b.ref("refs/heads/gone", b.commit(b.rawTree("100644 a", text, "100644 b", hash{1}, "100644 c", hash{2})))
	b.ref("refs/heads/lfs", b.commit(b.tree("d/a = version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n")))
	b.ref("refs/heads/wrong", b.commit(b.rawTree("100644 a", b.tree())))
	b.ref("refs/heads/large", b.commit(b.tree("a = "+strings.Repeat("x", 60), "b = "+strings.Repeat("y", 60))))
	for revision, says := range map[string]string{"gone": "b: an object of the repository is missing", "lfs": "d/a: a Git LFS pointer",
		"wrong": "a: object 4b825dc642cb6eb9a060e54bf8d69288fbee4904 of the repository is damaged: a tree where a blob should be",
		"large": "its files have more than 100 bytes: raise --max-size"} {
		tree, err := Open(t.Context(), b.dir, revision, "", Options{MaxSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		listing(tree)
		wantError(t, revision, tree.Fault(), says)
	}
	b.config("[extensions]\n\tpartialclone = origin\n[remote \"origin\"]\n\tpromisor = true\n")
	tree := open(t, b.dir, "gone", "")
	listing(tree)
	wantError(t, "partial", tree.Fault(), "partial clone")
}

// TestReaders reads all files at the same time, from several packs.
func TestReaders(t *testing.T) {
	b := newBuilder(t, false)
	var lines []string
	want := map[string]string{}
	for i := range 40 {
		name := fmt.Sprintf("d%d/f%d", i%7, i)
		want[name] = strings.Repeat(fmt.Sprintf("line of %d\n", i/4), 50*i) + fmt.Sprint(i)
		lines = append(lines, name+" = "+want[name])
		if i%10 == 9 {
			b.tree(lines...)
			b.pack(i%20 == 9)
		}
	}
	b.main(lines...)
	tree := open(t, b.dir, "HEAD", "")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for name, want := range want {
				if text, err := fs.ReadFile(tree, name); string(text) != want || err != nil {
					t.Errorf("%s: %d bytes, %v", name, len(text), err)
				}
			}
		})
	}
	wg.Wait()
}

// TestDamage changes the files of a repository: what is read is right, or there is an error.
func TestDamage(t *testing.T) {
	b := newBuilder(t, false)
	long := strings.Repeat("a line that stands here many times\n", 400)
	b.main("a = "+long+"1", "b = "+long+"2", "d/c = "+long+"3")
	want := listing(open(t, b.dir, "HEAD", ""))
	for _, packed := range []bool{false, true} {
		if packed {
			b.pack(false)
		}
		files, err := filepath.Glob(filepath.Join(b.dir, ".git", "objects", "[0-9a-p]*", "*[0-9a-fkx]"))
		b.check(err)
		if len(files) == 0 {
			t.Fatal("no files")
		}
		for _, name := range files {
			damage(t, name, func() {
				tree, err := Open(t.Context(), b.dir, "HEAD", "", Options{})
				if err == nil && listing(tree) != want && tree.Fault() == nil {
					t.Errorf("%s: got\n%.200s", name, listing(tree))
				}
			})
		}
	}
}

// damage changes and cuts a file in many places, one after the other.
func damage(t *testing.T, name string, try func()) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(name, 0o600)
	places := 60
	if testing.Short() {
		places = 6
	}
	for i := 0; i < len(text); i += max(1, len(text)/places) {
		other := append([]byte{}, text...)
		other[i] ^= 0x15
		write(t, name, string(other))
		try()
		write(t, name, string(text[:i]))
		try()
	}
	write(t, name, string(text))
}

// TestShared: trees of one repository have their own limits and faults, and it is read once.
func TestShared(t *testing.T) {
	b := newBuilder(t, false)
	b.ref("refs/heads/one", b.commit(b.tree("a = "+strings.Repeat("x", 60))))
	b.ref("refs/heads/both", b.commit(b.tree("a = "+strings.Repeat("x", 60), "b = "+strings.Repeat("y", 60))))
	shared := &Shared{}
	var trees []*Tree
	for _, revision := range []string{"both", "one", "both"} {
		tree, err := Open(t.Context(), b.dir, revision, "", Options{MaxSize: 100, Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		listing(tree)
		trees = append(trees, tree)
	}
	wantError(t, "both", trees[0].Fault(), "its files have more than 100 bytes")
	wantError(t, "both again", trees[2].Fault(), "its files have more than 100 bytes")
	if err := trees[1].Fault(); err != nil {
		t.Error(err)
	}
	if trees[0].store != trees[1].store {
		t.Error("the repository was read twice")
	}
}
