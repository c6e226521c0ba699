package source

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// OtherExtension reports whether a file has an extension that is not one of a catalog's.
func (f *File) OtherExtension() bool {
	ext := strings.ToLower(path.Ext(f.Name))
	return ext != "" && !slices.Contains([]string{".yaml", ".yml", ".json"}, ext)
}

// Open opens a file of a source. With links followed it has to be a regular file: opm rejects a linked folder, and reading a named
// pipe may never end.
func Open(f *File) (fs.File, fs.FileInfo, error) {
	info, err := fs.Stat(f.Source.Fsys, f.Path)
	if err != nil {
		return nil, nil, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, nil, errors.New("a link to a folder: opm rejects it, since it reads it as a file")
	case mode&fs.ModeNamedPipe != 0:
		return nil, nil, errors.New("a named pipe: opm would block reading it")
	case !mode.IsRegular():
		return nil, nil, errors.New("not a regular file")
	case info.Size() == 0 && f.Source.restriction(f.Name) == outsideCatalog: // as the files of /proc are, some of which never end
		return nil, nil, fmt.Errorf("%w, to an empty file or one without a known size", errOutside)
	}
	opened, err := f.Source.Fsys.Open(f.Path)
	return opened, info, err
}

// ReadAll returns the text of a file, which may be as large as a document.
func ReadAll(f *File) ([]byte, error) { return ReadInto(f, new([]byte)) }

// ReadInto is ReadAll into a buffer.
func ReadInto(f *File, buffer *[]byte) ([]byte, error) {
	opened, info, err := Open(f)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return readUpTo(opened, buffer, info.Size(), stream.MaxDocument)
}

// readUpTo reads a text of at most limit bytes. Its size may differ from the one that is known: files can grow while they are read.
func readUpTo(r io.Reader, buffer *[]byte, size, limit int64) ([]byte, error) {
	*buffer = slices.Grow((*buffer)[:0], int(min(size, limit))+bytes.MinRead)
	text := bytes.NewBuffer(*buffer)
	_, err := text.ReadFrom(io.LimitReader(r, limit+1))
	if err == nil && int64(text.Len()) > limit {
		err = stream.ErrTooLarge
	}
	*buffer = text.Bytes()
	return text.Bytes(), err
}

// Parse reads the text of the document.
func (d Document) Parse(text []byte) (root tree.Node, syntax *tree.Error) {
	if d.Json {
		root, _, syntax = tree.ParseJSON(text, d.At, nil)
		return root, syntax
	}
	root, _, syntax = tree.ParseYAML(text, d.At, nil)
	return root, syntax
}

// File is one file of a source.
type File struct {
	Source *Source
	Path   string     // in source.fsys
	Name   string     // in positions
	At     tree.Place // of all values of its text in positions; zero where they are in the file
}

// BlobID returns the hash of the file's text as a git blob. It returns false if the file cannot be read.
func (f *File) BlobID() (string, bool) { return f.blobID((*File).ReadManifest) }

func (f *File) blobID(read func(*File, *[]byte) ([]byte, error)) (string, bool) {
	if id, known := f.KnownID(); known {
		return id, id != ""
	}
	buffer := f.Source.Buffers.Get()
	defer f.Source.Buffers.Put(buffer)
	text, err := read(f, buffer)
	if err != nil {
		return "", false
	}
	id := BlobID(text)
	if !f.Source.IsRestricted(f.Name) { // else it depends on read
		f.Source.ids.Store(f.Path, id)
	}
	return id, true
}

// BlobID returns the hash of a text as a git blob.
func BlobID(text []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// KnownID returns the BlobID of a file if that is known without reading it: git trees have it, "" if the file cannot be read, and the source
// keeps those that were asked.
func (f *File) KnownID() (string, bool) {
	if tree, ok := f.Source.Fsys.(interface{ ID(string) (string, bool) }); ok {
		id, _ := tree.ID(f.Path)
		return id, true
	}
	id, known := f.Source.ids.Load(f.Path)
	if !known {
		return "", false
	}
	return id.(string), true
}

// Document is where the text of an object is, to read it again.
type Document struct {
	File *File
	Off  int64
	Size int
	At   tree.Place // of its first byte
	Json bool
}

// Expand builds a value of the document that was left Raw.
func (d Document) Expand(text []byte, n tree.Node) (tree.Node, *tree.Error) {
	if n.Kind != tree.Raw {
		return n, nil
	}
	if d.Json {
		return tree.ExpandJSON(text, d.At, n)
	}
	scratch, ok := d.File.Source.scratches.Get().(*tree.Scratch)
	if !ok {
		scratch = new(tree.Scratch)
	}
	defer d.File.Source.scratches.Put(scratch)
	return scratch.ExpandYAML(text, d.At, n)
}

// Reread reads the text and calls do with it, which must not keep it.
func (d Document) Reread(do func(text []byte) error) error {
	buffer := d.File.Source.Buffers.Get()
	defer d.File.Source.Buffers.Put(buffer)
	text, err := d.Read(buffer)
	if err != nil {
		return fmt.Errorf("%s cannot be read a second time: %w", d.File.Name, err)
	}
	return do(text)
}

// Read reads the text into the buffer.
func (d Document) Read(buffer *[]byte) ([]byte, error) {
	f, err := d.File.Source.Fsys.Open(d.File.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	*buffer = slices.Grow((*buffer)[:0], d.Size)
	text := (*buffer)[:d.Size]
	if err := readAt(f, text, d.Off); err != nil {
		return nil, fmt.Errorf("read %s again: %w", d.File.Name, err)
	}
	return text, nil
}

func readAt(f fs.File, text []byte, off int64) error {
	if r, ok := f.(io.ReaderAt); ok {
		n, err := r.ReadAt(text, off)
		if n == len(text) {
			return nil
		}
		return err
	}
	if _, err := io.CopyN(io.Discard, f, off); err != nil {
		return err
	}
	_, err := io.ReadFull(f, text)
	return err
}
