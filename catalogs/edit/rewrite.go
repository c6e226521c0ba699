package edit

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// rewrite changes a document as a function changes its value, and keeps every other byte. What stays keeps its Place, and what is new has
// none: it is written in the style of its neighbours, block or flow, with their indentation, quotes, and order and spelling of keys. If
// the function returns an error, or the text cannot be changed so, it stays as it is.
func rewrite(text []byte, json bool, change func(root *tree.Node) error) ([]byte, error) {
	d, err := read(text, json)
	if err != nil {
		return text, err
	}
	root := clone(&d.root)
	if err := change(&root); err != nil {
		return text, err
	}
	r := d.spliceTo(&root)
	if len(r.faults) > 0 {
		return text, r.faults[0].err
	}
	if err := d.commit(r.splices, r.root); err != nil {
		return text, err
	}
	return d.text, nil
}

// formatLike returns the text of a new document with a value, in the style of a document. It has no line break at its end.
func formatLike(text []byte, json bool, value tree.Node) ([]byte, error) {
	d, err := read(text, json)
	if err != nil {
		return nil, err
	}
	want := d.respell(value, []*tree.Node{&d.root})
	made := []byte(d.applyStyle(&want, []*tree.Node{&d.root}, false).text(lineBreakAt(d.text, 0)))
	again, err := read(made, json)
	if err != nil || !equalNodes(&again.root, &want) {
		return nil, ErrForm
	}
	return made, nil
}

// clone returns a copy that shares nothing.
func clone(n *tree.Node) tree.Node {
	out := *n
	out.Fields, out.Items = slices.Clone(n.Fields), slices.Clone(n.Items)
	for i := range out.Fields {
		out.Fields[i].Value = clone(&out.Fields[i].Value)
	}
	for i := range out.Items {
		out.Items[i] = clone(&out.Items[i])
	}
	return out
}
