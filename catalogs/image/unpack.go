package image

import (
	"archive/tar"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

const (
	whiteout = ".wh."         // before the name of a file that is deleted (OCI image specification: layer.md)
	opaque   = ".wh..wh..opq" // in a folder that hides what lower layers have in it
)

// unpack reads the wanted files of the layers, from the lowest up. They are read again if the path of the wanted folder has a link in it.
func unpack(ctx context.Context, layers []layer, root string, o Options) (*tree, error) {
	u := newUnpacker(ctx, o)
	for range maxHops {
		u.tree = newTree(root)
		for i, l := range layers {
			if err := u.apply(l, i); err != nil {
				return nil, cmp.Or(ctx.Err(), fmt.Errorf("layer %s: %w", printable(l.name), err))
			}
		}
		linked := u.tree.linkedRoot()
		if linked == root {
			u.tree.wanted = u.tree.lookup(root)
			return u.tree, u.checkLinked()
		}
		root = linked
	}
	return nil, fmt.Errorf("the links that lead to the catalog form a cycle or a chain of more than %d", maxHops)
}

// checkLinked counts files for each link to them: links cost nothing to unpack, but readers of the folder read the file again for
// each.
func (u *unpacker) checkLinked() error {
	if u.tree.wanted == nil {
		return nil
	}
	var size int64
	f := &files{tree: u.tree, root: u.tree.root}
	return fs.WalkDir(f, ".", func(name string, entry fs.DirEntry, err error) error {
		if info, err := fs.Stat(f, name); err == nil {
			size += info.Size()
		}
		if size > u.max {
			return tooLarge(u.max)
		}
		return u.ctx.Err()
	})
}

// tooLarge is the error of a catalog that unpacks to more than this number of bytes.
type tooLarge int64

func (most tooLarge) Error() string {
	return fmt.Sprintf("its catalog unpacks to more than %d MiB: raise --max-size if this is intended", most>>20)
}

// unpacker unpacks the layers of one image.
type unpacker struct {
	ctx    context.Context
	tree   *tree
	max    int64 // bytes of the files that are kept
	budget budget
	packer packed.Packer
}

func newUnpacker(ctx context.Context, o Options) *unpacker {
	return &unpacker{ctx: ctx, max: cmp.Or(o.MaxSize, defaultMaxSize),
		budget: budget{packed: maxUnpacked, unpacked: maxUnpacked, progress: o.Progress}}
}

// apply adds a layer above those that were applied.
func (u *unpacker) apply(l layer, index int) error {
	return l.each(u.ctx, &u.budget, func(h *tar.Header, r io.Reader) error { return u.entry(h, r, index, l.plain) })
}

// entry adds an entry of a layer, or of a plain tar, in which whiteouts are ordinary files.
func (u *unpacker) entry(h *tar.Header, r io.Reader, layer int, plain bool) error {
	name, err := cleanName(h.Name)
	if err != nil {
		return err
	}
	dir, base := path.Split(name)
	switch {
	case plain && name == ".":
	case plain:
		return u.file(name, h, r, layer)
	case base == opaque:
		if dir = path.Clean(dir); u.tree.isRelevant(dir) {
			u.tree.makeOpaque(dir, layer)
		}
	case strings.HasPrefix(base, ".wh..wh."): // metadata of aufs
	case strings.HasPrefix(base, whiteout):
		if name = path.Join(dir, base[len(whiteout):]); name != path.Clean(dir) && u.tree.isRelevant(name) {
			u.tree.whiteout(name, layer)
		}
	case name != "." && u.tree.isRelevant(name):
		return u.file(name, h, r, layer)
	}
	return nil
}

// file adds a file, a folder or a link.
func (u *unpacker) file(name string, h *tar.Header, r io.Reader, layer int) (err error) {
	n := &node{layer: layer, mode: h.FileInfo().Mode(), modified: h.ModTime}
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeDir:
		n.kind, n.children = folder, map[string]*node{}
	case tar.TypeSymlink:
		n.kind, n.target = link, h.Linkname
		if len(n.target) > maxPath {
			return fmt.Errorf("%s is a link of more than %d bytes", printable(name), maxPath)
		}
	case tar.TypeLink:
		if err := u.hardLink(n, h.Linkname); err != nil {
			return err
		}
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		u.tree.delete(name)
		if !u.tree.isWanted(name) { // a file where a folder is looked for
			return nil
		}
		if h.Size > u.max-u.tree.size { // a sum may overflow
			return tooLarge(u.max)
		}
		n.kind = regular
		if n.text, err = u.packer.Pack(r, h.Size); err != nil {
			return err
		}
	default: // a device or a pipe
		u.tree.delete(name)
		return nil
	}
	return u.tree.add(name, n)
}

// hardLink makes a node another name of what its target is so far, if that is no folder.
func (u *unpacker) hardLink(n *node, target string) (err error) {
	n.kind = hardLink
	if n.target, err = cleanName(target); err != nil {
		return err
	}
	if to := u.tree.lookup(n.target); to != nil && to.kind != folder {
		n.kind, n.text, n.target = to.kind, to.text, to.target
	}
	return nil
}

// cleanName returns a name in a layer as io/fs writes it. Absolute names begin at the root of the image, as in container runtimes.
func cleanName(name string) (string, error) {
	clean := path.Clean(strings.TrimLeft(name, "/"))
	switch {
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", fmt.Errorf("the name %s leads out of the image", printable(name))
	case len(clean) > maxPath:
		return "", fmt.Errorf("the name %s is longer than %d bytes", printable(name), maxPath)
	}
	return clean, nil
}
