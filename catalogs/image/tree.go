package image

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

const (
	maxNodes = 250_000 // files, folders and whiteouts that are kept
	maxPath  = 4096    // PATH_MAX of Linux
)

// kind is the kind of a node.
type kind int

const (
	folder   kind = iota
	regular       // a file
	link          // a symbolic link
	hardLink      // a link to a file that is not read yet: of a lower layer, or outside the wanted folder; or one that leads nowhere
	deleted       // deleted by a whiteout or replaced by something that is no file: it hides that path of lower layers
)

func (k kind) String() string {
	return [...]string{"a folder", "a file", "a symbolic link", "a hard link", "nothing"}[k]
}

// node is a file, folder, link or whiteout of the image.
type node struct {
	kind     kind
	layer    int // the highest one that has it
	opaque   int // lower layers than this add nothing to the folder
	mode     fs.FileMode
	modified time.Time
	children map[string]*node
	text     *packed.Text // of a regular file
	target   string       // of a link
}

// tree is the wanted part of an image, as determined by the layers that were applied so far, from the highest down. It includes the
// folders above the wanted one, since they may be deleted, opaque or links.
type tree struct {
	top    *node
	root   string // the path of the wanted folder or file
	wanted *node  // the node at root
	nodes  int
	cache  packed.Cache
	// outside are files outside the wanted folder to which hard links in it lead.
	outside map[string]bool
}

func newTree(root string, outside map[string]bool) *tree {
	return &tree{top: newFolder(int(^uint(0) >> 1)), root: root, outside: outside}
}

func newFolder(layer int) *node {
	return &node{kind: folder, layer: layer, opaque: -1, mode: fs.ModeDir | 0o755, children: map[string]*node{}}
}

// relevant reports whether a path is in the wanted folder or above it, or that of a file to which a hard link leads.
func (t *tree) relevant(name string) bool {
	return t.wants(name) || within(t.root, name)
}

// wants reports whether the text of a file is kept.
func (t *tree) wants(name string) bool { return within(name, t.root) || t.outside[name] }

// within reports whether a path is that of a folder or in it.
func within(name, dir string) bool {
	return dir == "." || name == dir || len(name) > len(dir) && name[len(dir)] == '/' && strings.HasPrefix(name, dir)
}

// folderFor returns the folder for a name in a layer, and creates missing ones above it; nil if a higher layer hides it.
func (t *tree) folderFor(dir string, layer int) (*node, error) {
	at := t.top
	if dir == "." {
		return hiddenBelow(at, layer), nil
	}
	for name := range strings.SplitSeq(dir, "/") {
		if at = hiddenBelow(at, layer); at == nil {
			return nil, nil
		}
		next := at.children[name]
		switch {
		case next == nil:
			next = newFolder(layer)
		case next.kind == folder:
		case next.layer > layer:
			return nil, nil
		default: // the last one of a layer counts
			next = newFolder(layer)
			next.opaque = layer
		}
		if err := t.put(at, name, next); err != nil {
			return nil, err
		}
		at = next
	}
	return hiddenBelow(at, layer), nil
}

// hiddenBelow returns a folder, or nil if a higher layer made it opaque.
func hiddenBelow(n *node, layer int) *node {
	if n.opaque > layer {
		return nil
	}
	return n
}

func (t *tree) put(dir *node, name string, n *node) error {
	if dir.children[name] == nil {
		if t.nodes++; t.nodes > maxNodes {
			return fmt.Errorf("more than %d files are in the folder %s", maxNodes, t.root)
		}
	}
	dir.children[name] = n
	return nil
}

// add adds a node of a layer at a path. It returns false if a higher layer hides it.
func (t *tree) add(name string, n *node) (bool, error) {
	dir, err := t.folderFor(path.Dir(name), n.layer)
	if dir == nil || err != nil {
		return false, err
	}
	base := path.Base(name)
	old := dir.children[base]
	switch {
	case old == nil:
	case old.kind == folder && n.kind == folder:
		if old.layer == n.layer {
			old.mode, old.modified = n.mode, n.modified
		}
		return true, nil
	case old.layer > n.layer:
		if old.kind == folder {
			old.opaque = max(old.opaque, n.layer)
		}
		return false, nil
	case n.kind == folder:
		n.opaque = n.layer
	}
	return true, t.put(dir, base, n)
}

// delete notes that a layer deletes a path of lower layers.
func (t *tree) delete(name string, layer int) error {
	dir, err := t.folderFor(path.Dir(name), layer)
	if dir == nil || err != nil {
		return err
	}
	switch old := dir.children[path.Base(name)]; {
	case old == nil:
		return t.put(dir, path.Base(name), &node{kind: deleted, layer: layer})
	case old.kind == folder:
		old.opaque = max(old.opaque, layer)
	}
	return nil
}

// makeOpaque notes that lower layers add nothing to a folder.
func (t *tree) makeOpaque(dir string, layer int) error {
	n, err := t.folderFor(dir, layer)
	if n != nil {
		n.opaque = max(n.opaque, layer)
	}
	return err
}

// at returns the node at a path, without following links, or nil.
func (t *tree) at(name string) *node {
	n := t.top
	if name == "." {
		return n
	}
	for part := range strings.SplitSeq(name, "/") {
		if n == nil || n.kind != folder {
			return nil
		}
		n = n.children[part]
	}
	return n
}

// requestOutside adds the files outside the folder to which hard links below n lead, and reports whether there are new ones.
func (t *tree) requestOutside(n *node) bool {
	if n == nil {
		return false
	}
	found := false
	for _, child := range n.children {
		found = t.requestOutside(child) || found
	}
	if n.kind == hardLink && !t.relevant(n.target) {
		t.outside[n.target] = true
		found = true
	}
	return found
}

// requestLinked is requestOutside for the folder and for the files outside it that are wanted.
func (t *tree) requestLinked() bool {
	found := t.requestOutside(t.at(t.root))
	for _, name := range slices.Collect(maps.Keys(t.outside)) {
		found = t.requestOutside(t.at(name)) || found
	}
	return found
}

// finish resolves the hard links that lead to lower layers and removes whiteouts.
func (t *tree) finish(n *node) {
	for name, child := range n.children {
		switch child.kind {
		case deleted:
			delete(n.children, name)
		case folder:
			t.finish(child)
		case hardLink:
			t.resolve(child)
		}
	}
}

// resolve follows a hard link, whose target may be another one, down the layers.
func (t *tree) resolve(n *node) {
	to := t.at(n.target)
	if to == nil || to.layer >= n.layer {
		return
	}
	if to.kind == hardLink {
		t.resolve(to)
	}
	if to.kind == regular {
		n.kind, n.text = regular, to.text
	}
}

// linkedRoot returns the path of the root with links resolved.
func (t *tree) linkedRoot() string {
	if t.root == "." {
		return t.root
	}
	parts := strings.Split(t.root, "/")
	for i := range parts {
		above, rest := path.Join(parts[:i]...), path.Join(parts[i+1:]...)
		n := t.at(path.Join(above, parts[i]))
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
