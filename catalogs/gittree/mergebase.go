package gittree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Base is the commit at which a revision is compared with what was made from it.
type Base struct {
	Commit string // the hash, or what is enough of it to name the commit
	// Exact says that it is the commit of the revision itself.
	Exact bool
	// Note says what the commit is: "merge base with HEAD", also where HEAD is that commit so that nothing committed is compared, or why there is none.
	Note string
}

// MergeBase returns the merge base of two revisions in the repository of the folder dir: the commit from which a branch was cut. HEAD is the
// commit that is checked out in the folder at, which may be in another work tree of the repository; if at is in no repository, it is that of
// dir. Of several merge bases it is the one that the revision once pointed to, as its first parents are, or else the first that git
// merge-base prints. If the two have no common ancestor, or the folder at is in another repository, it is the commit of the revision itself.
// A revision that is a tree and no commit has no Base.
//
// Where the history of a shallow clone is too short to know the merge base, the error says how to fetch more.
func MergeBase(ctx context.Context, dir, revision, at, with string, o Options) (Base, error) {
	r, err := openRepository(dir, o)
	if err != nil {
		return Base{}, err
	}
	r.history = true
	from, err := r.resolveCommit(ctx, revision)
	if err != nil || from.IsZero() {
		return Base{}, err
	}
	exact := Base{Commit: r.abbreviate(from), Exact: true}
	head, why := r.checkedOut(ctx, at, with)
	if why != "" {
		exact.Note = why
		return exact, nil
	}
	h := newAncestry(r)
	all, err := h.mergeBases(ctx, from, head)
	switch {
	case errors.Is(err, errCut):
		fetch := "git fetch --unshallow"
		if remote := r.remote(); remote != "" {
			fetch += " " + words.ShellWord(remote)
		}
		return Base{}, words.Advice{Err: fmt.Errorf("the merge base of %s and %s is not in this clone, which is shallow", revision, with), Command: fetch}
	case err != nil:
		return Base{}, fmt.Errorf("the merge base of %s and %s: %w", revision, with, err)
	case len(all) == 0:
		exact.Note = "no common ancestor with " + with
		return exact, nil
	}
	best := h.publishedBase(from, all)
	note := "merge base with " + with
	if len(all) > 1 {
		note = fmt.Sprintf("one of %d merge bases with %s", len(all), with)
	}
	if best == head {
		note += ", which is that commit: only what is not committed can differ"
	}
	return Base{Commit: r.abbreviate(best), Exact: best == from, Note: note}, nil
}

// abbreviate returns a hash of 12 characters, or all of it if these name something else.
func (r *repository) abbreviate(h hash) string {
	short := h.String()[:12]
	if found, err := r.resolveName(short, true); err != nil || found != h {
		return h.String()
	}
	return short
}

// publishedBase returns which of several merge bases a revision once pointed to: the one that its first parents lead to. If they lead to none
// it is the first.
func (h *ancestry) publishedBase(revision hash, all []hash) hash {
	for c := h.commits[revision]; c != nil && c.read && len(all) > 1; c = c.parents[0] {
		if slices.Contains(all, c.hash) {
			return c.hash
		}
		if len(c.parents) == 0 {
			break
		}
	}
	return all[0]
}

// resolveCommit returns the commit of a revision; zero if it is a tree.
func (r *repository) resolveCommit(ctx context.Context, revision string) (hash, error) {
	h, err := r.resolve(ctx, revision)
	if err == nil {
		h, err = r.peel(h, plumbing.AnyObject)
	}
	if err != nil || !r.hasType(h, true) {
		return hash{}, err
	}
	return h, nil
}

// checkedOut returns the commit of a revision, in the work tree of a folder if that is one of the same repository, or why there is none.
func (r *repository) checkedOut(ctx context.Context, at, revision string) (h hash, why string) {
	other, err := locate(at)
	in := r
	switch {
	case err != nil || other.dotGit == r.at.dotGit:
	case !sameFile(other.common, r.at.common):
		return hash{}, "the catalog is in another repository"
	default:
		linked := *r
		linked.storage = openReferences(other)
		in = &linked
	}
	if h, err = in.resolveCommit(ctx, revision); err != nil {
		return hash{}, "no merge base: " + err.Error()
	}
	if h.IsZero() {
		return hash{}, revision + " is not a commit"
	}
	return h, ""
}

func sameFile(a, b string) bool {
	x, err := disk.Stat(a)
	y, err2 := disk.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// HasPath reports whether a path as in Open is there, at a revision or on disk.
func HasPath(ctx context.Context, dir, revision, name string, o Options) bool {
	if _, err := Open(ctx, dir, revision, name, o); err == nil {
		return true
	}
	at, clean, err := pathIn(dir, name)
	if err != nil || at.bare {
		return false
	}
	_, err = disk.Lstat(filepath.Join(at.root, filepath.FromSlash(clean)))
	return err == nil
}

// SamePath reports whether two paths as in Open, in the repositories of two folders, are the same from the roots of these.
func SamePath(dirA, nameA, dirB, nameB string) bool {
	_, a, errA := pathIn(dirA, nameA)
	_, b, errB := pathIn(dirB, nameB)
	return errA == nil && errB == nil && a == b
}

// PathIn returns the path of a file or folder, as in Open, from the root of the repository that a folder is in; false if that is in none.
func PathIn(dir, name string) (string, bool) {
	_, path, err := pathIn(dir, name)
	return path, err == nil
}

// WorkTreePath returns the path of a file on disk from the root of the work tree that a folder is in; false if it is not in that, or there is none.
func WorkTreePath(dir, name string) (string, bool) {
	at, err := locate(dir)
	if err != nil || at.bare {
		return "", false
	}
	// The path counts as it is written: a change can make a folder a link to another place.
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	below, err := filepath.Rel(start, name)
	below = filepath.Join(filepath.FromSlash(at.prefix), below)
	return filepath.ToSlash(below), err == nil && filepath.IsLocal(below)
}

// pathIn returns the repository of a folder, and a path as in Open from its root.
func pathIn(dir, name string) (gitDir, string, error) {
	at, err := locate(dir)
	if err != nil {
		return at, "", err
	}
	clean, err := (&repository{prefix: at.prefix, bare: at.bare}).path(name)
	return at, clean, err
}
