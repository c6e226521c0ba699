package compare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/open"
)

// Base is what catalogs are compared with.
type Base struct {
	Ref string // to open it
	// Note names the commit that a base in a git repository is read at, and says why; "" for any other base.
	Note string

	path    string // of a git tree
	with    []checkedOut
	options form.Options
}

// checkedOut is where a reference has its catalogs from: a path in a folder, and the revision of the repository that the folder is in.
type checkedOut struct{ dir, path, revision string }

// ErrSeveralBases is the error of catalogs that were not made from the same commit.
var ErrSeveralBases = errors.New("several merge bases")

// FindBase returns the base of the catalogs of some references. git:REVISION:PATH is PATH at the merge base of REVISION and HEAD: what the
// branch that is checked out changes is compared with what it was cut from, and not with what was merged since. Of a catalog that is itself
// git:REVISION:PATH it is the merge base with that REVISION. Any other reference is the base, and without references git:REVISION:PATH is.
func FindBase(ctx context.Context, ref string, of []string, o form.Options) (Base, error) {
	b := Base{Ref: ref, options: o}
	s, rest, ok := open.CutScheme(ref)
	if !ok || s.Prefix != "git:" || len(of) == 0 {
		return b, nil
	}
	revision, name, withPath := strings.Cut(rest, ":")
	b.path = name
	var first gittree.Base
	for i, one := range of {
		with := locateRef(one)
		b.with = append(b.with, with)
		found, err := gittree.MergeBase(ctx, ".", revision, with.dir, with.revision, open.Git(&o))
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

// locateRef returns where the catalogs of a reference are from. What is in no folder, as an image, is compared with the working directory.
func locateRef(ref string) checkedOut {
	s, rest, ok := open.CutScheme(ref)
	switch {
	case ok && s.Prefix == "git:":
		revision, name, _ := strings.Cut(rest, ":")
		return checkedOut{".", name, revision}
	case ok && s.Prefix == "dir:":
		ref = rest
	case ok:
		return checkedOut{".", "", "HEAD"}
	}
	if disk.IsFile(ref) {
		return checkedOut{filepath.Dir(ref), "./" + filepath.Base(ref), "HEAD"}
	}
	return checkedOut{ref, ".", "HEAD"}
}

// Place says how a reference is related to the base.
type Place int

const (
	Elsewhere Place = iota // it is at another path
	placeSame              // at the path of the base, or above it
	Part                   // at a path below that of the base
)

// Locate returns how a reference is related to the base, by their paths in a git repository, else by their names, and the path of a part in the base.
func (b *Base) Locate(ref string) (Place, string) {
	if !open.IsPath(ref) && !strings.HasPrefix(ref, "git:") {
		return Elsewhere, ""
	}
	with := locateRef(ref)
	is, inGit := gittree.PathIn(with.dir, with.path)
	was, known := gittree.PathIn(".", b.path)
	if len(b.with) > 0 && inGit && known {
		below, err := filepath.Rel(filepath.FromSlash(was), filepath.FromSlash(is))
		switch {
		case err != nil, strings.HasPrefix(below, "..") && is != "." && !strings.HasPrefix(was, is+"/"):
			return Elsewhere, ""
		case below == "." || strings.HasPrefix(below, ".."):
			return placeSame, ""
		}
		return Part, filepath.ToSlash(below)
	}
	name, base := diskName(ref), diskName(b.Ref)
	switch {
	case len(b.with) > 0, name == "" || base == "":
		return Elsewhere, ""
	case disk.IsFolder(filepath.Join(b.Ref, name)):
		return Part, name
	case name == base:
		return placeSame, ""
	}
	return Elsewhere, ""
}

// diskName returns the last element of a path on disk; "" for a reference that is none.
func diskName(ref string) string {
	abs, err := filepath.Abs(ref)
	if err != nil || !disk.Exists(ref) {
		return ""
	}
	return filepath.Base(abs)
}

// Covers reports whether a reference is to have the counterpart of a catalog at a path in the base: it is the base, or the part with that catalog. Elsewhere
// it is another base, if it is a folder, and not that of one OpenShift version.
func (b *Base) Covers(ref, at string) bool {
	switch place, part := b.Locate(ref); place {
	case placeSame:
		return true
	case Part:
		return at == part || strings.HasPrefix(at, part+"/")
	}
	return disk.IsFolder(ref) && catalogs.OpenShiftVersion(filepath.Base(ref)) == ""
}

// ReadFile returns what the base has in the place of a file on disk, nil if there is nothing: for a base in git the file of the same path, for
// a folder the one that is as far from it as name is from the folder now. It is false if a change cannot have the file: it is outside of the
// repository.
func (b *Base) ReadFile(ctx context.Context, name, now string) (text []byte, ok bool, err error) {
	if name, err = filepath.Abs(name); err != nil {
		return nil, false, err
	}
	root := b.Ref
	s, rest, isScheme := open.CutScheme(root)
	switch {
	case isScheme && s.Prefix == "git:":
		revision, _, _ := strings.Cut(rest, ":")
		at, inside := gittree.WorkTreePath(".", name)
		if !inside {
			return nil, false, nil
		}
		tree, err := gittree.Open(ctx, ".", revision, at, open.Git(&b.options))
		if errors.Is(err, gittree.ErrNoPath) {
			return nil, true, nil
		}
		if err != nil {
			return nil, true, err
		}
		text, err = fs.ReadFile(tree, tree.File)
		return text, true, err
	case isScheme && s.Prefix == "dir:":
		root = rest
	case isScheme:
		return nil, true, nil
	}
	from, errNow := filepath.Abs(now)
	below, errBelow := filepath.Rel(from, name)
	if errNow != nil || errBelow != nil {
		return nil, true, nil
	}
	was := filepath.Join(root, below)
	if !disk.IsFile(was) {
		return nil, true, nil
	}
	text, err = disk.Read(was, disk.MaxText)
	return text, true, err
}

// IsNew reports whether an error of opening the base says that it has no catalog yet: its path is not there, while it is in what the base is
// compared with; or there is no catalog at the path of a catalog that it is compared with.
func (b *Base) IsNew(ctx context.Context, err error) bool {
	noPath, noCatalog := errors.Is(err, gittree.ErrNoPath), errors.Is(err, open.ErrNoCatalog)
	return slices.ContainsFunc(b.with, func(with checkedOut) bool {
		return noPath && gittree.HasPath(ctx, ".", with.revision, b.path, open.Git(&b.options)) || noCatalog && gittree.SamePath(".", b.path, with.dir, with.path)
	})
}
