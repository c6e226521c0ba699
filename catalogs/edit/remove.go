package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// remove removes a field, or the only item of a list with its key.
func (d *document) remove(p path) (patch, error) {
	if at(&d.root, p.parent()).Kind == tree.Map {
		return d.removeField(p)
	}
	if len(p) < 2 || at(&d.root, p.parent().parent()).Kind != tree.Map {
		return patch{}, ErrForm
	}
	return d.removeField(p.parent())
}

// items returns the spans of the items of a list in brackets.
func (d *document) items(list *tree.Node) ([]span, error) {
	spans := make([]span, len(list.Items))
	for i := range list.Items {
		end, err := d.end(&list.Items[i])
		if err != nil {
			return nil, err
		}
		spans[i] = span{list.Items[i].Off, end}
	}
	return spans, nil
}

// pairs returns the spans of the fields of an object in braces.
func (d *document) pairs(object *tree.Node) ([]span, error) {
	spans := make([]span, len(object.Fields))
	for i := range object.Fields {
		f := &object.Fields[i]
		end, err := d.end(&f.Value)
		if err != nil {
			return nil, err
		}
		spans[i] = span{f.Off, end}
	}
	return spans, nil
}

// flowCut removes one of several spans with the comma after it, or, if it is the last that is left, with the comma before it.
func (d *document) flowCut(spans []span, i int, last bool) (splice, error) {
	s := splice{from: spans[i].from}
	switch {
	case !last:
		s.to = spans[i+1].from
	case i == 0:
		return s, ErrForm
	default:
		s = splice{from: spans[i-1].to, to: spans[i].to}
	}
	return s, d.checkSplice(s)
}

// checkSplice rejects a splice that ends before it begins, or removes a comment.
func (d *document) checkSplice(s splice) error {
	if s.from > s.to {
		return ErrForm
	}
	if !d.json && bytes.IndexByte(d.text[s.from:s.to], '#') >= 0 {
		return ErrComment
	}
	return nil
}

// beforeItem returns the text before an item of a block list in its line, and false if that is not just its dash.
func (d *document) beforeItem(off int) (string, bool) {
	before := string(d.text[lineStart(d.text, off):off])
	behind, ok := strings.CutPrefix(strings.TrimLeft(before, " "), "-")
	return before, ok && strings.Trim(behind, " \t") == ""
}

// lines removes whole lines. If the last one has no line break, the line before it has none afterwards.
func (d *document) lines(from, to int) splice {
	s := splice{from: lineStart(d.text, from), to: lineEnd(d.text, to)}
	if s.to == len(d.text) && d.text[s.to-1] != '\n' && s.from > 0 {
		s.from -= len(lineBreakAt(d.text, s.from-1))
	}
	return s
}

func (d *document) removeField(p path) (patch, error) {
	object := at(&d.root, p.parent())
	if len(fields(object, object.Fields[p.last()].Key)) > 1 {
		return patch{}, ErrRepeat
	}
	if len(object.Fields) == 1 {
		return patch{}, ErrForm
	}
	s, err := d.fieldCut(object, p.last())
	return patch{[]splice{s}, p.parent(), func(n *tree.Node) {
		n.Fields = slices.Delete(slices.Clone(n.Fields), p.last(), p.last()+1)
	}}, err
}

// fieldCut returns the splice that removes a field of an object with others.
func (d *document) fieldCut(object *tree.Node, i int) (splice, error) {
	if d.flow(object) {
		spans, err := d.pairs(object)
		if err != nil {
			return splice{}, err
		}
		return d.flowCut(spans, i, i+1 == len(spans))
	}
	f := &object.Fields[i]
	end, err := d.blockEnd(&f.Value)
	if err != nil {
		return splice{}, err
	}
	if !endsLine(d.text, end) {
		return splice{}, ErrForm
	}
	s := d.lines(f.Off, end)
	if before := d.text[lineStart(d.text, f.Off):f.Off]; len(bytes.Trim(before, " ")) > 0 {
		if i+1 == len(object.Fields) { // it follows the dash of an item
			return splice{}, ErrForm
		}
		s = splice{from: f.Off, to: object.Fields[i+1].Off}
	}
	if s.from > s.to || end > s.to {
		return s, ErrForm
	}
	if ownComment(d.text[s.from:s.to]) {
		return s, ErrComment
	}
	return s, nil
}

// blockEnd returns the offset after a scalar, a list in brackets or a block list of one item.
func (d *document) blockEnd(n *tree.Node) (int, error) {
	switch {
	case n.Kind == tree.List && d.flow(n):
		return d.end(n)
	case n.Kind == tree.List && len(n.Items) == 1:
		s, err := d.scalar(&n.Items[0], false)
		if _, ok := d.beforeItem(s.from); err == nil && !ok {
			err = ErrForm
		}
		return s.to, err
	case n.Kind == tree.String || n.Kind == tree.Null:
		s, err := d.scalar(n, false)
		return s.to, err
	}
	return 0, ErrForm
}

// ownComment reports whether one of the lines is a comment.
func ownComment(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
			return true
		}
	}
	return false
}
