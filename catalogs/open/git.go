package open

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/sqlite"
)

// openGit reads the catalogs of a tree of the git repository that the working directory is in: REVISION or REVISION:PATH.
func openGit(ctx context.Context, ref, rest string, o form.Options) ([]*repo.Opened, error) {
	revision, name, _ := strings.Cut(rest, ":")
	if revision == "" {
		return nil, fmt.Errorf("%s: want git:REVISION or git:REVISION:PATH", ref)
	}
	tree, err := gittree.Open(ctx, ".", revision, name, Git(&o))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSuffix(ref, ":"), err)
	}
	cats, err := openGitTree(ctx, ref, revision, tree, o)
	if fault := tree.Fault(); fault != nil { // a catalog without some of its files is not the one at the revision
		return nil, fmt.Errorf("%s: %w", ref, fault)
	}
	for _, c := range cats {
		c.Container = "git tree"
	}
	repo.SetRepository(cats, repositoryAboveTree(tree, "git:"+revision+":"))
	return cats, err
}

// Git returns the options of reading a git tree.
func Git(o *form.Options) gittree.Options { return gittree.Options{MaxSize: o.MaxSize, Shared: o.Git} }

// repositoryAboveTree returns the configuration of the catalog repository that a tree is in: of the nearest folder that has one.
func repositoryAboveTree(tree *gittree.Tree, prefix string) *catalogs.RepositoryConfig {
	dir := tree.Path
	if tree.File != "" {
		dir = path.Dir(dir)
	}
	for {
		s := &source.Source{Fsys: tree.Root(), Prefix: prefix, NoSlash: true}
		if dir != "." {
			s = &source.Source{Prefix: prefix + dir}
			s.Fsys, _ = fs.Sub(tree.Root(), dir) // no name of a tree is invalid
		}
		if r := pipelineconfig.RepositoryIn(s); r != nil || dir == "." {
			return r
		}
		dir = path.Dir(dir)
	}
}

// openGitTree reads the catalogs of a tree. Positions are git:REVISION:PATH, with the path from the root of the repository.
func openGitTree(ctx context.Context, ref, revision string, tree *gittree.Tree, o form.Options) ([]*repo.Opened, error) {
	s := &source.Source{Fsys: tree, Prefix: "git:" + revision + ":", NoSlash: true, ReadError: tree.Fault}
	at := tree.Path
	if tree.File != "" {
		at = path.Dir(at)
	}
	s.Within, s.At = tree.Root(), at
	s.GitRoot = tree.File == "" && at == "."
	if at != "." {
		s.Prefix, s.NoSlash = s.Prefix+at, false
	}
	if err := rejectImage(ref, tree); err != nil {
		return nil, err
	}
	if tree.File != "" {
		cats, err := openGitFile(ctx, s, tree.File, o)
		repo.SetBundles(s, cats, o)
		return labelOpenShift(tree.Path, cats, err)
	}
	cats, err := Folder(ctx, s, o)
	if err == nil && isEmpty(cats) {
		return nil, noCatalog(ctx, ref, s, o, "")
	}
	return labelOpenShift(tree.Path, cats, err)
}

// openGitFile reads a file: a database, or a file-based catalog.
func openGitFile(ctx context.Context, s *source.Source, name string, o form.Options) ([]*repo.Opened, error) {
	if head, err := filetype.Head(s.Fsys, name); err == nil && sqlite.Recognise(head) {
		return singleOpened(readDatabase(ctx, sqlite.Source{FS: s.Fsys, Name: name}, s.Display(name), o))
	}
	return loadFile(ctx, s, name, s.Display(name), o)
}

// rejectImage returns an error for an image or a compressed file in a repository.
func rejectImage(ref string, tree *gittree.Tree) error {
	what := ""
	if tree.File == "" {
		if _, err := fs.Stat(tree, "index.json"); err == nil && (source.IsDir(tree, "blobs/sha256") || source.IsFile(tree, "oci-layout")) {
			what = "an image (an OCI image layout)"
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
