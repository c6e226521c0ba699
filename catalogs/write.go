package catalogs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/olmgraph/olmgraph/catalogs/image"
)

// IsPath reports whether a reference is a path on disk to something else than an image.
func IsPath(ref string) bool {
	s, _, ok := schemeOf(ref)
	if ref == "-" || ok {
		return ok && s.prefix == "dir:"
	}
	_, isImage := image.Recognise(ref)
	return !isImage
}

// Rewriting is a file on disk that is about to hold another text.
type Rewriting struct {
	name, target string // the target of a link stands for it
	info         os.FileInfo
	old, new     []byte
}

// Rewrite prepares to write a file, given the text that it was read with. It refuses one that holds another text by now, or
// that may not be written.
func Rewrite(name string, old, new []byte) (*Rewriting, error) {
	target, err := filepath.EvalSymlinks(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	case info.Mode().Perm()&0o222 == 0:
		return nil, fmt.Errorf("%s: the file is read-only", name)
	}
	r := &Rewriting{name: name, target: target, info: info, old: old, new: new}
	return r, r.unchanged()
}

var errChanged = errors.New("the file has changed since it was read")

func (r *Rewriting) unchanged() error {
	text, err := os.ReadFile(r.target)
	if err == nil && !bytes.Equal(text, r.old) {
		err = errChanged
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, cause(err))
	}
	return nil
}

// Write writes the file. At any moment it holds the old text or the new one, as a whole.
func (r *Rewriting) Write() error {
	temporary, err := r.beside()
	if err == nil {
		defer os.Remove(temporary) // is gone by then, unless something fails
		if err := r.unchanged(); err != nil {
			return err
		}
		err = os.Rename(temporary, r.target)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", r.name, cause(err))
	}
	syncFolder(filepath.Dir(r.target))
	return nil
}

// beside writes the new text to a file in the same folder, with the same mode and owner, and returns its path.
func (r *Rewriting) beside() (path string, err error) {
	f, err := os.CreateTemp(filepath.Dir(r.target), ".olmgraph-*")
	if err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(r.new); err != nil {
		return "", err
	}
	keepOwner(f, r.info)
	if err := f.Chmod(r.info.Mode().Perm()); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
}

// syncFolder makes a rename last. Not every system can.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
