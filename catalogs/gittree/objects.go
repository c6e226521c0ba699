package gittree

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

type hash = plumbing.Hash

const (
	cachedBases = 16 << 20 // bytes of objects that are cached as bases of deltas
	openPacks   = 16       // that are kept open
	maxDeltas   = 10_000   // in a chain; git writes chains of 50, with --depth of up to 4095
	maxEager    = 32 << 20 // bytes that are allocated for a size that a header claims

	maxDifferent = 256 << 20         // bytes of an object that is stored as a difference, and of all differences in its chain
	maxPatched   = 50 * maxDifferent // bytes of all objects in a chain, of which git writes 50 (git-repack: --depth)
)

// repack says how to store objects without the differences that are rejected.
const repack = "set core.bigFileThreshold of git to 256m, and run git repack -a -d -F"

var errMissing = errors.New("an object of the repository is missing")

// objects reads the objects of a repository and of its alternates with go-git's readers of the formats. go-git's storage of objects is
// not safe for concurrent use, keeps every text and its hash, and builds a map of all objects in a pack to read a delta.
type objects struct {
	folders []*dotgit.DotGit
	packs   []*pack
	limit   int64 // of bytes in one object

	mu    sync.Mutex
	idle  []*openPack
	bases *cache.BufferLRU // by the place of the object
}

// pack is a file of objects.
type pack struct {
	number int
	index  *idxfile.MemoryIndex
	open   func() (billy.File, error)
}

// openPack is an open pack with a position in it.
type openPack struct {
	*pack
	file     billy.File
	text     bufio.Reader // of the file, from some object on
	inflater io.ReadCloser
}

// addFolder adds the loose objects and packs of a folder.
func (o *objects) addFolder(dir *dotgit.DotGit) error {
	o.folders = append(o.folders, dir)
	names, err := dir.ObjectPacks()
	if err != nil {
		return fmt.Errorf("the packs of the repository cannot be listed: %w", err)
	}
	slices.SortFunc(names, func(a, b hash) int { return bytes.Compare(a[:], b[:]) })
	for _, name := range names {
		index, err := readIndex(dir, name)
		if errors.Is(err, dotgit.ErrPackfileNotFound) { // it is being written
			continue
		}
		if err != nil {
			return fmt.Errorf("the index of pack-%s is damaged: %w", name, err)
		}
		o.packs = append(o.packs, &pack{number: len(o.packs), index: index,
			open: func() (billy.File, error) { return dir.ObjectPack(name) }})
	}
	return nil
}

func readIndex(dir *dotgit.DotGit, name hash) (*idxfile.MemoryIndex, error) {
	f, err := dir.ObjectPackIdx(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := dir.Fs().Stat(dir.Fs().Join("objects", "pack", fmt.Sprintf("pack-%s.idx", name)))
	if err != nil {
		return nil, err
	}
	if err := checkIndex(f, info.Size()); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	index := idxfile.NewMemoryIndex()
	return index, idxfile.NewDecoder(f).Decode(index)
}

// checkIndex checks the counts at the beginning of an index by its size (gitformat-pack(5)), since go-git allocates memory for them.
func checkIndex(r io.Reader, size int64) error {
	var head struct {
		Magic  [8]byte
		Counts [256]uint32
	}
	if err := binary.Read(r, binary.BigEndian, &head); err != nil {
		return err
	}
	if !slices.IsSorted(head.Counts[:]) || 28*int64(head.Counts[255]) > size {
		return idxfile.ErrMalformedIdxFile
	}
	return nil
}

// get returns the type and the text of an object. The text must not be modified.
func (o *objects) get(h hash) (plumbing.ObjectType, []byte, error) {
	for _, p := range o.packs {
		if offset, err := p.index.FindOffset(h); err == nil {
			kind, text, err := o.readPacked(p, offset)
			return kind, text, damagedError(h, err)
		}
	}
	for _, dir := range o.folders {
		f, err := o.openLoose(dir, h)
		if err == nil {
			defer f.Close()
			kind, text, err := o.readLoose(f)
			return kind, text, damagedError(h, err)
		}
	}
	return 0, nil, errMissing
}

// damagedError returns an error of an object with its hash.
func damagedError(h hash, err error) error {
	if err == nil || errors.Is(err, errTooLarge) {
		return err
	}
	return fmt.Errorf("object %s of the repository is damaged: %w", h, err)
}

// openLoose opens the file of a loose object.
func (o *objects) openLoose(dir *dotgit.DotGit, h hash) (billy.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return dir.Object(h)
}

// readLoose reads the file of a loose object.
func (o *objects) readLoose(f io.Reader) (plumbing.ObjectType, []byte, error) {
	r, err := objfile.NewReader(f)
	if err != nil {
		return 0, nil, err
	}
	defer r.Close()
	kind, size, err := r.Header()
	if err != nil {
		return 0, nil, err
	}
	text, err := o.readExactly(size, r)
	return kind, text, err
}

// readExactly returns a text, which has to be of a size.
func (o *objects) readExactly(size int64, r io.Reader) ([]byte, error) {
	if size < 0 || size > o.limit {
		return nil, fmt.Errorf("an object of %d bytes: %w", size, errTooLarge)
	}
	text := bytes.NewBuffer(make([]byte, 0, min(size, maxEager)+bytes.MinRead))
	if n, err := text.ReadFrom(io.LimitReader(r, size+1)); err != nil || n != size {
		return nil, cmp.Or(err, errors.New("its size is not what its header says"))
	}
	return text.Bytes(), nil
}

// readPacked reads an object from a pack.
func (o *objects) readPacked(p *pack, offset int64) (plumbing.ObjectType, []byte, error) {
	opened, err := o.acquire(p)
	if err != nil {
		return 0, nil, err
	}
	defer o.release(opened)
	kind, text, deltas, err := o.deltaBase(opened, offset)
	for i := len(deltas) - 1; i >= 0 && err == nil; i-- {
		if text, err = packfile.PatchDelta(text, deltas[i].text); err == nil {
			o.bases.Put(p.key(kind, deltas[i].offset), text)
		}
	}
	return kind, text, err
}

// key returns the key of an object in the cache.
func (p *pack) key(kind plumbing.ObjectType, offset int64) int64 {
	return int64(kind)<<60 | int64(p.number)<<44 | offset
}

// findCached returns an object from the cache.
func (o *objects) findCached(p *pack, offset int64) (plumbing.ObjectType, []byte, bool) {
	for _, kind := range []plumbing.ObjectType{plumbing.BlobObject, plumbing.TreeObject, plumbing.CommitObject, plumbing.TagObject} {
		if text, ok := o.bases.Get(p.key(kind, offset)); ok {
			return kind, text, true
		}
	}
	return 0, nil, false
}

// delta is an object that is stored as the difference to its base.
type delta struct {
	offset int64
	text   []byte
}

// deltaBase returns the object at the end of a chain of deltas, and the deltas to it.
func (o *objects) deltaBase(p *openPack, offset int64) (plumbing.ObjectType, []byte, []delta, error) {
	var deltas []delta
	var read, patched int64
	for len(deltas) < maxDeltas {
		if kind, text, ok := o.findCached(p.pack, offset); ok {
			return kind, text, deltas, nil
		}
		header, err := p.header(offset)
		if err != nil {
			return 0, nil, nil, err
		}
		inflated, err := p.inflate()
		if err != nil {
			return 0, nil, nil, err
		}
		if read += header.size; len(deltas) > 0 && read > maxDifferent {
			return 0, nil, nil, fmt.Errorf("its differences have more than %d bytes: %s", maxDifferent, repack)
		}
		text, err := o.readExactly(header.size, inflated)
		if err != nil {
			return 0, nil, nil, err
		}
		switch header.kind {
		case plumbing.OFSDeltaObject, plumbing.REFDeltaObject:
			size, err := o.sizeAfter(text)
			if patched += size; err == nil && patched > maxPatched {
				err = fmt.Errorf("its differences make more than %d bytes: %s", int64(maxPatched), repack)
			}
			if err != nil {
				return 0, nil, nil, err
			}
			deltas, offset = append(deltas, delta{offset, text}), header.base
		default:
			if len(deltas) > 0 {
				o.bases.Put(p.key(header.kind, offset), text)
			}
			return header.kind, text, deltas, nil
		}
	}
	return 0, nil, nil, fmt.Errorf("more than %d differences one upon the other", maxDeltas)
}

// sizeAfter returns of how many bytes the object is that a delta makes of its base.
func (o *objects) sizeAfter(delta []byte) (int64, error) {
	_, n := binary.Uvarint(delta)
	size, m := binary.Uvarint(delta[max(n, 0):])
	if n <= 0 || m <= 0 {
		return 0, packfile.ErrInvalidDelta
	}
	if size > uint64(o.limit) {
		return 0, fmt.Errorf("an object of %d bytes: %w", size, errTooLarge)
	}
	if size > maxDifferent {
		return 0, fmt.Errorf("an object of %d bytes is stored as a difference: %s", size, repack)
	}
	return int64(size), nil
}

// acquire returns an open pack that is not in use.
func (o *objects) acquire(p *pack) (*openPack, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := len(o.idle) - 1; i >= 0; i-- {
		if opened := o.idle[i]; opened.pack == p {
			o.idle = slices.Delete(o.idle, i, i+1)
			return opened, nil
		}
	}
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	return &openPack{pack: p, file: f}, nil
}

// release returns an open pack, and closes the least recently used one if there are too many.
func (o *objects) release(p *openPack) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.idle = append(o.idle, p); len(o.idle) > openPacks {
		o.idle[0].file.Close()
		o.idle = slices.Delete(o.idle, 0, 1)
	}
}

// withPrefix returns the objects whose hashes begin with some bytes.
func (o *objects) withPrefix(prefix []byte) (map[hash]bool, error) {
	found := map[hash]bool{}
	for _, dir := range o.folders {
		if err := addLooseWithPrefix(found, dir, prefix); err != nil {
			return nil, fmt.Errorf("the objects of the repository cannot be listed: %w", err)
		}
	}
	for _, p := range o.packs {
		p.addWithPrefix(found, prefix)
	}
	return found, nil
}

// addLooseWithPrefix adds the loose objects of a folder whose hashes begin with one byte or more, which names their folder.
func addLooseWithPrefix(found map[hash]bool, dir *dotgit.DotGit, prefix []byte) error {
	first := hex.EncodeToString(prefix[:1])
	files, err := dir.Fs().ReadDir(dir.Fs().Join("objects", first))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		if name := first + f.Name(); plumbing.IsHash(name) {
			if h := plumbing.NewHash(name); bytes.HasPrefix(h[:], prefix) {
				found[h] = true
			}
		}
	}
	return err
}

// addWithPrefix adds the objects of a pack whose hashes begin with one byte or more. An index sorts them by the first byte, and then all.
func (p *pack) addWithPrefix(found map[hash]bool, prefix []byte) {
	at := p.index.FanoutMapping[prefix[0]]
	if at < 0 || at >= len(p.index.Names) { // none begins with it
		return
	}
	names := p.index.Names[at]
	name := func(i int) []byte { return names[i*len(hash{}):][:len(hash{})] }
	n := len(names) / len(hash{})
	for i := sort.Search(n, func(i int) bool { return bytes.Compare(name(i), prefix) >= 0 }); i < n && bytes.HasPrefix(name(i), prefix); i++ {
		found[hash(name(i))] = true
	}
}
