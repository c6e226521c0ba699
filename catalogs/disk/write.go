package disk

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Write replaces the text of a file. If it is a link, the file to which it leads is replaced. The mode and the owner are kept. A
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
	t, err := targetOf(name)
	if err != nil {
		return err
	}
	return t.replace(text, func() error { return nil })
}

// Create writes a file that is not there yet.
func Create(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	f.Close()
	if err = Write(name, text); err != nil {
		os.Remove(name)
	}
	return err
}

// Replacement is a new text for a file on disk that is not written yet.
type Replacement struct {
	name     string
	target   target
	old, new []byte
}

// Prepare checks that a file can be replaced: it exists, is not read-only, and still has the text old.
func Prepare(name string, old, new []byte) (*Replacement, error) {
	t, err := targetOf(filepath.FromSlash(name))
	if err == nil && t.info == nil {
		err = fs.ErrNotExist
	}
	r := &Replacement{name: name, target: t, old: old, new: new}
	if err == nil {
		err = r.unchanged()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, Cause(err))
	}
	return r, nil
}

var errChanged = errors.New("the file has changed since it was read")

func (r *Replacement) unchanged() error {
	text, err := Read(r.target.path, MaxText)
	if err == nil && !bytes.Equal(text, r.old) {
		err = errChanged
	}
	return err
}

// Commit writes the file as Write does, unless it has changed since Prepare.
func (r *Replacement) Commit() error {
	if err := r.target.replace(r.new, r.unchanged); err != nil {
		return fmt.Errorf("write %s: %w", r.name, Cause(err))
	}
	return nil
}

// target is the file that is written: its path with all links followed, and what is there, nil if nothing is.
type target struct {
	path string
	info os.FileInfo
	// overwrite writes a text into the file that is there, and sets its mode.
	overwrite func(name string, text []byte, mode fs.FileMode) error
}

var errReadOnly = errors.New("the file is read-only")

func targetOf(name string) (target, error) {
	path, err := followLinks(name)
	if err != nil {
		return target{}, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target{path: path}, nil
	case err == nil && info.Mode().Perm()&0o222 == 0:
		err = errReadOnly
	}
	return target{path, info, overwrite}, err
}

// followLinks returns where links lead, be it to a file that does not exist yet.
func followLinks(name string) (string, error) {
	path, err := filepath.EvalSymlinks(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	link, err := os.Readlink(name)
	if err != nil {
		return name, nil // not a link
	}
	if filepath.IsAbs(link) {
		return followLinks(link)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "", err
	}
	return followLinks(filepath.Join(dir, link))
}

// replace writes a text to a temporary file in the same folder and renames it to the target, unless check, called just before,
// returns an error. A target with further hard links, or with an owner that cannot be kept, is overwritten in place instead: if the
// process is killed then, the temporary file stays, and so it does after an error that leaves the target with neither text.
func (t target) replace(text []byte, check func() error) error {
	temporary, sameOwner, err := t.writeTemporary(text)
	if err != nil {
		return err
	}
	if err := check(); err != nil {
		os.Remove(temporary)
		return err
	}
	if t.info != nil && (!sameOwner || hasOtherNames(t.info)) {
		err = t.overwriteOrRestore(text)
		if errors.Is(err, errLost) {
			return fmt.Errorf("%w; the new text is in %s", err, temporary)
		}
	} else {
		err = os.Rename(temporary, t.path)
	}
	os.Remove(temporary) // does not exist any more if it was renamed
	if err == nil {
		t.syncFolder()
	}
	return err
}

// errLost means that a file has neither the old text nor the new one.
var errLost = errors.New("its content is lost")

// overwriteOrRestore overwrites the target in place. If that fails it writes the old text again; if that fails too, the error is
// errLost and has both causes.
func (t target) overwriteOrRestore(text []byte) error {
	old, err := Read(t.path, MaxText)
	if err != nil {
		return err
	}
	if err = t.overwrite(t.path, text, modeOf(t.info)); err == nil {
		return nil
	}
	if again := t.overwrite(t.path, old, modeOf(t.info)); again != nil {
		return fmt.Errorf("%v, and %w: %v", Cause(err), errLost, Cause(again)) // %v: Cause must not find a PathError in it
	}
	return err
}

// overwrite writes a text into a file that exists, and then sets its mode, of which writing can clear bits.
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

// writeTemporary writes a text to a new file in the target's folder, with the target's mode and owner, and returns its path, and
// whether it has that owner.
func (t target) writeTemporary(text []byte) (path string, sameOwner bool, err error) {
	mode := fs.FileMode(0o666) // before the umask
	if t.info != nil {
		mode = t.info.Mode().Perm()
	}
	path = filepath.Join(filepath.Dir(t.path), t.temporary()+rand.Text())
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", false, err
	}
	sameOwner, err = t.fill(f, text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return path, sameOwner, err
}

func (t target) fill(f *os.File, text []byte) (sameOwner bool, err error) {
	if _, err := f.Write(text); err != nil {
		return false, err
	}
	sameOwner = true
	if t.info != nil {
		sameOwner = keepOwner(f, t.info) == nil
		if err := f.Chmod(modeOf(t.info)); err != nil && sameOwner { // after the owner, since changing that clears bits
			return false, err
		}
	}
	return sameOwner, f.Sync()
}

// temporary returns what the names of the target's temporary files begin with.
func (t target) temporary() string {
	return fmt.Sprintf("%s%08x-", temporaryPrefix, crc32.ChecksumIEEE([]byte(filepath.Base(t.path))))
}

const temporaryPrefix = ".olmgraph-"

// IsTemporary reports whether the name of a file is that of a temporary one, which is left where the process was killed.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && len(name) == len(temporaryPrefix)+9+len(rand.Text())
}

// leftAfter is how old a temporary file is that no other process can be about to rename.
const leftAfter = time.Hour

// syncFolder makes a rename durable, where the system can, and removes temporary files of the target that were left.
func (t target) syncFolder() {
	dir := filepath.Dir(t.path)
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	f.Sync()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if !strings.HasPrefix(name, t.temporary()) || !IsTemporary(name) {
			continue
		}
		left := filepath.Join(dir, name)
		if info, err := os.Lstat(left); err == nil && time.Since(info.ModTime()) > leftAfter {
			os.Remove(left)
		}
	}
}
