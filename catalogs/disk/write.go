package disk

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces the text of a file. If it is a link, the file to which it leads is replaced. The mode is kept, and the owner where the user may set it. A
// file that is not regular, as a named pipe, is written to directly.
func Write(name string, text []byte) error {
	err := write(name, text)
	if errors.Is(err, fs.ErrNotExist) && !IsFolder(filepath.Dir(name)) {
		return fmt.Errorf("cannot write %s: its folder does not exist; create it first", name)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, Cause(err))
	}
	return nil
}

func write(name string, text []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, text, 0o666)
	}
	t, err := resolveTarget(name)
	if err != nil {
		return err
	}
	return t.replace(text, func() error { return nil })
}

// Create writes a file that is not there yet.
func Create(name string, text []byte) error {
	if _, err := os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return Write(name, text)
}

// Replacement is a new text for a file on disk that is not written yet.
type Replacement struct {
	name     string
	target   target
	old, new []byte
}

// Prepare checks that a file can be replaced: it exists, is not read-only, and still has the text old.
func Prepare(name string, old, new []byte) (*Replacement, error) {
	t, err := resolveTarget(filepath.FromSlash(name))
	if err == nil && t.info == nil {
		err = fs.ErrNotExist
	}
	r := &Replacement{name: name, target: t, old: old, new: new}
	if err == nil {
		err = r.checkUnchanged()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, Cause(err))
	}
	return r, nil
}

var errChanged = errors.New("the file has changed since it was read")

func (r *Replacement) checkUnchanged() error {
	text, err := Read(r.target.path, MaxText)
	if err == nil && !bytes.Equal(text, r.old) {
		err = errChanged
	}
	return err
}

// Commit writes the file as Write does, unless it has changed since Prepare.
func (r *Replacement) Commit() error {
	if err := r.target.replace(r.new, r.checkUnchanged); err != nil {
		return fmt.Errorf("write %s: %w", r.name, Cause(err))
	}
	return nil
}

// target is the file that is written: its path with all links followed, and what is there; if nothing is there, the path as it was given, and nil.
type target struct {
	path string
	info os.FileInfo
}

var errReadOnly = errors.New("the file is read-only")

func resolveTarget(name string) (target, error) {
	path, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		return target{path: name}, nil
	}
	if err != nil {
		return target{}, err
	}
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o222 == 0 {
		err = errReadOnly
	}
	return target{path, info}, err
}

// replace writes a text to a temporary file in the same folder and renames it to the target, unless check, called just before,
// returns an error. Other hard links of the target keep the old text.
func (t target) replace(text []byte, check func() error) error {
	temporary, err := t.writeTemporary(text)
	if err == nil {
		err = check()
	}
	if err == nil {
		err = os.Rename(temporary, t.path)
	}
	if err != nil {
		os.Remove(temporary)
		return err
	}
	if dir, err := os.Open(filepath.Dir(t.path)); err == nil { // makes the rename durable, where the system can
		dir.Sync()
		dir.Close()
	}
	return nil
}

// writeTemporary writes a text to a new file in the target's folder, with the target's mode and, where the user may give it away, its
// owner, and returns its path, also with an error.
func (t target) writeTemporary(text []byte) (path string, err error) {
	mode := fs.FileMode(0o666) // before the umask
	if t.info != nil {
		mode = t.info.Mode().Perm()
	}
	path = filepath.Join(filepath.Dir(t.path), temporaryPrefix+rand.Text())
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return path, err
	}
	_, err = f.Write(text)
	if t.info != nil && err == nil {
		keepOwner(f, t.info)
		err = f.Chmod(t.info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)) // after the owner, since changing that clears bits
	}
	if err == nil {
		err = f.Sync()
	}
	return path, errors.Join(err, f.Close())
}

const temporaryPrefix = ".olmgraph-"

// IsTemporary reports whether the name of a file is that of a temporary one, which is left where the process was killed.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && len(name) == len(temporaryPrefix)+len(rand.Text())
}
