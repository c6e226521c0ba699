// Package disk is the one door to files on disk. A name may be that of anything that a stranger puts into a checkout or a folder, as a
// device, a pipe, a link to a file of /proc, or terabytes of zeros: only regular files are opened, which never blocks, they have no more
// bytes than when they were opened, and what reads one as a whole has a limit. Files are replaced as a whole: at any moment a file has
// either its old text or the new one.
package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	// MaxText is how much text of a file is read as a whole unless its reader has a lower limit, in bytes.
	MaxText = 512 << 20
	// maxEntries bounds how many files and folders a folder may have.
	maxEntries = 1_000_000
)

// Cause returns the error inside an fs.PathError or os.LinkError, without the operation and the path, for messages that name the
// path themselves. Any other error is returned as it is.
func Cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}

// Stat returns what is at a path, where links lead.
func Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Lstat returns what is at a path, be it a link.
func Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Exists reports whether something is at a path.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// IsFile reports whether a regular file is at a path.
func IsFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// IsFolder reports whether a folder is at a path.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// RealPath returns an absolute path without links.
func RealPath(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

// File is an open regular file, with the bytes that it had when it was opened: files of /proc have none, and others may grow.
type File struct {
	*io.SectionReader
	io.Closer
	info fs.FileInfo
}

// Stat implements fs.File.
func (f *File) Stat() (fs.FileInfo, error) { return f.info, nil }

// Open opens a regular file.
func Open(name string) (*File, error) {
	info, err := os.Stat(name)
	return regular(name, info, err, func() (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) })
}

// regular opens what info says is a regular file. What takes its place meanwhile may be a pipe, or a device.
func regular(name string, info fs.FileInfo, err error, open func() (*os.File, error)) (*File, error) {
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(name, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = notRegular(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{io.NewSectionReader(f, 0, info.Size()), f, info}, nil
}

func notRegular(name string, info fs.FileInfo) error {
	err := errors.New("not a regular file")
	switch mode := info.Mode(); {
	case mode.IsDir():
		err = errors.New("a folder, not a file")
	case mode&fs.ModeNamedPipe != 0:
		err = errors.New("a named pipe; to read from a pipe, give - and redirect standard input")
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// IsShellPipe reports whether a name on the command line is that of a pipe which a shell made of <(command).
func IsShellPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0 && (strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/") || name == "/dev/stdin")
}

// Stream opens what a name on the command line is of: a regular file, or a shell's pipe.
func Stream(name string) (io.ReadCloser, error) {
	if IsShellPipe(name) {
		return os.Open(name)
	}
	return Open(name)
}

// Read returns the text of what Stream opens, which has at most limit bytes.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Stream(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, limit)
}

// ReadAll returns a text that has at most limit bytes.
func ReadAll(r io.Reader, limit int64) (text []byte, err error) {
	f, isFile := r.(*File)
	if !isFile || f.Size() <= limit {
		text, err = io.ReadAll(io.LimitReader(r, limit+1))
	}
	if isFile && f.Size() > limit || int64(len(text)) > limit {
		err = fmt.Errorf("it has more than %d KiB", limit>>10)
	}
	return text, err
}

// Head returns the first bytes of a regular file of any file system, at most size.
func Head(fsys fs.FS, name string, size int) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(size)))
}

// Folder is a folder as os.DirFS has it.
type Folder string

// withLocalPath calls do with the path of a file in the folder. The path of an error is that in the folder.
func withLocalPath[T any](d Folder, op, name string, do func(path string) (T, error)) (T, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return *new(T), &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	result, err := do(cmp.Or(string(d), ".") + string(filepath.Separator) + local)
	if pathErr, ok := err.(*fs.PathError); ok {
		pathErr.Path = name
	}
	return result, err
}

// Open implements fs.FS.
func (d Folder) Open(name string) (fs.File, error) {
	return withLocalPath(d, "open", name, func(path string) (fs.File, error) {
		if IsFolder(path) {
			return os.Open(path)
		}
		f, err := Open(path)
		if err != nil {
			return nil, err
		}
		return f, nil
	})
}

// ReadFile implements fs.ReadFileFS.
func (d Folder) ReadFile(name string) ([]byte, error) {
	return withLocalPath(d, "read", name, func(path string) ([]byte, error) { return Read(path, MaxText) })
}

// Stat implements fs.StatFS.
func (d Folder) Stat(name string) (fs.FileInfo, error) {
	return withLocalPath(d, "stat", name, os.Stat)
}

// Lstat implements fs.ReadLinkFS.
func (d Folder) Lstat(name string) (fs.FileInfo, error) {
	return withLocalPath(d, "lstat", name, os.Lstat)
}

// ReadLink implements fs.ReadLinkFS.
func (d Folder) ReadLink(name string) (string, error) {
	return withLocalPath(d, "readlink", name, os.Readlink)
}

// ReadDir implements fs.ReadDirFS.
func (d Folder) ReadDir(name string) ([]fs.DirEntry, error) {
	return withLocalPath(d, "readdir", name, func(path string) ([]fs.DirEntry, error) {
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		entries, err := f.ReadDir(maxEntries)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if len(entries) == maxEntries {
			err = &fs.PathError{Op: "readdir", Path: name, Err: fmt.Errorf("it has %d files and folders or more", maxEntries)}
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		return entries, err
	})
}

// Root is a folder out of which no link leads.
type Root struct{ *os.Root }

// OpenRoot opens a folder, which is made if it is not there and make is set.
func OpenRoot(dir string, make bool) (Root, error) {
	if make {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return Root{}, err
		}
	}
	root, err := os.OpenRoot(dir)
	return Root{root}, err
}

// Open opens a regular file.
func (r Root) Open(name string) (*File, error) {
	info, err := r.Root.Stat(name)
	return regular(name, info, err, func() (*os.File, error) { return r.Root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) })
}

// ReadFile returns the text of a file, which has at most limit bytes.
func (r Root) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := r.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, limit)
}
