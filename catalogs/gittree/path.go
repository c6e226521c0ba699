package gittree

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

var (
	errSubmodule = errors.New("a submodule")
	errNoFolder  = errors.New("not a folder")
	errOutside   = errors.New("a link that leads out of the repository")
)

// ErrNoPath is the error of a path that does not exist at a revision.
var ErrNoPath = errors.New("no such path")

// noPathError is an ErrNoPath with a message of its own.
type noPathError struct{ error }

func (noPathError) Is(target error) bool { return target == ErrNoPath }

// path returns the path from the root of the repository for one as in git show REVISION:PATH.
func (r *repository) path(name string) (string, error) {
	switch {
	case strings.HasPrefix(name, "/"):
		return "", fmt.Errorf("%s: want a path from the root of the repository, without / in front, or from the working directory, with ./", name)
	case name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"):
		if r.bare && path.Clean(name) != "." { // which can only be the root
			return "", fmt.Errorf("%s: a path from the working directory means nothing in a bare repository", name)
		}
		name = path.Join(r.prefix, name)
	}
	clean := path.Clean(name)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fmt.Errorf("%s: leads out of the repository", name)
	}
	return clean, nil
}

// noSuchPath returns the error for a path that does not exist: which part of it exists, or which path was probably meant.
func (r *repository) noSuchPath(t *Tree, revision, asked string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", asked, err)
	}
	if fromHere := path.Join(r.prefix, t.Path); fromHere != t.Path && !r.bare {
		if _, err := t.search(fromHere, true); err == nil {
			return noPath("there is no %s at %s: did you mean ./%s, from the working directory?", t.Path, revision, t.Path)
		}
	}
	there := t.Path
	for err != nil && there != "." {
		there = path.Dir(there)
		_, err = t.search(there, true)
	}
	if there == "." {
		return noPath("there is no %s at %s", t.Path, revision)
	}
	return noPath("there is no %s at %s, but there is %s", t.Path, revision, there)
}

func noPath(format string, args ...any) error { return noPathError{fmt.Errorf(format, args...)} }

// location is the path to a node without links, from the root of the repository.
type location []entry

func (f location) node() node { return f[len(f)-1].node }

// path returns the path as a string.
func (f location) path() string {
	var names []string
	for _, e := range f {
		names = append(names, e.name)
	}
	return path.Join(names...)
}

// search follows a path from the root of the repository, and links as the kernel does. Unless follow is set, the last name may be a
// link.
func (t *Tree) search(name string, follow bool) (location, error) {
	at := location{{name: ".", node: t.root}}
	rest := strings.Split(name, "/")
	for hops := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		next, err := t.child(at, name)
		if err != nil {
			return nil, err
		}
		if at = next; at.node().kind != link || !follow && len(rest) == 0 {
			continue
		}
		if hops++; hops > maxHops {
			return nil, errors.New("a link in a cycle, or in a long chain")
		}
		target, err := t.target(at)
		if err != nil {
			return nil, err
		}
		at, rest = at[:len(at)-1], append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}

// child follows one name of a path.
func (t *Tree) child(at location, name string) (location, error) {
	dir := at.node()
	switch {
	case dir.kind != folder && dir.kind != submodule:
		return nil, errNoFolder
	case name == "" || name == ".":
		return at, nil
	case name == ".." && len(at) == 1:
		return nil, errOutside
	case name == "..":
		return at[:len(at)-1], nil
	case dir.kind == submodule:
		return nil, fmt.Errorf("%w: what is in it is in another repository", errSubmodule)
	}
	entries, err := t.store.folder(dir.hash)
	if err != nil {
		return nil, err
	}
	i, ok := find(entries, name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return append(at, entries[i]), nil
}

// target returns the target of a link.
func (t *Tree) target(at location) (string, error) {
	text, err := t.text(at.node(), at.path())
	if err != nil {
		return "", err
	}
	if text.Size() > maxLink {
		return "", errors.New("a link to a path that is too long")
	}
	target := make([]byte, text.Size())
	if _, err := t.store.cache.Reader(text).ReadAt(target, 0); err != nil {
		return "", err
	}
	if strings.HasPrefix(string(target), "/") {
		return "", errOutside
	}
	return string(target), nil
}
