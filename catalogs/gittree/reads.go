package gittree

import (
	"errors"
	"fmt"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/packed"
)

// reads are the files of a tree that were read, in whichever of its folders.
type reads struct {
	mu    sync.Mutex
	files map[hash]bool
	left  int64 // of Options.MaxSize
	max   int64
	fault *fault
}

func newReads(max int64) *reads { return &reads{files: map[hash]bool{}, left: max, max: max} }

// fault is why a file could not be read.
type fault struct {
	path string // "" if it is not the file's
	err  error
}

func (f *fault) Error() string {
	if f.path == "" {
		return f.err.Error()
	}
	return fmt.Sprintf("%s: %v", f.path, f.err)
}

func (f *fault) Unwrap() error { return f.err }

var errTooLarge = errors.New("raise --max-size if this is intended")

// text returns the text of a file, or the target of a link. An error is kept for Fault, with the path.
func (t *Tree) text(n node, path string) (*packed.Text, error) {
	err := t.reads.spend(n.hash, 0)
	var text *packed.Text
	if err == nil {
		text, err = t.store.text(n.hash)
	}
	if err == nil {
		err = t.reads.spend(n.hash, text.Size())
	}
	if err != nil {
		t.reads.setFault(path, err)
		return nil, err
	}
	return text, nil
}

// spend counts the bytes of a file, unless it was counted before. It returns an error if there are too many, or were.
func (r *reads) spend(h hash, n int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.files[h]:
		return nil
	case r.left >= n && n > 0:
		r.files[h] = true
	}
	if r.left -= n; r.left < 0 {
		return fmt.Errorf("its files have more than %d bytes: %w", r.max, errTooLarge)
	}
	return nil
}

// setFault keeps the fault of the first path in alphabetical order.
func (r *reads) setFault(path string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, errTooLarge) { // it depends on all files, not on the one that was read last
		path = ""
	}
	if r.fault == nil || path < r.fault.path {
		r.fault = &fault{path: path, err: err}
	}
}

func (r *reads) firstFault() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		return nil
	}
	return r.fault
}
