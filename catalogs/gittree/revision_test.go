package gittree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// history makes commits 1 to 4, the last one of which merges 3 and x, with a file that says which it is.
func history(t testing.TB) (*builder, map[string]hash) {
	b := newBuilder(t, false)
	at := map[string]hash{}
	add := func(name string, parents ...string) {
		var from []hash
		for _, p := range parents {
			from = append(from, at[p])
		}
		at[name] = b.commit(b.tree("f = "+name, "d/g = "+name), from...)
	}
	add("1")
	add("2", "1")
	add("3", "2")
	add("x", "1")
	add("y", "1")
	add("4", "3", "x", "y")
	at["light"], at["annotated"] = at["2"], b.tag(at["2"], "commit")
	at["of tag"] = b.tag(at["annotated"], "tag")
	at["of tree"] = b.tag(b.tree("f = tree"), "tree")
	for name, of := range map[string]string{"heads/main": "4", "heads/feature/a": "3", "heads/main2": "1", "tags/v1.0.0": "light", "tags/v2": "annotated",
		"tags/twice": "of tag", "tags/tree": "of tree", "tags/both": "1", "heads/both": "2", "remotes/origin/main": "x", "remotes/origin/other": "y",
		"heads/beef": "3", "notes/n": "1"} {
		b.ref("refs/"+name, at[of])
	}
	b.check(b.storage.SetReference(plumbing.NewSymbolicReference("refs/remotes/origin/HEAD", "refs/remotes/origin/main")))
	write(t, filepath.Join(b.dir, ".git", "FETCH_HEAD"), at["3"].String()+"\t\tbranch 'main' of https://example.com/x\n"+at["1"].String()+"\tnot-for-merge\tbranch 'x'\n")
	b.config("[remote \"origin\"]\n\turl = https://example.com/x\n[remote \"fork\"]\n\turl = https://example.com/y\n")
	return b, at
}

func TestRevisions(t *testing.T) {
	b, at := history(t)
	tests := map[string]string{"HEAD": "4", "@": "4", "main": "4", "heads/main": "4", "refs/heads/main": "4", "feature/a": "3", "v1.0.0": "2",
		"v2": "2", "twice": "2", "tree": "tree", "both": "1", "heads/both": "2", "origin/main": "x", "origin": "x", "refs/remotes/origin/other": "y",
		"beef": "3", "notes/n": "n", "FETCH_HEAD": "3",
		"HEAD~": "3", "HEAD~2": "2", "@~3": "1", "HEAD^": "3", "HEAD^1": "3", "HEAD^2": "x", "HEAD^3": "y", "HEAD^2~1": "1", "HEAD^^^": "1", "HEAD~0": "4",
		"HEAD^0": "4", "v2~1": "1", "v2^{}": "2", "v2^{commit}~": "1", "twice^{tag}": "2", "HEAD^{tree}": "4", "HEAD^{object}": "4", "HEAD~1^{tree}": "3",
		at["3"].String(): "3", at["annotated"].String(): "2", strings.ToUpper(at["3"].String()): "3", at["3"].String()[:7] + "^": "2", at["3"].String()[:10]: "3",
		"v1.0.0-7-g" + at["x"].String()[:9]: "x", b.tree("f = a tree").String(): "a tree"}
	for revision, want := range tests {
		if revision == "notes/n" { // not in refs/heads, refs/tags or refs/remotes; but refs/ is tried
			want = "1"
		}
		tree, err := Open(t.Context(), b.dir, revision, "", Options{})
		if err != nil {
			t.Errorf("%s: %v", revision, err)
			continue
		}
		if got, _ := fs.ReadFile(tree, "f"); string(got) != want {
			t.Errorf("%s: %s, want %s", revision, got, want)
		}
		if git := gitIn(t, b.dir, "show", revision+":f"); !strings.HasSuffix("\n"+git, "\n"+want) {
			t.Errorf("%s: git says %s", revision, git)
		}
	}
}

// TestPackedReferences reads them from one file, as git keeps most of them.
func TestPackedReferences(t *testing.T) {
	b, at := history(t)
	b.pack(false)
	packed := "# pack-refs with: peeled fully-peeled sorted \n"
	for _, name := range []string{"heads/main", "remotes/origin/other", "tags/v2"} {
		ref, err := b.storage.Reference(plumbing.ReferenceName("refs/" + name))
		b.check(err)
		packed += fmt.Sprintf("%s refs/%s\n", ref.Hash(), name)
		b.check(b.storage.RemoveReference(ref.Name()))
	}
	write(t, filepath.Join(b.dir, ".git", "packed-refs"), packed+"^"+at["2"].String()+"\n")
	for revision, want := range map[string]string{"v2": "2", "origin/other": "y", at["x"].String()[:8]: "x", "HEAD~2": "2"} {
		if got, _ := fs.ReadFile(open(t, b.dir, revision, ""), "f"); string(got) != want {
			t.Errorf("%s: %s", revision, got)
		}
	}
}

func TestNoSuchRevision(t *testing.T) {
	b, at := history(t)
	blob := b.put(plumbing.BlobObject, "text")
	none := strings.Repeat("ab", 20)
	for revision, says := range map[string]string{
		"HEAD~9": "has no parent", "HEAD^4": "no such revision: " + at["4"].String()[:10] + " has 3 parents", "main2^2": "has no parent",
		"HEAD~3^2": "has no parent", "HEAD@{1}": `git rev-parse "HEAD@{1}"`, "@{upstream}": "git rev-parse", ":/text": "git rev-parse", "HEAD^{/text}": "git rev-parse",
		"main..HEAD": "a range of revisions", "HEAD^x": `"x" in it is not understood`, "HEAD~99999999999999999999": "too large", "-x": "is not a revision", "^main": "is not a revision",
		"origin/release":    "git fetch origin +refs/heads/release:refs/remotes/origin/release",
		"other":             "did you mean origin/other?",
		"v9":                "there is no revision v9: if origin has it, fetch it, and give FETCH_HEAD for it\n  git fetch origin v9",
		none:                "fetch it, and give it again\n  git fetch origin " + none,
		"config":            "there is no revision config",
		"../config":         "a range",
		"HEAD^{blob}":       "not understood",
		"HEAD^{tag}":        "want a tag, but",
		"tree~1":            "want a commit, but",
		blob.String():       "want a tree, but",
		"description":       "there is no revision",
		"a b":               "there is no revision a b",
		"HEAD~1~1~1~1~1~1~": "has no parent",
	} {
		if strings.HasPrefix(revision, ":/") {
			says = " revision"
		}
		refused(t, b.dir, revision, "", says)
		if out, err := tryGit(t, b.dir, "rev-parse", "--verify", "--end-of-options", revision+"^{tree}"); err == nil && !strings.Contains(revision, "/text") && revision[0] != '^' {
			t.Errorf("git takes %s: %s", revision, out)
		}
	}
	seen := map[string]bool{}
	for i := range 3000 {
		short := b.commit(b.rawTree(), hash{byte(i), byte(i >> 8)}).String()[:4]
		if seen[short] {
			refused(t, b.dir, short, "", "objects: give more of it")
			return
		}
		seen[short] = true
	}
	t.Error("no two hashes begin alike")
}

func TestUnborn(t *testing.T) {
	b := newBuilder(t, false)
	refused(t, b.dir, "HEAD", "", "there is no commit in the repository yet")
	refused(t, b.dir, "main", "", "there is no revision main in the repository")
	refused(t, t.TempDir(), "HEAD", "", "not in a git repository")
}

func TestShallow(t *testing.T) {
	b := newBuilder(t, false)
	b.config("[remote \"origin\"]\n\turl = https://example.com/x\n")
	h := b.commit(b.tree("a = b"), hash{1})
	b.ref("refs/heads/main", b.commit(b.tree("a = b"), h))
	b.check(b.storage.SetShallow([]hash{h}))
	open(t, b.dir, "HEAD~1", "")
	refused(t, b.dir, "HEAD~4", "", "this clone is shallow, and what was before "+h.String()[:10]+" is not in it\n  git fetch --deepen=3")
	refused(t, b.dir, "origin/main", "", "not in this clone\n  git fetch --depth=1 origin +refs/heads/main:refs/remotes/origin/main")
	refused(t, b.dir, "v1", "", "and give FETCH_HEAD for it\n  git fetch --depth=1 origin v1")
}

func TestDamagedCommits(t *testing.T) {
	b := newBuilder(t, false)
	b.ref("refs/heads/a", b.put(plumbing.CommitObject, "author x\n\ntree 1\n"))
	b.ref("refs/heads/b", b.put(plumbing.TagObject, "object x\n"))
	last := b.commit(b.tree())
	for range maxTags + 1 {
		last = b.tag(last, "commit")
	}
	b.ref("refs/heads/c", last)
	for name, says := range map[string]string{"a": "0 objects as its tree", "b": "0 objects as its object", "c": "tags of tags"} {
		refused(t, b.dir, name, "", says)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.ref("refs/heads/d", b.commit(b.tree(), b.commit(b.tree())))
	if _, err := Open(ctx, b.dir, "d~1", "", Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzRevision takes any text for a revision.
func FuzzRevision(f *testing.F) {
	for _, seed := range []string{"HEAD~2", "v2^{commit}^1", "main@{1}", "a..b", "-", "~", "^", "", "x^{", "refs/../config"} {
		f.Add(seed)
	}
	b, _ := history(f)
	f.Fuzz(func(t *testing.T, revision string) {
		if _, err := Open(t.Context(), b.dir, revision, "", Options{}); err != nil && strings.Contains(fmt.Sprint(err), "damaged") {
			t.Error(err)
		}
	})
}

// FuzzTree reads any bytes as the list of a folder.
func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x0012345678901234567890" + "40000 b\x0012345678901234567890"))
	f.Add([]byte("120000 a/b\x00123"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := decodeTree(text)
		for i, e := range entries {
			if err != nil || e.name == "" || strings.ContainsAny(e.name, "/\x00") || e.name == ".." || i > 0 && entries[i-1].name >= e.name {
				t.Errorf("%q in %q, %v", e.name, text, err)
			}
		}
	})
}
