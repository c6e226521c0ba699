// Package source gives the bytes of catalogs names: a source is a file system, as a folder, an image or a tree of git, with the names that
// its files have in positions. Texts are read from it again when they are needed, and not kept. A file that a link leads out of a catalog to
// is read, but nothing of it is shown.
package source

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// ReadCache has what was read without problems of the files of a source, by their blobIDs: a form keeps in it what it wants.
type ReadCache struct {
	Files   sync.Map
	Objects sync.Map     // of files
	Size    atomic.Int64 // of the objects, in bytes
	Keep    bool         // objects are kept
}

// Cache returns that of the source, or the one that it has with its base.
func (s *Source) Cache() *ReadCache {
	if s.shared != nil {
		return s.shared
	}
	return &s.own
}

// ShareCache lets a source and that of its base read files with the same text once.
func (s *Source) ShareCache(base *Source) {
	if s != base && s.AsIntended == base.AsIntended {
		s.shared = base.Cache()
		s.shared.Keep = true
	}
}

// WithSingle returns the source of one file, or of all if name is "". Nothing of it was read.
func (s *Source) WithSingle(name string) *Source {
	return &Source{Fsys: s.Fsys, Prefix: s.Prefix, NoSlash: s.NoSlash, Single: name, OnDisk: s.OnDisk, Root: s.Root, Within: s.Within, At: s.At, ReadError: s.ReadError}
}

// missing is the error of a reference for which there is no file.
type missing string

func (m missing) Error() string { return string(m) + ": no such file or folder" }
func (missing) Unwrap() error   { return fs.ErrNotExist }

// CannotOpen returns an error of the file system for a reference.
func CannotOpen(ref string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing(ref)
	}
	return fmt.Errorf("%s: %w", ref, disk.Cause(err))
}

// FoldersIn returns the folders in a folder, sorted.
func FoldersIn(fsys fs.FS, dir string) []string {
	entries, _ := fs.ReadDir(fsys, dir)
	var found []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			found = append(found, path.Join(dir, e.Name()))
		}
	}
	return found
}

func IsDir(fsys fs.FS, dir string) bool {
	info, err := fs.Stat(fsys, dir)
	return err == nil && info.IsDir()
}

func IsFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// ReadNamed returns the text of a file by its display name.
func (s *Source) ReadNamed(name string) ([]byte, error) {
	text, err := fs.ReadFile(s.Fsys, s.Path(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, disk.Cause(err))
	}
	return text, nil
}

// OnDisk returns the source of a folder on disk, with texts instead of some of its files, by their display names.
func OnDisk(dir string, texts map[string][]byte) *Source {
	s := &Source{Fsys: disk.Folder(dir), Prefix: filepath.ToSlash(dir), OnDisk: true, Root: quotableRoot(dir)}
	if len(texts) > 0 {
		s.Fsys = overlay{FS: s.Fsys, prefix: s.Prefix, texts: texts}
	}
	return s
}

// opm reads every file of a folder, and rejects the root of a git repository for what is in .git, unless an .indexignore there ignores that.
// So the root of a repository is not the folder of a catalog: of its files those that are catalogs are read, and no others.

// GitFolder is the folder, in a submodule or another work tree the file, that makes a folder the root of a git repository.
const GitFolder = ".git"

// validValues has the hashes of values without a problem: dozens of bundles may have the same one.
type validValues struct {
	Seed maphash.Seed
	Seen sync.Map // of uint64
}

// Source is the file system of a catalog. Texts are read from it again when they are needed, and not kept.
type Source struct {
	Fsys       fs.FS
	Prefix     string       // of the file names in positions
	NoSlash    bool         // no slash follows the prefix, as in git:REVISION:
	Single     string       // the only file of the catalog; "" if it is a folder
	OnDisk     bool         // positions name files on disk
	GitRoot    bool         // the root of a git repository, though there is no .git in it
	Root       string       // of a catalog on disk: see quotableRoot
	AsIntended bool         // see Options.AsIntended
	Within     fs.FS        // of a git tree: the root of its repository
	At         string       // the path in it of the source
	Database   bool         // the files are rows of a database, in which lines mean nothing
	ReadError  func() error // returns why a file that exists could not be read; may be nil
	Valid      validValues
	// restrictions caches restriction by display name.
	restrictions sync.Map
	ids          sync.Map // the blobIDs of files that were read, by path
	// own has what was read of the files, unless shared has it.
	own    ReadCache
	shared *ReadCache
	// Ignores are the comments that suppress findings, in the order in which files are read.
	Ignores  []Comment
	Ignoring sync.Mutex // guards ignores
	// Buffers are for texts that are read again.
	Buffers   bufferPool
	scratches sync.Pool // of *tree.Scratch, for values of these texts
}

// Display returns the name of a file in positions, as a user would write it.
func (s *Source) Display(name string) string {
	if s.Prefix == "" || s.NoSlash {
		return s.Prefix + name
	}
	return path.Join(s.Prefix, name)
}

// Path returns the path in fsys of a file by its display name.
func (s *Source) Path(display string) string {
	if s.Prefix == "" || s.Prefix == "." {
		return display
	}
	return strings.TrimPrefix(strings.TrimPrefix(display, path.Clean(s.Prefix)), "/")
}

// File returns a file of the source.
func (s *Source) File(name string) *File {
	return &File{Source: s, Path: name, Name: s.Display(name)}
}

// bufferPool is a sync.Pool of *[]byte.
type bufferPool struct{ pool sync.Pool }

func (p *bufferPool) Get() *[]byte {
	if b, ok := p.pool.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// maxPooled is how large a buffer may be to be kept, in bytes.
const maxPooled = 1 << 20

func (p *bufferPool) Put(b *[]byte) {
	if cap(*b) <= maxPooled {
		p.pool.Put(b)
	}
}

// Comment is one in a file that suppresses findings.
type Comment struct {
	File string
	tree.Comment
}

// HasContent reports whether a folder, or one below it, has a file other than a ci.yaml, OWNERS, *.md or a hidden one.
func HasContent(fsys fs.FS, dir string) bool {
	found := false
	fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			found = true // it may have content
		case e.IsDir(), strings.HasPrefix(base, "."), base == "ci.yaml", base == "OWNERS", strings.HasSuffix(base, ".md"):
			return nil
		default:
			found = true
		}
		return fs.SkipAll
	})
	return found
}
