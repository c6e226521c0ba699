package gittree

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Commits, tags and trees are read here: go-git's package for them also signs and compares them, and imports OpenPGP.

// hashFields returns the hashes under a key of a commit or tag.
func hashFields(text []byte, key string) []hash {
	var all []hash
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" { // the message begins
			break
		}
		if value, ok := strings.CutPrefix(line, key+" "); ok && plumbing.IsHash(value) {
			all = append(all, plumbing.NewHash(value))
		}
	}
	return all
}

// hashField returns the only hash under a key.
func hashField(h hash, text []byte, key string) (hash, error) {
	all := hashFields(text, key)
	if len(all) != 1 {
		return hash{}, damagedError(h, fmt.Errorf("it names %d objects as its %s", len(all), key))
	}
	return all[0], nil
}

// node is something that a tree can hold.
type node struct {
	kind kind
	hash hash
}

type kind int

const (
	folder kind = iota
	regular
	link
	submodule // a folder whose files are in another repository
)

// entry is a node and its name in a folder.
type entry struct {
	name string
	node
}

// decodeTree reads the entries of a folder, each as MODE, a space, the name, a zero byte and the 20 bytes of a hash, and sorts them by
// name. Names that no folder on disk can have are an error.
func decodeTree(text []byte) ([]entry, error) {
	var entries []entry
	for len(text) > 0 {
		mode, rest, ok := bytes.Cut(text, []byte(" "))
		name, rest, ended := bytes.Cut(rest, []byte{0})
		if !ok || !ended || len(rest) < len(hash{}) {
			return nil, errors.New("a list of files that ends in the middle")
		}
		e := entry{name: string(name), node: node{hash: hash(rest)}}
		if e.kind, ok = parseMode(string(mode)); !ok {
			return nil, fmt.Errorf("%q is neither a file nor a folder: its mode is %q", name, mode)
		}
		if e.name == "" || e.name == "." || e.name == ".." || strings.Contains(e.name, "/") {
			return nil, fmt.Errorf("something is called %q, as no file can be", name)
		}
		entries, text = append(entries, e), rest[len(hash{}):]
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	for i := 1; i < len(entries); i++ {
		if entries[i].name == entries[i-1].name {
			return nil, fmt.Errorf("%q is in it twice", entries[i].name)
		}
	}
	return entries, nil
}

// parseMode returns the kind of a mode as git does, which ignores the permissions.
func parseMode(mode string) (kind, bool) {
	n, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return 0, false
	}
	switch n &^ 0o7777 {
	case 0o040000:
		return folder, true
	case 0o100000:
		return regular, true
	case 0o120000:
		return link, true
	case 0o160000:
		return submodule, true
	}
	return 0, false
}
