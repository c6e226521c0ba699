package gittree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// regularFiles returns a folder for go-git, which opens only regular files in it, and reads no more of them than they have.
func regularFiles(dir string) billy.Filesystem { return regularFolder{osfs.New(dir)} }

type regularFolder struct{ billy.Filesystem }

// Open opens a file for reading.
func (f regularFolder) Open(name string) (billy.File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens a file for reading.
func (f regularFolder) OpenFile(name string, _ int, _ fs.FileMode) (billy.File, error) {
	opened, err := disk.Open(f.Join(f.Root(), name))
	if err != nil {
		return nil, err
	}
	if opened.Size() > maxMeta && !strings.HasPrefix(filepath.ToSlash(name), "objects/") { // go-git reads it as a whole
		opened.Close()
		return nil, fmt.Errorf("%s of the repository has more than %d MiB", name, maxMeta>>20)
	}
	return regularFile{opened, name}, nil
}

// Chroot returns a folder in it.
func (f regularFolder) Chroot(dir string) (billy.Filesystem, error) {
	return regularFiles(f.Join(f.Root(), dir)), nil
}

// regularFile is a file that can only be read.
type regularFile struct {
	*disk.File
	name string
}

func (f regularFile) Name() string              { return f.name }
func (f regularFile) Write([]byte) (int, error) { return 0, fs.ErrPermission }
func (f regularFile) Truncate(int64) error      { return fs.ErrPermission }
func (f regularFile) Lock() error               { return nil }
func (f regularFile) Unlock() error             { return nil }
