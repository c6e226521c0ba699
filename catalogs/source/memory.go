package source

import (
	"bytes"
	"io/fs"
	"path"
	"time"

	"github.com/klauspost/compress/s2"
)

// file is an open file, and its FileInfo.
type file struct {
	*bytes.Reader
	name string
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return f.name }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }

func newFile(name string, text []byte) *file {
	return &file{Reader: bytes.NewReader(text), name: path.Base(name)}
}

func notExist(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// MemoryFile is a file system of one file.
type MemoryFile struct {
	Name string
	Text []byte
}

// Open implements fs.FS.
func (f MemoryFile) Open(name string) (fs.File, error) {
	if name != f.Name {
		return nil, notExist("open", name)
	}
	return newFile(name, f.Text), nil
}

// PackedFiles is a file system of files that are stored compressed with s2: the manifests of bundles are large and much alike, and flate
// at its fastest would take more space and six times as long. The zero value is empty.
type PackedFiles struct {
	files  map[string][]byte
	buffer []byte
}

// Add stores a file.
func (p *PackedFiles) Add(name string, text []byte) {
	if p.files == nil {
		p.files = map[string][]byte{}
	}
	p.buffer = s2.Encode(p.buffer[:cap(p.buffer)], text)
	p.files[name] = bytes.Clone(p.buffer)
}

// Open implements fs.FS.
func (p *PackedFiles) Open(name string) (fs.File, error) {
	packed, ok := p.files[name]
	if !ok {
		return nil, notExist("open", name)
	}
	text, err := s2.Decode(nil, packed)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return newFile(name, text), nil
}

// Stat implements fs.StatFS without unpacking the file.
func (p *PackedFiles) Stat(name string) (fs.FileInfo, error) {
	packed, ok := p.files[name]
	if !ok {
		return nil, notExist("stat", name)
	}
	size, err := s2.DecodedLen(packed)
	return packedInfo{newFile(name, nil), int64(size)}, err
}

// packedInfo is the FileInfo of a file that is not unpacked.
type packedInfo struct {
	*file
	size int64
}

func (i packedInfo) Size() int64 { return i.size }

// overlay is a file system in which some files have another text.
type overlay struct {
	fs.FS
	prefix string            // in front of the names in texts
	texts  map[string][]byte // by prefix/name
}

// Open implements fs.FS.
func (o overlay) Open(name string) (fs.File, error) {
	if text, ok := o.texts[path.Join(o.prefix, name)]; ok {
		return newFile(name, text), nil
	}
	return o.FS.Open(name)
}

// Stat implements fs.StatFS. It opens no file below: opening a named pipe would block.
func (o overlay) Stat(name string) (fs.FileInfo, error) {
	if text, ok := o.texts[path.Join(o.prefix, name)]; ok {
		return newFile(name, text), nil
	}
	return fs.Stat(o.FS, name)
}
