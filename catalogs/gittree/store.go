package gittree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/packed"
)

// maxMeta is how large a commit, a tag or a tree may be even if MaxSize is less, in bytes.
const maxMeta = 64 << 20

// maxAlternates bounds how many alternates a repository may have, with theirs, and the length of a list of them.
const maxAlternates = 16

// Shared has what was read from repositories, for all trees that are opened with it. The zero value has nothing. It is safe for concurrent use.
type Shared struct {
	mu     sync.Mutex
	stores map[storeKey]*store
}

// storeKey is a repository, by the folder with its objects, and a limit for these.
type storeKey struct {
	dir   string
	limit int64
}

// open returns the store for a key, which make makes if there is none yet.
func (s *Shared) open(key storeKey, make func() (*store, error)) (*store, error) {
	if s == nil {
		return make()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.stores[key]; known != nil {
		return known, nil
	}
	made, err := make()
	if err != nil {
		return nil, err
	}
	if s.stores == nil {
		s.stores = map[storeKey]*store{}
	}
	s.stores[key] = made
	return made, nil
}

// store caches what was read from a repository.
type store struct {
	objects *objects
	partial bool // what is missing can be fetched

	mu      sync.Mutex
	folders map[hash][]entry
	blobs   map[hash]*blob

	checking sync.Mutex
	counts   map[hash]int // files of folders, since the same one may be in many places

	cache   packed.Cache
	packers sync.Pool // of *packed.Packer
}

// blob is the text of a file, which is read once.
type blob struct {
	once sync.Once
	text *packed.Text
	err  error
}

// newStore returns a store of the objects in folders of repositories, each with at most limit bytes.
func newStore(limit int64, dirs ...*dotgit.DotGit) (*store, error) {
	s := &store{folders: map[hash][]entry{}, blobs: map[hash]*blob{}, counts: map[hash]int{},
		objects: &objects{limit: limit, bases: cache.NewBufferLRU(cachedBases)}}
	s.packers.New = func() any { return new(packed.Packer) }
	for _, dir := range dirs {
		if err := s.objects.addFolder(dir); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// alternates returns the alternates of a folder of objects, and theirs (gitrepository-layout: objects/info/alternates). go-git searches
// them again for each object, and not outside of the repository.
func alternates(objects string) []string {
	all := []string{objects}
	for i := 0; i < len(all) && len(all) <= maxAlternates; i++ {
		text, _ := disk.Read(filepath.Join(all[i], "info", "alternates"), maxAlternates*maxLink)
		for line := range strings.Lines(string(text)) {
			dir := filepath.FromSlash(strings.TrimRight(line, "\r\n"))
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(all[i], dir)
			}
			if filepath.Base(dir) == "objects" && !slices.Contains(all, dir) {
				all = append(all, dir)
			}
		}
	}
	return all[1:]
}

// folder returns the entries of a folder, sorted by name.
func (s *store) folder(h hash) ([]entry, error) {
	s.mu.Lock()
	entries, known := s.folders[h]
	s.mu.Unlock()
	if known {
		return entries, nil
	}
	text, err := s.getType(h, plumbing.TreeObject)
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

// text returns the text of a file, or the target of a link.
func (s *store) text(h hash) (*packed.Text, error) {
	s.mu.Lock()
	b := s.blobs[h]
	if b == nil {
		b = &blob{}
		s.blobs[h] = b
	}
	s.mu.Unlock()
	b.once.Do(func() { b.text, b.err = s.read(h) })
	return b.text, b.err
}

func (s *store) read(h hash) (*packed.Text, error) {
	plain, err := s.getType(h, plumbing.BlobObject)
	if err == nil && bytes.HasPrefix(plain, []byte(lfsPointer)) {
		err = errors.New("a Git LFS pointer: its file is not in the repository; check it out, and give the folder")
	}
	if err != nil {
		return nil, err
	}
	packer := s.packers.Get().(*packed.Packer)
	defer s.packers.Put(packer)
	return packer.Pack(bytes.NewReader(plain), int64(len(plain)))
}

// lfsPointer is the beginning of a file whose text Git LFS stores elsewhere (git-lfs: docs/spec.md).
const lfsPointer = "version https://git-lfs.github.com/spec/v1\n"

// get returns an object of any kind.
func (s *store) get(h hash) (plumbing.ObjectType, []byte, error) {
	kind, text, err := s.objects.get(h)
	if errors.Is(err, errMissing) && s.partial {
		err = fmt.Errorf("%w: this is a partial clone: git archive REVISION PATH > %s fetches what it lacks", errMissing, os.DevNull)
	}
	return kind, text, err
}

// getType returns an object that has to be of a type.
func (s *store) getType(h hash, want plumbing.ObjectType) ([]byte, error) {
	kind, text, err := s.get(h)
	if err == nil && kind != want {
		err = damagedError(h, fmt.Errorf("a %s where a %s should be", kind, want))
	}
	return text, err
}
