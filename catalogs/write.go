package catalogs

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
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

// WriteFile makes a file hold a text. At any moment it holds what it did before, or the text as a whole. A link stays, and
// what it leads to is written, with the mode and the owner that it has. What is no regular file, as a pipe, is just written to.
func WriteFile(name string, text []byte) error {
	var err error
	if info, gone := os.Stat(name); gone == nil && !info.Mode().IsRegular() {
		err = os.WriteFile(name, text, 0o666)
	} else {
		err = replace(name, text)
	}
	if err != nil {
		return cannotWrite(name, err)
	}
	return nil
}

func cannotWrite(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot write %s: its folder does not exist, make it first", name)
	}
	return fmt.Errorf("cannot write %s: %w", name, cause(err))
}

func replace(name string, text []byte) error {
	d, err := destinationOf(name)
	if err != nil {
		return err
	}
	return d.put(text, func() error { return nil })
}

// Rewriting is a file on disk that is about to hold another text.
type Rewriting struct {
	name        string
	destination destination
	old, new    []byte
}

// Rewrite prepares to write a file, given the text that it was read with. It refuses one that holds another text by now, or
// that may not be written.
func Rewrite(name string, old, new []byte) (*Rewriting, error) {
	d, err := destinationOf(filepath.FromSlash(name))
	if err == nil && d.info == nil {
		err = fs.ErrNotExist
	}
	r := &Rewriting{name: name, destination: d, old: old, new: new}
	if err == nil {
		err = r.unchanged()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	return r, nil
}

var errChanged = errors.New("the file has changed since it was read")

func (r *Rewriting) unchanged() error {
	text, err := os.ReadFile(r.destination.target)
	if err == nil && !bytes.Equal(text, r.old) {
		err = errChanged
	}
	return err
}

// Write writes the file, as WriteFile does, unless somebody else has done so since.
func (r *Rewriting) Write() error {
	if err := r.destination.put(r.new, r.unchanged); err != nil {
		return fmt.Errorf("write %s: %w", r.name, cause(err))
	}
	return nil
}

// destination is where a text goes: what links lead to, and what is there, or nil.
type destination struct {
	target string
	info   os.FileInfo
	// write writes a text over what is there, and gives it a mode.
	write func(name string, text []byte, mode fs.FileMode) error
}

var errReadOnly = errors.New("the file is read-only")

func destinationOf(name string) (destination, error) {
	target, err := followed(name)
	if err != nil {
		return destination{}, err
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return destination{target: target}, nil
	case err == nil && info.Mode().Perm()&0o222 == 0:
		err = errReadOnly
	}
	return destination{target, info, overwrite}, err
}

// followed returns where links lead, be it to what is not there yet.
func followed(name string) (string, error) {
	target, err := filepath.EvalSymlinks(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	link, err := os.Readlink(name)
	if err != nil {
		return name, nil // is no link
	}
	if filepath.IsAbs(link) {
		return followed(link)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "", err
	}
	return followed(filepath.Join(dir, link))
}

// put writes a text beside the file and lets it take the file's place, if check allows that to the last. A file that has other
// names, or an owner that cannot be kept, is overwritten instead: whoever is killed then leaves the copy beside it, and so does a
// failure after which the file holds neither text.
func (d destination) put(text []byte, check func() error) error {
	temporary, kept, err := d.beside(text)
	if err != nil {
		return err
	}
	if err := check(); err != nil {
		os.Remove(temporary)
		return err
	}
	if d.info != nil && (!kept || hasOtherNames(d.info)) {
		err = d.over(text)
		if errors.Is(err, errLost) {
			return fmt.Errorf("%w; the new text is in %s", err, temporary)
		}
	} else {
		err = os.Rename(temporary, d.target)
	}
	os.Remove(temporary) // is gone by then if it took the place
	if err == nil {
		syncFolder(filepath.Dir(d.target))
	}
	return err
}

// errLost says that a file holds neither what it did nor what it should.
var errLost = errors.New("what it held is lost")

// over writes a text over what is there, and that again if it fails; if that fails too, the error is errLost and says why.
func (d destination) over(text []byte) error {
	old, err := os.ReadFile(d.target)
	if err != nil {
		return err
	}
	if err = d.write(d.target, text, modeOf(d.info)); err == nil {
		return nil
	}
	if again := d.write(d.target, old, modeOf(d.info)); again != nil {
		return fmt.Errorf("%v, and %w: %v", cause(err), errLost, cause(again)) // no PathError, of which cause would keep a part
	}
	return err
}

// overwrite writes a text into a file that is there. Writing can take bits of a mode away.
func overwrite(name string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Truncate(int64(len(text)))
	}
	if info, statErr := f.Stat(); err == nil && statErr == nil && modeOf(info) != mode {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// modeOf returns the bits of a file's mode that can be set.
func modeOf(info os.FileInfo) fs.FileMode {
	return info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// beside writes a text to a new file in the same folder, with the mode and owner of what is there, and returns its path, and
// whether the owner could be kept.
func (d destination) beside(text []byte) (path string, kept bool, err error) {
	mode := fs.FileMode(0o666) // less what the user's mask takes away
	if d.info != nil {
		mode = d.info.Mode().Perm()
	}
	path = filepath.Join(filepath.Dir(d.target), ".olmgraph-"+rand.Text())
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", false, err
	}
	kept, err = d.fill(f, text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return path, kept, err
}

func (d destination) fill(f *os.File, text []byte) (kept bool, err error) {
	if _, err := f.Write(text); err != nil {
		return false, err
	}
	kept = true
	if d.info != nil {
		kept = keepOwner(f, d.info) == nil
		if err := f.Chmod(modeOf(d.info)); err != nil && kept { // after the owner, which takes bits away
			return false, err
		}
	}
	return kept, f.Sync()
}

// syncFolder makes a rename last. Not every system can.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
