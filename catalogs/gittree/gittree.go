// Package gittree reads a tree of a local git repository at a revision as an fs.FS, without a checkout, without the program
// git and without a network. Nothing is written.
//
// What a checkout would show is what is there: links are followed as far as they stay in the tree, and submodules are empty
// folders. Only what git keeps outside of the tree is out of reach: what Git LFS stands for, and objects that a shallow or
// partial clone has not fetched. Where that is needed the look has failed, and the error says how to fetch it.
package gittree

import (
	"context"
	"fmt"
	"io/fs"
	"path"
)

// DefaultMaxSize bounds what is read of a tree unless Options say otherwise.
const DefaultMaxSize = 2 << 30

const (
	maxFiles = 1_000_000 // files and folders in the tree
	maxDepth = 1000      // folders in each other
	maxLink  = 4096      // PATH_MAX of Linux
	maxHops  = 40        // links one after the other, as in Linux
)

// Options say what reading a tree may cost.
type Options struct {
	MaxSize int64 // bytes of all files that are read; 0: DefaultMaxSize
}

// Tree is a folder at a revision. It implements fs.StatFS, fs.ReadDirFS, fs.ReadLinkFS and fs.SubFS; its files are
// io.ReaderAts and io.Seekers. A file is unpacked when it is first asked for, and then kept, compressed. All methods may be
// called at the same time.
type Tree struct {
	Path string // what was asked for, from the root of the repository: "." is that itself
	File string // its name in the Tree, if it is a file

	store *store
	root  node // of the repository: links may lead anywhere in it
	dir   string
}

var (
	_ fs.StatFS     = (*Tree)(nil)
	_ fs.ReadDirFS  = (*Tree)(nil)
	_ fs.ReadLinkFS = (*Tree)(nil)
	_ fs.SubFS      = (*Tree)(nil)
)

// Open opens a folder, or the folder of a file, at a revision of the repository that the folder dir is in. Both are what
// git show REVISION:PATH takes: the path counts from the root of the repository, "" being that; with ./ or ../ in front it
// counts from dir. Of a revision the parts that ask what a clone did before are not understood: those with @{ in them.
func Open(ctx context.Context, dir, revision, name string, o Options) (*Tree, error) {
	if o.MaxSize <= 0 {
		o.MaxSize = DefaultMaxSize
	}
	r, err := openRepository(dir, o)
	if err != nil {
		return nil, err
	}
	clean, err := r.path(name)
	if err != nil {
		return nil, err
	}
	hash, err := r.resolveTree(ctx, revision)
	if err != nil {
		return nil, err
	}
	t := &Tree{Path: clean, store: r.store, root: node{kind: folder, hash: hash}, dir: "."}
	if err := t.enter(); err != nil {
		return nil, r.noSuchPath(t, revision, name, err)
	}
	return t, t.check(ctx)
}

// enter makes what was asked for, or the folder that it is in, the root of the Tree.
func (t *Tree) enter() error {
	found, err := t.search(t.Path, true)
	if err != nil {
		return err
	}
	switch found.node().kind {
	case submodule:
		return fmt.Errorf("%w: what is in it is in another repository", errSubmodule)
	case regular:
		var dir string
		dir, t.File = path.Split(t.Path)
		if found, err = t.search(dir, true); err != nil {
			return err
		}
	}
	t.dir = found.path()
	return nil
}

// Fault returns why a file could not be read though the tree has it: then what was seen is not what is there. It says so
// of the first one by its path.
func (t *Tree) Fault() error {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if t.store.fault != nil {
		return t.store.fault
	}
	return nil
}

// check holds the tree against what a disk could take, before anyone walks it: a few objects can make a tree of any size.
func (t *Tree) check(ctx context.Context) error {
	c := &checker{ctx: ctx, store: t.store, counts: map[hash]int{}}
	found, err := t.search(t.dir, false)
	if err == nil {
		_, err = c.count(found.node().hash, t.dir, 0)
	}
	return err
}

// checker counts files.
type checker struct {
	ctx    context.Context
	store  *store
	counts map[hash]int // by folder: equal ones are counted once
}

func (c *checker) count(h hash, name string, depth int) (int, error) {
	if n, known := c.counts[h]; known {
		return n, nil
	}
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if depth > maxDepth {
		return 0, fmt.Errorf("more than %d folders are in each other", maxDepth)
	}
	entries, err := c.store.folder(h)
	if err != nil {
		return 0, fmt.Errorf("the folder %q: %w", name, err)
	}
	n := len(entries)
	for _, e := range entries {
		if e.kind == folder {
			more, err := c.count(e.hash, path.Join(name, e.name), depth+1)
			if err != nil {
				return 0, err
			}
			n += more
		}
		if n > maxFiles {
			return 0, fmt.Errorf("more than %d files are in it", maxFiles)
		}
	}
	c.counts[h] = n
	return n, nil
}
