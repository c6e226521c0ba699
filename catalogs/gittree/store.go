package gittree

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

type hash = plumbing.Hash

const (
	// cachedBases bounds the objects that go-git keeps as others were stored by their difference to them.
	cachedBases = 16 * cache.MiByte
	// openPacks bounds how many files are kept open.
	openPacks = 16
	// maxMeta bounds a commit, a tag or a list of a folder.
	maxMeta = 64 << 20
	// maxAlternates bounds how many repositories another one borrows from in turn; git takes five.
	maxAlternates = 16
)

// store reads the objects of a repository and of those that it borrows from.
type store struct {
	mu      sync.Mutex // of all below: the storages of go-git are for one reader at a time
	objects []*filesystem.ObjectStorage
	folders map[hash][]entry
	blobs   map[hash]*blob
	left    int64 // of Options.MaxSize
	max     int64
	fault   *fault
	partial bool // what is missing can be fetched

	cache   packed.Cache
	packers sync.Pool // of *packed.Packer
}

// blob is the text of a file, once it was read.
type blob struct {
	once sync.Once
	text *packed.Text
	err  error
}

// fault is why a file could not be read.
type fault struct {
	path string // "" if it is not the file's
	err  error
}

func (f *fault) Error() string {
	if f.path == "" {
		return f.err.Error()
	}
	return fmt.Sprintf("%s: %v", f.path, f.err)
}

func (f *fault) Unwrap() error { return f.err }

var (
	errMissing  = errors.New("an object of the repository is missing")
	errTooLarge = errors.New("raise --max-size, if that is no mistake")
)

func newStore(main *filesystem.ObjectStorage, objects string, o Options) *store {
	s := &store{objects: []*filesystem.ObjectStorage{main}, folders: map[hash][]entry{}, blobs: map[hash]*blob{},
		left: o.MaxSize, max: o.MaxSize}
	s.packers.New = func() any { return new(packed.Packer) }
	for _, dir := range alternates(objects) {
		s.objects = append(s.objects, filesystem.NewObjectStorageWithOptions(dotgit.New(osfs.New(filepath.Dir(dir))),
			newCache(), storageOptions(o)))
	}
	return s
}

func newCache() cache.Object { return cache.NewObjectLRU(cachedBases) }

func storageOptions(o Options) filesystem.Options {
	return filesystem.Options{MaxOpenDescriptors: openPacks, LargeObjectThreshold: max(o.MaxSize, maxMeta)}
}

// alternates returns the folders of objects that one borrows from (gitrepository-layout: objects/info/alternates). go-git
// would look for them again with each object, and not outside of the repository.
func alternates(objects string) []string {
	all := []string{objects}
	for i := 0; i < len(all) && len(all) <= maxAlternates; i++ {
		f, err := os.Open(filepath.Join(all[i], "info", "alternates"))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			dir := filepath.FromSlash(lines.Text())
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(all[i], dir)
			}
			if filepath.Base(dir) == "objects" && !slices.Contains(all, dir) {
				all = append(all, dir)
			}
		}
		f.Close()
	}
	return all[1:]
}

// object returns an object of any kind. What is in it is read by reading it.
func (s *store) object(h hash) (plumbing.EncodedObject, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, objects := range s.objects {
		o, err := objects.EncodedObject(plumbing.AnyObject, h)
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			return nil, damaged(h, err)
		}
	}
	return nil, errMissing
}

// folder returns what is in a folder, sorted by name.
func (s *store) folder(h hash) ([]entry, error) {
	s.mu.Lock()
	entries, known := s.folders[h]
	s.mu.Unlock()
	if known {
		return entries, nil
	}
	text, kind, err := s.metaText(h)
	if err == nil && kind != plumbing.TreeObject {
		err = damaged(h, fmt.Errorf("a %s where a tree should be", kind))
	}
	if err != nil {
		return nil, err
	}
	if entries, err = decodeTree(text); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.folders[h] = entries
	s.mu.Unlock()
	return entries, nil
}

// text returns what is in a file, or what a link leads to. A fault is noted for the path.
func (s *store) text(n node, path string) (*packed.Text, error) {
	s.mu.Lock()
	b := s.blobs[n.hash]
	if b == nil {
		b = &blob{}
		s.blobs[n.hash] = b
	}
	s.mu.Unlock()
	b.once.Do(func() { b.text, b.err = s.read(n) })
	if b.err != nil {
		s.note(path, b.err)
	}
	return b.text, b.err
}

// note keeps the fault of the first path, whatever order they are read in.
func (s *store) note(path string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, errTooLarge) { // whichever is read last is not to blame
		path = ""
	}
	if s.fault == nil || path < s.fault.path {
		s.fault = &fault{path: path, err: err}
	}
}

func (s *store) read(n node) (*packed.Text, error) {
	o, err := s.object(n.hash)
	if err != nil {
		return nil, s.explain(err)
	}
	if o.Type() != plumbing.BlobObject {
		return nil, damaged(n.hash, fmt.Errorf("a %s where a file should be", o.Type()))
	}
	if err := s.take(o.Size()); err != nil {
		return nil, err
	}
	r, err := o.Reader()
	if err != nil {
		return nil, damaged(n.hash, err)
	}
	defer r.Close()
	packer := s.packers.Get().(*packed.Packer)
	defer s.packers.Put(packer)
	text, err := packer.Pack(r, o.Size())
	if err != nil {
		return nil, damaged(n.hash, err)
	}
	return text, s.checkPointer(text)
}

func (s *store) take(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left -= n; s.left < 0 {
		return fmt.Errorf("its files have more than %d bytes: %w", s.max, errTooLarge)
	}
	return nil
}

// pointer is how a file begins that stands for one which Git LFS keeps elsewhere.
const pointer = "version https://git-lfs.github.com/spec/v1\n"

func (s *store) checkPointer(text *packed.Text) error {
	if text.Size() > 1024 { // pointers are smaller (git-lfs: docs/spec.md)
		return nil
	}
	head := make([]byte, len(pointer))
	if n, _ := io.ReadFull(s.cache.Reader(text), head); string(head[:n]) == pointer {
		return errors.New("a pointer of Git LFS: what it stands for is not in the repository; check it out, and give the folder")
	}
	return nil
}

// explain says why an object may be missing.
func (s *store) explain(err error) error {
	if errors.Is(err, errMissing) && s.partial {
		return fmt.Errorf("%w: this is a partial clone, which has fetched only what was checked out", errMissing)
	}
	return err
}
