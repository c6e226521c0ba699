package image

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

// maxHops bounds how many links are followed, as Linux does.
const maxHops = 40

// files is a folder of the tree as an fs.FS, like os.DirFS of the unpacked image: links are listed as links and followed when they
// are opened. Its files implement io.ReaderAt and io.Seeker.
type files struct {
	tree *tree
	root string
}

var _ fs.ReadLinkFS = (*files)(nil)

func (f *files) Open(name string) (fs.File, error) {
	n, err := f.find("open", name, true)
	if err != nil {
		return nil, err
	}
	if n.kind == folder {
		return &packed.Folder{Path: name, Info: info{path.Base(name), n}, Entries: func() ([]fs.DirEntry, error) { return n.entries(), nil }}, nil
	}
	return &packed.File{SectionReader: f.tree.cache.Reader(n.text), Info: info{path.Base(name), n}}, nil
}

func (f *files) Lstat(name string) (fs.FileInfo, error) {
	n, err := f.find("lstat", name, false)
	if err != nil {
		return nil, err
	}
	return info{path.Base(name), n}, nil
}

func (f *files) ReadLink(name string) (string, error) {
	n, err := f.find("readlink", name, false)
	if err == nil && n.kind != link {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	return n.target, nil
}

var errNoFolder = errors.New("not a folder")

// find returns the node at a path.
func (f *files) find(op, name string, follow bool) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	s := search{tree: f.tree, at: []*node{f.tree.top}, names: []string{"."}, rest: strings.Split(path.Join(f.root, name), "/")}
	n, err := s.run(follow)
	if err == nil && n.kind == hardLink && follow {
		err = fmt.Errorf("a hard link to /%s, which is no file in the folder of the catalog", printable(n.target))
	}
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return n, nil
}

// search follows a path from the root of the image, as the kernel does in a container.
type search struct {
	tree  *tree
	at    []*node  // the folders from the root to the current one
	names []string // their names
	rest  []string // of the path
	hops  int
}

func (s *search) run(follow bool) (*node, error) {
	for len(s.rest) > 0 {
		name := s.rest[0]
		s.rest = s.rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			s.leaveFolder()
			continue
		}
		next, err := s.child(name)
		if err != nil {
			return nil, err
		}
		if next.kind != link || !follow && len(s.rest) == 0 {
			s.at, s.names = append(s.at, next), append(s.names, name)
			continue
		}
		if s.hops++; s.hops > maxHops {
			return nil, errors.New("a link in a cycle, or in a long chain")
		}
		if path.IsAbs(next.target) {
			s.at, s.names = s.at[:1], s.names[:1]
		}
		s.rest = append(strings.Split(next.target, "/"), s.rest...)
	}
	return s.at[len(s.at)-1], nil
}

func (s *search) leaveFolder() {
	if last := len(s.at) - 1; last > 0 {
		s.at, s.names = s.at[:last], s.names[:last]
	}
}

func (s *search) child(name string) (*node, error) {
	dir := s.at[len(s.at)-1]
	if dir.kind != folder {
		return nil, errNoFolder
	}
	if n := dir.children[name]; n != nil {
		return n, nil
	}
	if s.hops > 0 && !isWithin(path.Join(path.Join(s.names...), name), s.tree.root) {
		return nil, fmt.Errorf("a link that leads out of /%s, the folder of the catalog", s.tree.root)
	}
	return nil, fs.ErrNotExist
}

// entries returns the entries of a folder, sorted by name.
func (n *node) entries() []fs.DirEntry {
	entries := make([]fs.DirEntry, 0, len(n.children))
	for name, child := range n.children {
		entries = append(entries, info{name, child})
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries
}

// info is a node as an fs.FileInfo and an fs.DirEntry.
type info struct {
	name string
	node *node
}

func (i info) Name() string               { return i.name }
func (i info) IsDir() bool                { return i.node.kind == folder }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
func (i info) ModTime() time.Time         { return i.node.modified }
func (i info) Sys() any                   { return nil }

func (i info) Size() int64 {
	if i.node.text == nil {
		return 0
	}
	return i.node.text.Size()
}

func (i info) Mode() fs.FileMode {
	kept := i.node.mode.Perm()
	switch i.node.kind {
	case folder:
		return kept | fs.ModeDir
	case link:
		return kept | fs.ModeSymlink
	}
	return kept
}
