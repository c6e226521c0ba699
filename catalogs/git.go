package catalogs

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/sqlite"
)

// openGit reads the catalogs of a tree of the git repository that the working directory is in: REVISION or REVISION:PATH.
func openGit(ctx context.Context, ref, rest string, o Options) ([]*Catalog, error) {
	revision, name, _ := strings.Cut(rest, ":")
	if revision == "" {
		return nil, fmt.Errorf("%s: want git:REVISION or git:REVISION:PATH", ref)
	}
	tree, err := gittree.Open(ctx, ".", revision, name, gittree.Options{MaxSize: o.MaxSize})
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
	return cats, err
}

// openGitTree reads the catalogs of a tree. Positions are git:REVISION:PATH, with the path from the root of the repository.
func openGitTree(ctx context.Context, ref, revision string, tree *gittree.Tree, o Options) ([]*Catalog, error) {
	s := &source{fsys: tree, prefix: "git:" + revision + ":", noSlash: true, readError: tree.Fault}
	at := tree.Path
	if tree.File != "" {
		at = path.Dir(at)
	}
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
	if head, err := headOf(s.fsys, name); err == nil && sqlite.Recognise(head) {
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
	} else if head, err := headOf(tree, tree.File); err == nil && !sqlite.Recognise(head) {
		if kind, known := recogniseBinary(head); known && kind.isContainer() {
			what = kind.what
		}
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("%s: %s, which is not read out of a git tree: check it out, and give its path", ref, what)
}

// headOf returns the first headSize bytes of a file, or all.
func headOf(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return head[:n], err
}
