package gittree

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

func find(entries []entry, name string) (int, bool) {
	return slices.BinarySearchFunc(entries, name, func(e entry, name string) int { return cmp.Compare(e.name, name) })
}

// locate returns the location of a name of the Tree.
func (t *Tree) locate(op, name string, follow bool) (location, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	at, err := t.search(path.Join(t.dir, name), follow)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return at, nil
}

// Open implements fs.FS.
func (t *Tree) Open(name string) (fs.File, error) {
	at, err := t.locate("open", name, true)
	if err != nil {
		return nil, err
	}
	i, err := t.info(at)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	i.name = path.Base(name)
	if i.IsDir() {
		return &packed.Folder{Path: name, Info: i, Entries: func() ([]fs.DirEntry, error) { return t.entries(at) }}, nil
	}
	text, err := t.text(at.node(), at.path())
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &packed.File{SectionReader: t.store.cache.Reader(text), Info: i}, nil
}

// Stat implements fs.StatFS, without reading the file, as opening it does.
func (t *Tree) Stat(name string) (fs.FileInfo, error) { return t.stat("stat", name, true) }

// Lstat implements fs.ReadLinkFS.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) { return t.stat("lstat", name, false) }

func (t *Tree) stat(op, name string, follow bool) (fs.FileInfo, error) {
	at, err := t.locate(op, name, follow)
	if err != nil {
		return nil, err
	}
	i, err := t.info(at)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	i.name = path.Base(name)
	return i, nil
}

// ReadLink implements fs.ReadLinkFS.
func (t *Tree) ReadLink(name string) (string, error) {
	at, err := t.locate("readlink", name, false)
	if err == nil && at.node().kind != link {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	return t.target(at)
}

// ID returns the hash of a file's blob in git, the SHA-1 of "blob", its size and the text, without reading it. It returns false for what
// is not a file.
func (t *Tree) ID(name string) (string, bool) {
	at, err := t.locate("stat", name, true)
	if err != nil || at.node().kind != regular {
		return "", false
	}
	return at.node().hash.String(), true
}

// FolderID returns the hash of a folder's tree in git. It returns false for what is not a folder.
func (t *Tree) FolderID(name string) (string, bool) {
	at, err := t.locate("stat", name, true)
	if err != nil || !at.node().isDir() {
		return "", false
	}
	return at.node().hash.String(), true
}

// Sub implements fs.SubFS.
func (t *Tree) Sub(dir string) (fs.FS, error) {
	at, err := t.locate("sub", dir, true)
	if err == nil && !at.node().isDir() {
		err = &fs.PathError{Op: "sub", Path: dir, Err: errNoFolder}
	}
	if err != nil {
		return nil, err
	}
	sub := *t
	sub.dir = at.path()
	return &sub, nil
}

// entries returns the entries of a folder, sorted by name.
func (t *Tree) entries(at location) ([]fs.DirEntry, error) {
	switch at.node().kind {
	case submodule:
		return nil, nil
	case regular, link:
		return nil, errNoFolder
	}
	all, err := t.store.folder(at.node().hash)
	if err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, len(all))
	dir := at.path()
	for i, e := range all {
		entries[i] = dirEntry{tree: t, dir: dir, entry: e}
	}
	return entries, nil
}

func (n node) isDir() bool { return n.kind == folder || n.kind == submodule }

func (n node) mode() fs.FileMode {
	switch n.kind {
	case folder, submodule:
		return fs.ModeDir | 0o555
	case link:
		return fs.ModeSymlink | 0o777
	}
	return 0o444
}

// dirEntry is an entry of a folder, whose size Info determines.
type dirEntry struct {
	tree *Tree
	dir  string
	entry
}

func (d dirEntry) Name() string      { return d.name }
func (d dirEntry) IsDir() bool       { return d.isDir() }
func (d dirEntry) Type() fs.FileMode { return d.mode().Type() }

func (d dirEntry) Info() (fs.FileInfo, error) {
	return d.tree.info(location{{name: d.dir}, d.entry})
}

// info is an fs.FileInfo.
type info struct {
	node
	name string
	size int64
}

// info reads a file to know its size, since most files are read next.
func (t *Tree) info(at location) (info, error) {
	i := info{node: at.node(), name: at[len(at)-1].name}
	if i.isDir() {
		return i, nil
	}
	text, err := t.text(i.node, at.path())
	if err == nil {
		i.size = text.Size()
	}
	return i, err
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode() }
func (i info) IsDir() bool        { return i.isDir() }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) Sys() any           { return nil }
