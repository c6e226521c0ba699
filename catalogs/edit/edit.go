// Package edit changes single values in the text of a YAML or JSON document, and documents of a file by their positions, and keeps every other byte.
//
// It parses each new text before it returns it: a change is made only if the document then has exactly the values that it had before,
// except those that the change is about. Other changes are rejected, with the reason.
package edit

import (
	"errors"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// The reasons for which a change is rejected.
var (
	ErrChanged = errors.New("the value to change is no longer there")
	errShared  = errors.New("through an anchor it is in several places")
	ErrForm    = errors.New("it is written in a form that is not edited")
	errComment = errors.New("a comment would be lost")
	errRepeat  = errors.New("its key occurs more than once")
	errDone    = errors.New("it is there already")
	errUnsure  = errors.New("other values of the document would change")
	errParse   = errors.New("the document cannot be read")
)

// document is a text and its values.
type document struct {
	text []byte
	json bool
	root tree.Node
}

func read(text []byte, json bool) (*document, error) {
	d := &document{text: text, json: json}
	at := tree.Place{Line: 1, Col: 1}
	if json {
		root, end, err := tree.ParseJSON(text, at, nil)
		if err != nil || end != len(text) {
			return nil, errParse
		}
		d.root = root
		return d, nil
	}
	root, lost, err := tree.ParseYAML(text, at, nil)
	if err != nil || lost != nil {
		return nil, errParse
	}
	d.root = root
	return d, nil
}

// splice replaces a piece of the text.
type splice struct {
	from, to int
	text     string
}

// commit applies splices, which are sorted, if the document then has the expected value.
func (d *document) commit(splices []splice, want tree.Node) error {
	var pieces [][]byte
	done := 0
	for _, s := range splices {
		if s.from < done {
			return ErrForm // two of them are about the same text
		}
		pieces = append(pieces, d.text[done:s.from], []byte(s.text))
		done = s.to
	}
	next, err := read(slices.Concat(append(pieces, d.text[done:])...), d.json)
	if err != nil || !equalNodes(&next.root, &want) {
		return errUnsure
	}
	*d = *next
	return nil
}
