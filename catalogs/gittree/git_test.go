package gittree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// upstream makes a repository with the program git: several commits of a text that changes a little, and a branch.
func upstream(t *testing.T) string {
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	for i := range 12 {
		var text strings.Builder
		for line := range 3000 {
			fmt.Fprintf(&text, "line %d of %d\n", line, i*line%7)
		}
		write(t, filepath.Join(dir, "catalogs", "v4.20", "large.yaml"), text.String())
		write(t, filepath.Join(dir, "catalogs", "v4.20", fmt.Sprintf("p%d", i), "c.yaml"), text.String()[i:])
		gitIn(t, dir, "add", "-A")
		gitIn(t, dir, "commit", "-qm", fmt.Sprint(i))
		gitIn(t, dir, "tag", fmt.Sprint("v", i))
	}
	gitIn(t, dir, "branch", "release", "HEAD~3")
	gitIn(t, dir, "config", "uploadpack.allowFilter", "true")
	gitIn(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	return dir
}

// sameAsGit compares all files at a revision with what the program git says of them.
func sameAsGit(t *testing.T, dir, revision string) {
	t.Helper()
	tree := open(t, dir, revision, "")
	for name := range strings.SplitSeq(gitIn(t, dir, "ls-tree", "-r", "--name-only", "--full-tree", revision), "\n") {
		text, err := fs.ReadFile(tree, name)
		if want := gitIn(t, dir, "show", revision+":"+name); strings.TrimSuffix(string(text), "\n") != want || err != nil {
			t.Errorf("%s:%s: %d bytes, %v; want %d", revision, name, len(text), err, len(want))
		}
	}
	if err := tree.Fault(); err != nil {
		t.Error(err)
	}
}

// clone clones as a build does.
func clone(t *testing.T, from string, args ...string) string {
	dir := filepath.Join(t.TempDir(), "clone")
	gitIn(t, filepath.Dir(dir), append(append([]string{"clone", "-q"}, args...), "file://"+from, dir)...)
	return dir
}

// TestGit reads repositories that the program git has written.
func TestGit(t *testing.T) {
	from := upstream(t)
	sameAsGit(t, from, "HEAD~5")
	gitIn(t, from, "gc", "-q", "--aggressive")
	sameAsGit(t, from, "HEAD~5")
	sameAsGit(t, from, "v0")
	gitIn(t, from, "repack", "-adqf", "--depth=100", "--write-midx")
	sameAsGit(t, from, "v3")
	sameAsGit(t, clone(t, from, "--bare"), "release")
	sameAsGit(t, clone(t, from, "--depth=1"), "HEAD")

	borrowing := filepath.Join(t.TempDir(), "clone")
	gitIn(t, from, "clone", "-q", "--shared", from, borrowing)
	sameAsGit(t, borrowing, "origin/release")
	twice := filepath.Join(t.TempDir(), "clone")
	gitIn(t, from, "clone", "-q", "--shared", borrowing, twice)
	sameAsGit(t, twice, "HEAD~2")
	write(t, filepath.Join(borrowing, ".git", "objects", "info", "alternates"), relative(t, filepath.Join(borrowing, ".git", "objects"), filepath.Join(from, ".git", "objects"))+"\n")
	sameAsGit(t, borrowing, "origin/release")
	sameAsGit(t, twice, "HEAD~2")

	linked := filepath.Join(t.TempDir(), "linked")
	gitIn(t, from, "worktree", "add", "-q", linked, "release")
	sameAsGit(t, linked, "HEAD")
	sameAsGit(t, linked, "main~2")
	if tree := open(t, filepath.Join(linked, "catalogs"), "HEAD", "./v4.20/p1"); tree.Path != "catalogs/v4.20/p1" {
		t.Error(tree.Path)
	}
}

func relative(t *testing.T, from, to string) string {
	name, err := filepath.Rel(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

// TestErrorAdvice runs the commands that errors suggest, after which there must be no error.
func TestErrorAdvice(t *testing.T) {
	from := upstream(t)
	release := gitIn(t, from, "rev-parse", "release")
	for _, test := range []struct{ name, revision, after string }{
		{"shallow", "HEAD~3", "HEAD~3"}, {"shallow", "HEAD^", "HEAD^"}, {"shallow", "origin/release", "origin/release"}, {"shallow", "release", "FETCH_HEAD"},
		{"shallow", "v3", "FETCH_HEAD"}, {"shallow", release, release}, {"single", "origin/release", "origin/release"}, {"single", "release", "FETCH_HEAD"},
	} {
		dir := clone(t, from, map[string]string{"shallow": "--depth=1", "single": "--single-branch"}[test.name], "--no-tags")
		_, err := Open(t.Context(), dir, test.revision, "", Options{})
		if err == nil {
			t.Errorf("%s: %s is there", test.name, test.revision)
			continue
		}
		command := regexp.MustCompile(`git (fetch [^,]*)`).FindStringSubmatch(advised(err))
		if command == nil {
			t.Errorf("%s: %s: no fix: %v", test.name, test.revision, err)
			continue
		}
		if out, err := tryGit(t, dir, strings.Fields(command[1])...); err != nil {
			t.Errorf("%s: %s: %s: %s", test.name, test.revision, command[0], out)
		}
		sameAsGit(t, dir, test.after)
		if shallow := exists(filepath.Join(dir, ".git"), "shallow"); shallow != (test.name == "shallow") {
			t.Errorf("%s: %s: shallow afterwards: %v", test.name, test.revision, shallow)
		}
	}
	partial := clone(t, from, "--filter=blob:none", "--no-checkout")
	tree := open(t, partial, "HEAD", "catalogs/v4.20")
	listing(tree)
	wantError(t, "partial", tree.Fault(), "catalogs/v4.20/large.yaml: an object of the repository is missing", "git archive REVISION PATH")
	gitIn(t, partial, "archive", "-o", os.DevNull, "--format=tar", "HEAD", "catalogs/v4.20")
	sameAsGit(t, partial, "HEAD")
	refused(t, clone(t, from, "--filter=tree:0", "--no-checkout"), "HEAD", "catalogs", "an object of the repository is missing", "partial clone")
}

// TestOtherRepositories says of repositories that cannot be read why.
func TestOtherRepositories(t *testing.T) {
	dir := t.TempDir()
	if out, err := tryGit(t, dir, "init", "-q", "--object-format=sha256"); err != nil {
		t.Log(out)
	} else {
		refused(t, dir, "HEAD", "", "names its objects by sha256")
	}
	b := newBuilder(t, false)
	h := b.main("a = b")
	b.config("[extensions]\n\trefstorage = reftable\n")
	b.check(os.RemoveAll(filepath.Join(b.dir, ".git", "refs", "heads")))
	write(t, filepath.Join(b.dir, ".git", "refs", "heads"), "this repository uses the reftable format\n")
	write(t, filepath.Join(b.dir, ".git", "HEAD"), "ref: refs/heads/.invalid\n")
	refused(t, b.dir, "main", "", "reftable", "git rev-parse main")
	refused(t, b.dir, "HEAD", "", "reftable", "git rev-parse HEAD")
	open(t, b.dir, h.String(), "")

	write(t, filepath.Join(dir, "in", ".git"), "gitdir: ../nowhere\n")
	refused(t, filepath.Join(dir, "in"), "HEAD", "", "says that the repository is in")
	write(t, filepath.Join(dir, "in", ".git"), "something\n")
	refused(t, filepath.Join(dir, "in"), "HEAD", "", "a line gitdir: is missing")
}

// TestSubmodule reads the repository of a submodule from in it, and sees an empty folder from outside.
func TestSubmodule(t *testing.T) {
	outer, inner := upstream(t), upstream(t)
	gitIn(t, outer, "submodule", "--quiet", "add", inner, "catalogs/other")
	gitIn(t, outer, "commit", "-qm", "a submodule")
	tree := open(t, outer, "HEAD", "catalogs")
	if entries, err := fs.ReadDir(tree, "other"); len(entries) > 0 || err != nil {
		t.Error(entries, err)
	}
	refused(t, outer, "HEAD", "catalogs/other/catalogs", "submodule")
	sameAsGit(t, filepath.Join(outer, "catalogs", "other"), "HEAD~2")
	open(t, filepath.Join(outer, "catalogs", "other"), "HEAD", "./catalogs")
}

// TestWorkingFolders finds the repository from anywhere in it.
func TestWorkingFolders(t *testing.T) {
	b := newBuilder(t, true)
	b.main("a = b")
	for _, dir := range []string{b.dir, filepath.Join(b.dir, "refs", "heads")} {
		if got := listing(open(t, dir, "HEAD", "")); got != "a = b\n" {
			t.Errorf("%s: %s", dir, got)
		}
	}
	if got := listing(open(t, b.dir, "HEAD", ".")); got != "a = b\n" {
		t.Errorf("the root of a bare repository: %s", got)
	}
	refused(t, b.dir, "HEAD", "./a", "means nothing in a bare repository")
	b = newBuilder(t, false)
	b.main("d/e = f")
	link := filepath.Join(t.TempDir(), "link")
	b.check(os.Mkdir(filepath.Join(b.dir, "d"), 0o777))
	if err := os.Symlink(filepath.Join(b.dir, "d"), link); err != nil {
		t.Skip(err)
	}
	if tree := open(t, link, "HEAD", "./e"); tree.File != "e" {
		t.Error(tree.File)
	}
	if _, err := Open(t.Context(), filepath.Join(b.dir, "none"), "HEAD", "", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
