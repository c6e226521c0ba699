package image

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

const (
	maxNodes = 250_000 // files, folders and links that are kept
	maxPath  = 4096    // PATH_MAX of Linux
)

// kind is the kind of a node.
type kind int

const (
	folder   kind = iota
	regular       // a file
	link          // a symbolic link
	hardLink      // a link to what is no file, or outside of the wanted folder
)

func (k kind) String() string {
	return [...]string{"a folder", "a file", "a symbolic link", "a hard link"}[k]
}

// node is a file, folder or link of the image.
type node struct {
	kind     kind
	layer    int // the highest one that has it
	cleared  int // of a folder: 1 + the layer that hid last what lower ones have in it, or 0
	mode     fs.FileMode
	modified time.Time
	children map[string]*node
	text     *packed.Text // of a regular file
	target   string       // of a link
}

// tree is the wanted part of an image, as determined by the layers that were applied so far. It includes the folders above the wanted one,
// since they may be deleted, opaque or links.
type tree struct {
	top    *node
	root   string // the path of the wanted folder or file
	wanted *node  // the node at root
	nodes  int
	size   int64 // of the files, by each of their names, in bytes
	cache  packed.Cache
}

func newTree(root string) *tree { return &tree{top: newFolder(0), root: root} }

func newFolder(layer int) *node {
	return &node{kind: folder, layer: layer, mode: fs.ModeDir | 0o755, children: map[string]*node{}}
}

// isRelevant reports whether a path is in the wanted folder or above it.
func (t *tree) isRelevant(name string) bool {
	return t.isWanted(name) || isWithin(t.root, name)
}

// isWanted reports whether the text of a file is kept.
func (t *tree) isWanted(name string) bool { return isWithin(name, t.root) }

// isWithin reports whether a path is that of a folder or in it.
func isWithin(name, dir string) bool {
	return dir == "." || name == dir || len(name) > len(dir) && name[len(dir)] == '/' && strings.HasPrefix(name, dir)
}

// mkdirAll returns the folder at a path, and adds what is missing of it in a layer.
func (t *tree) mkdirAll(dir string, layer int) (*node, error) {
	at := t.top
	if dir == "." {
		return at, nil
	}
	for name := range strings.SplitSeq(dir, "/") {
		next := at.children[name]
		if next == nil || next.kind != folder {
			next = newFolder(layer)
			if err := t.put(at, name, next); err != nil {
				return nil, err
			}
		}
		at = next
	}
	return at, nil
}

// put puts a node into a folder, in the place of what is there.
func (t *tree) put(dir *node, name string, n *node) error {
	t.remove(dir, name)
	if t.nodes++; t.nodes > maxNodes {
		return fmt.Errorf("more than %d files are in the folder %s", maxNodes, t.root)
	}
	if n.text != nil {
		t.size += n.text.Size()
	}
	dir.children[name] = n
	return nil
}

// add adds a node of a layer at a path.
func (t *tree) add(name string, n *node) error {
	dir, err := t.mkdirAll(path.Dir(name), n.layer)
	if err != nil {
		return err
	}
	base := path.Base(name)
	if old := dir.children[base]; old != nil && old.kind == folder && n.kind == folder {
		old.layer, old.mode, old.modified = n.layer, n.mode, n.modified
		return nil
	}
	return t.put(dir, base, n)
}

// delete removes what is at a path.
func (t *tree) delete(name string) {
	if dir := t.lookup(path.Dir(name)); dir != nil {
		t.remove(dir, path.Base(name))
	}
}

func (t *tree) remove(dir *node, name string) {
	n := dir.children[name]
	if n == nil {
		return
	}
	for child := range n.children {
		t.remove(n, child)
	}
	if n.text != nil {
		t.size -= n.text.Size()
	}
	t.nodes--
	delete(dir.children, name)
}

// whiteout removes what lower layers than one have at a path.
func (t *tree) whiteout(name string, layer int) {
	if dir := t.lookup(path.Dir(name)); dir != nil {
		t.hide(dir, path.Base(name), layer)
	}
}

// makeOpaque removes what lower layers than one have in a folder.
func (t *tree) makeOpaque(dir string, layer int) {
	if n := t.lookup(dir); n != nil {
		t.hideAll(n, layer)
	}
}

// hideAll does nothing the second time in a layer, which can say it of a large folder again and again.
func (t *tree) hideAll(dir *node, layer int) {
	if dir.cleared == layer+1 {
		return
	}
	dir.cleared = layer + 1
	for name := range dir.children {
		t.hide(dir, name, layer)
	}
}

func (t *tree) hide(dir *node, name string, layer int) {
	n := dir.children[name]
	if n == nil {
		return
	}
	if t.hideAll(n, layer); n.layer < layer && len(n.children) == 0 {
		t.remove(dir, name)
	}
}

// lookup returns the node at a path, without following links, or nil.
func (t *tree) lookup(name string) *node {
	n := t.top
	if name == "." {
		return n
	}
	for part := range strings.SplitSeq(name, "/") {
		if n = n.children[part]; n == nil {
			return nil
		}
	}
	return n
}

// linkedRoot returns the path of the root with links resolved.
func (t *tree) linkedRoot() string {
	if t.root == "." {
		return t.root
	}
	parts := strings.Split(t.root, "/")
	for i := range parts {
		above, rest := path.Join(parts[:i]...), path.Join(parts[i+1:]...)
		n := t.lookup(path.Join(above, parts[i]))
		switch {
		case n == nil:
			return t.root
		case n.kind == link && path.IsAbs(n.target):
			return cleanImagePath(path.Join(n.target, rest))
		case n.kind == link:
			return cleanImagePath(path.Join("/", above, n.target, rest))
		}
	}
	return t.root
}
