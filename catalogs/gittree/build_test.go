package gittree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// builder writes a repository, object by object.
type builder struct {
	t       testing.TB
	dir     string // of the work tree, or the bare repository
	storage *filesystem.Storage
	all     []hash
}

func newBuilder(t testing.TB, bare bool) *builder {
	t.Helper()
	dir := t.TempDir()
	dotGit := dir
	if !bare {
		dotGit = filepath.Join(dir, ".git")
	}
	b := &builder{t: t, dir: dir, storage: filesystem.NewStorage(osfs.New(dotGit), cache.NewObjectLRUDefault())}
	b.check(b.storage.Init())
	b.check(b.storage.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, "refs/heads/main")))
	write(t, filepath.Join(dotGit, "config"), fmt.Sprintf("[core]\n\trepositoryformatversion = 0\n\tbare = %v\n", bare))
	return b
}

func (b *builder) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (b *builder) put(kind plumbing.ObjectType, text string) hash {
	b.t.Helper()
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	o.Write([]byte(text))
	h, err := b.storage.SetEncodedObject(o)
	b.check(err)
	b.all = append(b.all, h)
	return h
}

// rawTree makes a tree of "MODE NAME" and a hash each, as they are.
func (b *builder) rawTree(entries ...any) hash {
	var text bytes.Buffer
	for i := 0; i < len(entries); i += 2 {
		h := entries[i+1].(hash)
		fmt.Fprintf(&text, "%s\x00%s", entries[i], h[:])
	}
	return b.put(plumbing.TreeObject, text.String())
}

// tree makes a tree of lines "PATH = TEXT", "PATH -> TARGET" or "PATH @", which is a submodule.
func (b *builder) tree(lines ...string) hash {
	b.t.Helper()
	dirs := map[string][]string{}
	var entries []any
	for _, line := range lines {
		path, _, _ := strings.Cut(line, " ")
		dir, _, below := strings.Cut(path, "/")
		if below {
			dirs[dir] = append(dirs[dir], strings.TrimPrefix(line, dir+"/"))
			continue
		}
		if text, ok := strings.CutPrefix(line, path+" = "); ok {
			entries = append(entries, "100644 "+path, b.put(plumbing.BlobObject, text))
		} else if target, ok := strings.CutPrefix(line, path+" -> "); ok {
			entries = append(entries, "120000 "+path, b.put(plumbing.BlobObject, target))
		} else {
			entries = append(entries, "160000 "+path, plumbing.NewHash("1234567812345678123456781234567812345678"))
		}
	}
	for dir, lines := range dirs {
		entries = append(entries, "40000 "+dir, b.tree(lines...))
	}
	return b.rawTree(sortEntries(entries)...)
}

// sortEntries orders entries as git does: as if there were a slash behind the name of a folder.
func sortEntries(entries []any) []any {
	pairs := slices.Collect(slices.Chunk(entries, 2))
	key := func(pair []any) string {
		mode, name, _ := strings.Cut(pair[0].(string), " ")
		if mode == "40000" {
			name += "/"
		}
		return name
	}
	slices.SortFunc(pairs, func(a, b []any) int { return strings.Compare(key(a), key(b)) })
	return slices.Concat(pairs...)
}

const who = "a <a@b> 1700000000 +0000"

func (b *builder) commit(tree hash, parents ...hash) hash {
	text := fmt.Sprintf("tree %s\n", tree)
	for _, p := range parents {
		text += fmt.Sprintf("parent %s\n", p)
	}
	return b.put(plumbing.CommitObject, text+"author "+who+"\ncommitter "+who+"\n\ntree and\nparent of a message\n")
}

func (b *builder) tag(target hash, kind string) hash {
	return b.put(plumbing.TagObject, fmt.Sprintf("object %s\ntype %s\ntag t\ntagger %s\n\na tag\n", target, kind, who))
}

func (b *builder) ref(name string, h hash) {
	b.t.Helper()
	b.check(b.storage.SetReference(plumbing.NewHashReference(plumbing.ReferenceName(name), h)))
}

// main makes a branch of one commit with these files.
func (b *builder) main(lines ...string) hash {
	h := b.commit(b.tree(lines...))
	b.ref("refs/heads/main", h)
	return h
}

// pack puts all objects that were written into a pack, with differences, and removes their files.
func (b *builder) pack(refDeltas bool) {
	b.t.Helper()
	w, err := b.storage.PackfileWriter()
	b.check(err)
	slices.SortFunc(b.all, func(x, y hash) int { return bytes.Compare(x[:], y[:]) })
	b.all = slices.Compact(b.all)
	_, err = packfile.NewEncoder(w, b.storage, refDeltas).Encode(b.all, 10)
	b.check(err)
	b.check(w.Close())
	for _, h := range b.all {
		b.check(b.storage.DeleteLooseObject(h))
	}
	b.all = nil
}

func (b *builder) config(text string) {
	name := filepath.Join(b.storage.Filesystem().Root(), "config")
	old, err := os.ReadFile(name)
	b.check(err)
	write(b.t, name, string(old)+text)
}

// open opens a tree that has to be there.
func open(t testing.TB, dir, revision, name string) *Tree {
	t.Helper()
	tree, err := Open(t.Context(), dir, revision, name, Options{})
	if err != nil {
		t.Fatalf("%s:%s: %v", revision, name, err)
	}
	return tree
}

// rejected wants an error, in one line, that says all that.
func refused(t testing.TB, dir, revision, name string, says ...string) {
	t.Helper()
	_, err := Open(t.Context(), dir, revision, name, Options{})
	wantError(t, fmt.Sprintf("%s:%s", revision, name), err, says...)
}

func wantError(t testing.TB, what string, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	said := advised(err)
	for _, text := range says {
		if !strings.Contains(said, text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q does not say %q", what, err, text)
		}
	}
}

// listing describes a folder in the language of builder.tree, with what is found through links.
func listing(fsys fs.FS) string {
	var out strings.Builder
	fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			fmt.Fprintf(&out, "%s: %v\n", name, err)
		case e.IsDir():
			if entries, _ := fs.ReadDir(fsys, name); len(entries) == 0 {
				fmt.Fprintf(&out, "%s/\n", name)
			}
		default:
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				fmt.Fprintf(&out, "%v\n", err)
			} else {
				fmt.Fprintf(&out, "%s = %s\n", name, text)
			}
		}
		return nil
	})
	return out.String()
}

// gitIn runs the program git, or skips the test if there is none.
func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("the program git is not there to compare with")
	}
	cmd := exec.Command(git, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*", "GIT_CONFIG_KEY_2=init.defaultBranch", "GIT_CONFIG_VALUE_2=main"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// advised returns what an error says, with the command that helps against it in a line of its own.
func advised(err error) string {
	if advice := (words.Advice{}); errors.As(err, &advice) {
		return err.Error() + "\n  " + advice.Command
	}
	return err.Error()
}
