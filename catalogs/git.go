package catalogs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/sqlite"
)

// openGit reads the catalogs of a tree of the git repository that the working directory is in: REVISION or REVISION:PATH.
func openGit(ctx context.Context, ref, rest string, o Options) ([]*Catalog, error) {
	revision, name, _ := strings.Cut(rest, ":")
	if revision == "" {
		return nil, fmt.Errorf("%s: want git:REVISION or git:REVISION:PATH", ref)
	}
	tree, err := gittree.Open(ctx, ".", revision, name, o.git())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	cats, err := openGitTree(ctx, ref, revision, tree, o)
	if fault := tree.Fault(); fault != nil { // a catalog without some of its files is not the one at the revision
		return nil, fmt.Errorf("%s: %w", ref, fault)
	}
	for _, c := range cats {
		c.Container = "git tree"
	}
	setRepository(cats, repositoryAboveTree(tree, "git:"+revision+":"))
	return cats, err
}

// git returns the options of reading a git tree.
func (o *Options) git() gittree.Options { return gittree.Options{MaxSize: o.MaxSize, Shared: o.Git} }

// repositoryAboveTree returns the configuration of the catalog repository that a tree is in: of the nearest folder that has one.
func repositoryAboveTree(tree *gittree.Tree, prefix string) *RepositoryConfig {
	dir := tree.Path
	if tree.File != "" {
		dir = path.Dir(dir)
	}
	for {
		s := &source{fsys: tree.Root(), prefix: prefix, noSlash: true}
		if dir != "." {
			s = &source{prefix: prefix + dir}
			s.fsys, _ = fs.Sub(tree.Root(), dir) // no name of a tree is invalid
		}
		if r := repositoryIn(s); r != nil || dir == "." {
			return r
		}
		dir = path.Dir(dir)
	}
}

// openGitTree reads the catalogs of a tree. Positions are git:REVISION:PATH, with the path from the root of the repository.
func openGitTree(ctx context.Context, ref, revision string, tree *gittree.Tree, o Options) ([]*Catalog, error) {
	s := &source{fsys: tree, prefix: "git:" + revision + ":", noSlash: true, readError: tree.Fault}
	at := tree.Path
	if tree.File != "" {
		at = path.Dir(at)
	}
	s.within, s.at = tree.Root(), at
	s.gitRoot = tree.File == "" && at == "."
	if at != "." {
		s.prefix, s.noSlash = s.prefix+at, false
	}
	if err := refuseImage(ref, tree); err != nil {
		return nil, err
	}
	if tree.File != "" {
		cats, err := openGitFile(ctx, s, tree.File, o)
		return labelOpenShift(tree.Path, cats, err)
	}
	cats, err := openTree(ctx, s, o)
	if err == nil && nothingRead(cats) {
		return nil, noCatalog(ref, "")
	}
	return labelOpenShift(tree.Path, cats, err)
}

// openGitFile reads a file: a database, or a file-based catalog.
func openGitFile(ctx context.Context, s *source, name string, o Options) ([]*Catalog, error) {
	if head, err := filetype.Head(s.fsys, name); err == nil && sqlite.Recognise(head) {
		return single(readDatabase(ctx, sqlite.Source{FS: s.fsys, Name: name}, s.display(name), o))
	}
	return loadFile(ctx, s, name, s.display(name), o)
}

// refuseImage returns an error for an image or a compressed file in a repository.
func refuseImage(ref string, tree *gittree.Tree) error {
	what := ""
	if tree.File == "" {
		if _, err := fs.Stat(tree, "index.json"); err == nil && (isDir(tree, "blobs/sha256") || isFile(tree, "oci-layout")) {
			what = "an image (an OCI image layout)"
		}
		if isImageDir(tree) {
			what = "an image (as skopeo writes it to dir:)"
		}
	} else if head, err := filetype.Head(tree, tree.File); err == nil && !sqlite.Recognise(head) {
		if kind, known := filetype.Recognise(head); known && kind.IsContainer() {
			what = kind.What
		}
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("%s: %s, which is not read out of a git tree: check it out, and give its path", ref, what)
}

// Base is what catalogs are compared with.
type Base struct {
	Ref string // to open it
	// Note names the commit that a base in a git repository is read at, and says why; "" for any other base.
	Note string

	path    string // of a git tree
	with    []checkedOut
	options Options
}

// checkedOut is where a reference has its catalogs from: a path in a folder, and the revision of the repository that the folder is in.
type checkedOut struct{ dir, path, revision string }

// ErrSeveralBases is the error of catalogs that were not made from the same commit.
var ErrSeveralBases = errors.New("several merge bases")

// BaseOf returns the base of the catalogs of some references. git:REVISION:PATH is PATH at the merge base of REVISION and HEAD: what the
// branch that is checked out changes is compared with what it was cut from, and not with what was merged since. Of a catalog that is itself
// git:REVISION:PATH it is the merge base with that REVISION. Any other reference is the base, and without references git:REVISION:PATH is.
func BaseOf(ctx context.Context, ref string, of []string, o Options) (Base, error) {
	b := Base{Ref: ref, options: o}
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
		found, err := gittree.MergeBase(ctx, ".", revision, with.dir, with.revision, o.git())
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

// ReadFile returns what the base has in the place of a file on disk, nil if there is nothing: for a base in git the file of the same path, for
// a folder the one that is as far from it as name is from the folder now. It is false if a change cannot have the file: it is outside of the
// repository.
func (b *Base) ReadFile(ctx context.Context, name, now string) (text []byte, ok bool, err error) {
	if name, err = filepath.Abs(name); err != nil {
		return nil, false, err
	}
	s, rest, isScheme := schemeOf(b.Ref)
	switch {
	case isScheme && s.prefix == "git:":
		revision, _, _ := strings.Cut(rest, ":")
		at, inside := gittree.Inside(".", name)
		if !inside {
			return nil, false, nil
		}
		tree, err := gittree.Open(ctx, ".", revision, at, b.options.git())
		if errors.Is(err, gittree.ErrNoPath) {
			return nil, true, nil
		}
		if err != nil {
			return nil, true, err
		}
		text, err = fs.ReadFile(tree, tree.File)
		return text, true, err
	case isScheme && s.prefix == "dir:":
		b.Ref = rest
	case isScheme:
		return nil, true, nil
	}
	from, errNow := filepath.Abs(now)
	below, errBelow := filepath.Rel(from, name)
	if errNow != nil || errBelow != nil {
		return nil, true, nil
	}
	was := filepath.Join(b.Ref, below)
	if info, err := os.Stat(was); err != nil || !info.Mode().IsRegular() {
		return nil, true, nil
	}
	text, err = os.ReadFile(was)
	return text, true, err
}

// IsNew reports whether an error of opening the base says that it has no catalog yet: its path is not there, while it is in what the base is
// compared with; or there is no catalog at the path of a catalog that it is compared with.
func (b *Base) IsNew(ctx context.Context, err error) bool {
	noPath, noCatalog := errors.Is(err, gittree.ErrNoPath), errors.Is(err, errNoCatalog)
	return slices.ContainsFunc(b.with, func(with checkedOut) bool {
		return noPath && gittree.HasPath(ctx, ".", with.revision, b.path, b.options.git()) || noCatalog && gittree.SamePath(".", b.path, with.dir, with.path)
	})
}
