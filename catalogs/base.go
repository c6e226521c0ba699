package catalogs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/gittree"
)

// Base is what catalogs are compared with.
type Base struct {
	Ref string // to open it
	// Note names the commit that a base in a git repository is read at, and says why; "" for any other base.
	Note string

	path string // of a git tree
	with []checkedOut
}

// checkedOut is where a reference has its catalogs from: a path in a folder, and the revision of the repository that the folder is in.
type checkedOut struct{ dir, path, revision string }

// ErrSeveralBases is the error of catalogs that were not made from the same commit.
var ErrSeveralBases = errors.New("several merge bases")

// BaseOf returns the base of the catalogs of some references. git:REVISION:PATH is PATH at the merge base of REVISION and HEAD: what the
// branch that is checked out changes is compared with what it was cut from, and not with what was merged since. Of a catalog that is itself
// git:REVISION:PATH it is the merge base with that REVISION. Any other reference is the base, and without references git:REVISION:PATH is.
func BaseOf(ctx context.Context, ref string, of []string) (Base, error) {
	b := Base{Ref: ref}
	s, rest, ok := schemeOf(ref)
	if !ok || s.prefix != "git:" || len(of) == 0 {
		return b, nil
	}
	revision, name, withPath := strings.Cut(rest, ":")
	b.path = name
	var first gittree.Base
	for i, one := range of {
		with := checkedOutOf(one)
		b.with = append(b.with, with)
		found, err := gittree.MergeBase(ctx, ".", revision, with.dir, with.revision)
		if err != nil {
			return b, fmt.Errorf("%s: %w", ref, err)
		}
		if i == 0 {
			first = found
		}
		if found.Commit != first.Commit {
			return b, fmt.Errorf("%w: %s has one with %s and another one with %s", ErrSeveralBases, revision, of[0], one)
		}
	}
	if first.Commit == "" {
		return b, nil
	}
	b.Note = fmt.Sprintf("%s at %s (%s)", ref, first.Commit, first.Note)
	if !first.Exact {
		b.Ref = "git:" + first.Commit
		if withPath {
			b.Ref += ":" + name
		}
	}
	return b, nil
}

// checkedOutOf returns where the catalogs of a reference are from. What is in no folder, as an image, is compared with the working directory.
func checkedOutOf(ref string) checkedOut {
	s, rest, ok := schemeOf(ref)
	switch {
	case ok && s.prefix == "git:":
		revision, name, _ := strings.Cut(rest, ":")
		return checkedOut{".", name, revision}
	case ok && s.prefix == "dir:":
		ref = rest
	case ok:
		return checkedOut{".", "", "HEAD"}
	}
	if info, err := os.Stat(ref); err == nil && !info.IsDir() {
		return checkedOut{filepath.Dir(ref), "./" + filepath.Base(ref), "HEAD"}
	}
	return checkedOut{ref, ".", "HEAD"}
}

// IsNew reports whether an error of opening the base says that it has no catalog yet: its path is not there, while it is in what the base is
// compared with; or there is no catalog at the path of a catalog that it is compared with.
func (b *Base) IsNew(ctx context.Context, err error) bool {
	noPath, noCatalog := errors.Is(err, gittree.ErrNoPath), errors.Is(err, errNoCatalog)
	return slices.ContainsFunc(b.with, func(with checkedOut) bool {
		return noPath && gittree.HasPath(ctx, ".", with.revision, b.path) || noCatalog && gittree.SamePath(".", b.path, with.dir, with.path)
	})
}
