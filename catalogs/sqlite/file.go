package sqlite

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// fileName is the name of the database for SQLite.
const fileName = "index.db"

// file is a read-only file system without locks whose only file is the database.
type file struct {
	data   io.ReaderAt
	info   fs.FileInfo
	closer io.Closer
	// missing is how many bytes the file is shorter than its header says.
	missing int64

	mu    sync.Mutex
	fault error // the last error of data, which SQLite does not return
}

// open opens a database. If its file does not implement io.ReaderAt, it is read into memory.
func open(source Source, limit int64) (*file, error) {
	f, err := source.FS.Open(source.Name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("read %s: not a regular file", source.Name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if data, ok := f.(io.ReaderAt); ok {
		return &file{data: data, info: info, closer: f}, nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", source.Name, err)
	}
	return &file{data: bytes.NewReader(text), info: info, closer: io.NopCloser(nil)}, nil
}

func (f *file) Close() error { return f.closer.Close() }

// Open implements fs.FS.
func (f *file) Open(name string) (fs.File, error) {
	if name != fileName {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &handle{SectionReader: io.NewSectionReader(f, 0, f.info.Size()), file: f}, nil
}

// ReadAt implements io.ReaderAt and keeps an error for cause.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.data.ReadAt(p, off)
	if err != nil && err != io.EOF {
		f.mu.Lock()
		f.fault = err
		f.mu.Unlock()
	}
	return n, err
}

// cause returns the error of the file that led to an error of SQLite, or else that error.
func (f *file) cause(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != nil {
		return f.fault
	}
	return err
}

// handle is the open file.
type handle struct {
	*io.SectionReader
	file *file
}

func (h *handle) Stat() (fs.FileInfo, error) { return h.file.info, nil }
func (h *handle) Close() error               { return nil }
