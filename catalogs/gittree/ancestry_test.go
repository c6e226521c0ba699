package gittree

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// datedCommit writes a commit with a date.
func (b *builder) datedCommit(tree hash, date int, parents ...hash) hash {
	text := fmt.Sprintf("tree %s\n", tree)
	for _, p := range parents {
		text += fmt.Sprintf("parent %s\n", p)
	}
	return b.put(plumbing.CommitObject, text+fmt.Sprintf("author %s\ncommitter a <a@b> %d +0000\n\nnumber %d\n", who, date, len(b.all)))
}

// randomHistory writes commits of one to four parents, mostly recent ones. Dates mostly increase; with skew they are anything, or all alike.
func randomHistory(b *builder, r *rand.Rand, size int, skew bool) []hash {
	tree := b.tree("a = b")
	var all []hash
	alike := r.IntN(2) == 0
	for i := range size {
		date := 1_700_000_000 + i
		if skew {
			date = 1_700_000_000 + r.IntN(size)
		}
		if skew && alike {
			date = 1_700_000_000
		}
		parents := map[int]bool{}
		for range min(i, 1+r.IntN(3)) {
			parents[i-1-min(i-1, int(r.ExpFloat64()*5))] = true
		}
		if r.IntN(40) == 0 {
			parents = nil // another root
		}
		var from []hash
		for p := range i {
			if parents[p] {
				from = append(from, all[p])
			}
		}
		r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
		all = append(all, b.datedCommit(tree, date, from...))
	}
	return all
}

func ancestryIn(t testing.TB, dir string) *ancestry {
	t.Helper()
	r, err := openRepository(dir, Options{MaxSize: defaultMaxSize})
	if err != nil {
		t.Fatal(err)
	}
	return newAncestry(r)
}

// TestMergeBases compares the merge bases of commits in random histories with those that git finds.
func TestMergeBases(t *testing.T) {
	several, none := 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := newBuilder(t, false)
		all := randomHistory(b, r, 60, seed%3 == 2)
		h := ancestryIn(t, b.dir)
		for range 12 {
			x, y := all[len(all)-1-r.IntN(20)], all[len(all)-1-r.IntN(20)]
			found, err := h.mergeBases(t.Context(), x, y)
			var got []string
			for _, one := range found {
				got = append(got, one.String())
			}
			want, _ := tryGit(t, b.dir, "merge-base", "--all", x.String(), y.String())
			if strings.Join(got, "\n") != want || err != nil {
				t.Fatalf("seed %d: %s and %s: %v, %v; want %s", seed, x, y, got, err, want)
			}
			if len(got) > 1 {
				several++
			} else if len(got) == 0 {
				none++
			}
		}
	}
	t.Logf("%d have several, %d none", several, none)
	if several < 10 || none < 5 {
		t.Errorf("only %d of several, and %d of none", several, none)
	}
}

// TestMergeBasesOfShallowClones: what is found in a shallow clone is what is found in a whole one.
func TestMergeBasesOfShallowClones(t *testing.T) {
	known, cut := 0, 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := newBuilder(t, false)
		all := randomHistory(b, r, 60, false)
		b.ref("refs/heads/main", all[59])
		b.ref("refs/heads/other", all[58])
		b.ref("refs/heads/old", all[40])
		whole := ancestryIn(t, b.dir)
		gitIn(t, b.dir, "config", "uploadpack.allowAnySHA1InWant", "true")
		for _, depth := range []int{1, 2, 5, 15} {
			h := ancestryIn(t, clone(t, b.dir, fmt.Sprintf("--depth=%d", depth), "--no-single-branch", "--bare"))
			for _, pair := range [][2]int{{59, 58}, {59, 40}, {40, 58}} {
				x, y := all[pair[0]], all[pair[1]]
				got, err := h.mergeBases(t.Context(), x, y)
				want, wantErr := whole.mergeBases(t.Context(), x, y)
				switch {
				case errors.Is(err, errCut):
					cut++
				case err != nil || wantErr != nil || fmt.Sprint(got) != fmt.Sprint(want):
					t.Errorf("seed %d, depth %d: %v, %v; want %v, %v", seed, depth, got, err, want, wantErr)
				default:
					known++
				}
			}
		}
	}
	t.Logf("%d are known, %d are not", known, cut)
	if known < 40 || cut < 20 {
		t.Error("too few")
	}
}

// TestMergeBaseAdvice runs the commands that errors suggest for a shallow clone, after which there is a merge base.
func TestMergeBaseAdvice(t *testing.T) {
	from := upstream(t)
	gitIn(t, from, "checkout", "-q", "-b", "feature", "HEAD~6")
	gitIn(t, from, "commit", "-q", "--allow-empty", "-m", "more")
	gitIn(t, from, "checkout", "-q", "main")
	want := gitIn(t, from, "merge-base", "main", "feature")
	for _, revision := range []string{"origin/main", "main"} {
		dir := clone(t, from, "--depth=1", "--branch=feature", "--no-tags")
		for tries := 0; ; tries++ {
			b, err := MergeBase(t.Context(), dir, revision, dir, "HEAD", Options{})
			if err == nil {
				if b.Commit != want[:12] || b.Exact || b.Note != "merge base with HEAD" {
					t.Errorf("%s: %+v, want %s", revision, b, want)
				}
				break
			}
			command := regexp.MustCompile(`git (fetch [^,]*)`).FindStringSubmatch(advised(err))
			if command == nil || tries > 0 {
				t.Fatalf("%s: %v", revision, err)
			}
			gitIn(t, dir, strings.Fields(command[1])...)
			if revision == "main" {
				revision = "FETCH_HEAD"
			}
		}
	}
	dir := clone(t, from, "--depth=1", "--no-single-branch", "--no-tags")
	_, err := MergeBase(t.Context(), dir, "origin/feature", dir, "HEAD", Options{})
	wantError(t, "two tips", err, "the merge base of origin/feature and HEAD is not in this clone, which is shallow\n  git fetch --unshallow origin")
	gitIn(t, dir, "fetch", "-q", "--unshallow", "origin")
	if b, err := MergeBase(t.Context(), dir, "origin/feature", dir, "HEAD", Options{}); err != nil || b.Commit != want[:12] {
		t.Error(b, err)
	}
}

// TestOddCommits reads commits without a date, and rejects those whose parents are missing or no commits.
func TestOddCommits(t *testing.T) {
	b := newBuilder(t, false)
	tree := b.tree("a = b")
	root := b.put(plumbing.CommitObject, "tree "+tree.String()+"\n\nno dates\ncommitter a <a@b> 99 +0000\n")
	one, two := b.datedCommit(tree, 5, root), b.put(plumbing.CommitObject, fmt.Sprintf("tree %s\nparent %s\ncommitter a> <a@b> -7 +0000\n\n", tree, root))
	h := ancestryIn(t, b.dir)
	if got, err := h.mergeBases(t.Context(), one, two); err != nil || len(got) != 1 || got[0] != root || h.commits[root].date != 0 {
		t.Error(got, err)
	}
	_, err := h.mergeBases(t.Context(), one, b.commit(tree, hash{1}))
	wantError(t, "missing", err, "the commit 0100000000: an object of the repository is missing")
	_, err = h.mergeBases(t.Context(), one, b.commit(tree, tree))
	wantError(t, "a tree as parent", err, "a tree where a commit should be")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.mergeBases(ctx, one, two); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkMergeBase(b *testing.B) {
	repository := newBuilder(b, false)
	tree := repository.tree("a = b")
	all := []hash{repository.datedCommit(tree, 0)}
	for i := range 5000 {
		all = append(all, repository.datedCommit(tree, i+1, all[i]))
	}
	branch := repository.datedCommit(tree, 6000, all[4500])
	repository.pack(false)
	for b.Loop() {
		if got, err := ancestryIn(b, repository.dir).mergeBases(b.Context(), all[5000], branch); err != nil || got[0] != all[4500] {
			b.Fatal(got, err)
		}
	}
}

// TestCutHistories: what a shallow clone lacks may have a better common ancestor, unless the dates exclude it.
func TestCutHistories(t *testing.T) {
	b := newBuilder(t, false)
	tree := b.tree("a = b")
	add := func(date int, parents ...hash) hash { return b.datedCommit(tree, date, parents...) }
	hidden, other := hash{1}, hash{2}
	c := add(10)
	late, early := add(50, c), add(20, c)
	one, two := add(30, add(29, c), hidden), add(31, add(28, c), hidden)
	for name, is := range map[string]struct {
		a, b hash
		want []hash // none: the history is cut
	}{
		"no end is hidden":                        {late, early, []hash{c}},
		"both end at the same hidden commit":      {add(40, c, hidden), add(41, c, hidden), nil},
		"both end at hidden commits":              {add(40, c, add(39, hidden)), add(41, c, add(39, other)), nil},
		"an end that may lead to an older commit": {add(40, c, add(39, hidden)), add(41, early), nil},
		"an end that is older than all":           {add(40, c, add(15, hidden)), add(41, early), []hash{c}},
		"nothing is common":                       {add(40, add(39, hidden)), add(41, early), nil},
		"one is an ancestor":                      {early, add(60, early, hidden), []hash{early}},
		"a parent is the other, which is cut":     {one, add(60, one, hidden), []hash{one}},
		"one of several may lead to another":      {add(70, one, two), add(71, one, two), nil},
	} {
		b.check(b.storage.SetShallow([]hash{c}))
		h := ancestryIn(t, b.dir)
		for _, pair := range [][2]hash{{is.a, is.b}, {is.b, is.a}} {
			got, err := h.mergeBases(t.Context(), pair[0], pair[1])
			if fmt.Sprint(got) != fmt.Sprint(is.want) && is.want != nil || errors.Is(err, errCut) != (is.want == nil) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
	}
}
