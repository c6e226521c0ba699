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

// unpack reads the wanted files of the layers. A layer is read once, from the highest down, so that files which higher layers
// replace or delete are not kept. Layers are read a second time in two cases: all of them, if the path of the wanted folder has a
// link in it or a file in it is a hard link to one elsewhere in the image; and a layer with a hard link to a file that a higher
// layer hides.
func unpack(ctx context.Context, layers []layer, root string, o Options) (*tree, error) {
	u := unpacker{ctx: ctx, max: o.MaxSize,
		budget: budget{packed: maxUnpacked, unpacked: maxUnpacked, progress: o.Progress}}
	outside := map[string]bool{}
	for range maxHops {
		u.tree, u.size = newTree(root, outside), 0
		for i := len(layers) - 1; i >= 0; i-- {
			if err := u.apply(layers[i], i); err != nil {
				return nil, cmp.Or(ctx.Err(), fmt.Errorf("layer %s: %w", printable(layers[i].name), err))
			}
		}
		if linked := u.tree.linkedRoot(); linked != root {
			root = linked
			continue
		}
		if u.tree.requestLinked() {
			continue
		}
		u.tree.finish(u.tree.top)
		u.tree.wanted = u.tree.at(root)
		return u.tree, u.checkLinked()
	}
	return nil, fmt.Errorf("the links that lead to the catalog, or to its files, form a circle or a chain of more than %d", maxHops)
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
		if info, err := f.Stat(name); err == nil {
			size += info.Size()
		}
		if size > u.max {
			return u.tooLarge()
		}
		return u.ctx.Err()
	})
}

func (u *unpacker) tooLarge() error {
	return fmt.Errorf("its catalog unpacks to more than %d MiB: if that is no mistake, raise --max-size", u.max>>20)
}

// unpacker unpacks the layers of one image.
type unpacker struct {
	ctx    context.Context
	tree   *tree
	size   int64 // of the files that were kept, in bytes
	max    int64
	budget budget
	packer packed.Packer
}

// apply adds a layer below those that were applied.
func (u *unpacker) apply(l layer, index int) error {
	p := &layerPass{unpacker: u, index: index, needed: map[string]*packed.Text{}}
	before := u.size
	if err := p.run(l); err != nil || len(p.needed) == 0 {
		return err
	}
	u.size = before
	return p.run(l)
}

// layerPass is one reading of a layer.
type layerPass struct {
	*unpacker
	index  int
	hidden map[string]hiddenFile   // files that were not kept, to which hard links may lead
	needed map[string]*packed.Text // those to which hard links lead: kept if the layer is read again
}

// hiddenFile is the text of a file that a higher layer hides, or the path at which it will be needed.
type hiddenFile struct {
	text *packed.Text
	path string
}

func (p *layerPass) run(l layer) error {
	p.hidden = map[string]hiddenFile{}
	return l.each(p.ctx, &p.budget, func(h *tar.Header, r io.Reader) error { return p.entry(h, r, l.plain) })
}

// entry adds an entry of a layer, or of a plain tar, in which whiteouts are ordinary files.
func (p *layerPass) entry(h *tar.Header, r io.Reader, plain bool) error {
	name, err := cleanName(h.Name)
	if err != nil {
		return err
	}
	dir, base := path.Split(name)
	switch {
	case plain && name == ".":
		return nil
	case plain:
		return p.file(name, h, r)
	case base == opaque:
		if dir = path.Clean(dir); p.tree.relevant(dir) {
			return p.tree.makeOpaque(dir, p.index)
		}
	case strings.HasPrefix(base, ".wh..wh."): // metadata of aufs
	case strings.HasPrefix(base, whiteout):
		if name = path.Join(dir, base[len(whiteout):]); name != path.Clean(dir) && p.tree.relevant(name) {
			return p.tree.delete(name, p.index)
		}
	case name != "." && p.tree.relevant(name):
		return p.file(name, h, r)
	}
	return nil
}

func (p *layerPass) file(name string, h *tar.Header, r io.Reader) error {
	n := &node{layer: p.index, opaque: -1, mode: h.FileInfo().Mode(), modified: h.ModTime}
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
		return p.hardLink(name, n, h.Linkname)
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		return p.regular(name, n, h.Size, r)
	default: // a device or a pipe
		n.kind = deleted
	}
	_, err := p.tree.add(name, n)
	return err
}

// regular keeps a file unless a higher layer hides it.
func (p *layerPass) regular(name string, n *node, size int64, r io.Reader) error {
	n.kind = regular
	if !p.tree.wants(name) {
		n.kind = deleted // a file where a folder is looked for
	}
	visible, err := p.tree.add(name, n)
	if err != nil || n.kind == deleted {
		return err
	}
	if visible {
		n.text, err = p.keep(size, r)
		return err
	}
	if _, isNeeded := p.needed[name]; isNeeded {
		p.needed[name], err = p.keep(size, r)
	}
	return cmp.Or(err, p.hide(name, hiddenFile{text: p.needed[name], path: name}))
}

func (p *layerPass) keep(size int64, r io.Reader) (*packed.Text, error) {
	if p.size += size; p.size > p.max {
		return nil, p.tooLarge()
	}
	return p.packer.Pack(r, size)
}

func (p *layerPass) hide(name string, f hiddenFile) error {
	if p.hidden[name] = f; len(p.hidden) > maxNodes {
		return fmt.Errorf("more than %d files are in the folder %s", maxNodes, p.tree.root)
	}
	return nil
}

// hardLink adds a name for the node that another name of the layer has so far.
func (p *layerPass) hardLink(name string, n *node, target string) (err error) {
	n.kind = hardLink
	if n.target, err = cleanName(target); err != nil {
		return err
	}
	hidden, isHidden := p.hidden[n.target]
	if to := p.tree.at(n.target); to != nil && to.layer == p.index && to.kind != folder {
		n.kind, n.text, n.target = to.kind, to.text, to.target
		hidden = hiddenFile{text: to.text}
	} else if isHidden && hidden.text != nil {
		n.kind, n.text = regular, hidden.text
	}
	visible, err := p.tree.add(name, n)
	switch {
	case err != nil:
	case !visible && (isHidden || n.kind == regular):
		return p.hide(name, hidden)
	case visible && isHidden && hidden.text == nil:
		p.needed[hidden.path] = nil
	}
	return err
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
