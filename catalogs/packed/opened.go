package packed

import (
	"errors"
	"io"
	"io/fs"
)

// File is an open file of a file system in memory. Its ReadAt may be called concurrently.
type File struct {
	*io.SectionReader
	Info fs.FileInfo
}

// Stat implements fs.File.
func (f *File) Stat() (fs.FileInfo, error) { return f.Info, nil }

// Close implements fs.File.
func (f *File) Close() error { return nil }

// Folder is an open folder of a file system in memory. Entries returns its entries, sorted by name; it is called at most once.
type Folder struct {
	Path    string // for errors
	Info    fs.FileInfo
	Entries func() ([]fs.DirEntry, error)

	left []fs.DirEntry
	read bool
}

// Stat implements fs.File.
func (f *Folder) Stat() (fs.FileInfo, error) { return f.Info, nil }

// Close implements fs.File.
func (f *Folder) Close() error { return nil }

// Read implements fs.File.
func (f *Folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.Path, Err: errors.New("is a folder")}
}

// ReadDir implements fs.ReadDirFile.
func (f *Folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.read {
		entries, err := f.Entries()
		if err != nil {
			return nil, &fs.PathError{Op: "readdir", Path: f.Path, Err: err}
		}
		f.left, f.read = entries, true
	}
	if n > 0 && len(f.left) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.left) {
		n = len(f.left)
	}
	entries := f.left[:n:n]
	f.left = f.left[n:]
	return entries, nil
}
