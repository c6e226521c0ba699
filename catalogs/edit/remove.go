package edit

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// spans returns the spans of the items of a list in brackets, or of the fields of an object in braces.
func (d *document) spans(n *tree.Node) (all []span, err error) {
	add := func(from int, value *tree.Node) {
		end, errValue := d.valueEnd(value)
		all, err = append(all, span{from, end}), cmp.Or(err, errValue)
	}
	for i := range n.Items {
		add(n.Items[i].Off, &n.Items[i])
	}
	for i := range n.Fields {
		add(n.Fields[i].Off, &n.Fields[i].Value)
	}
	return all, err
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
		return errComment
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

// cutter removes items from one list, from the last to the first.
type cutter struct {
	*document
	list  *tree.Node
	spans []span  // of the items of a list in brackets
	err   error   // why they are not known
	open  *splice // the last cut of lines, if it reaches the end of a text without a final line break
	gone  int     // items that are cut
}

func (d *document) cutter(list *tree.Node) *cutter {
	c := &cutter{document: d, list: list}
	if d.flow(list) {
		c.spans, c.err = d.spans(list)
	}
	return c
}

// removeItem returns the splice that removes an item.
func (c *cutter) removeItem(i int) (splice, error) {
	s, err := c.cut(i)
	if err == nil {
		c.gone++
	}
	return s, err
}

func (c *cutter) cut(i int) (splice, error) {
	item := &c.list.Items[i]
	switch {
	case c.err != nil:
		return splice{}, c.err
	case c.gone+1 == len(c.list.Items):
		return splice{}, ErrForm
	case c.flow(c.list):
		return c.flowCut(c.spans, i, i+1+c.gone == len(c.spans))
	}
	if _, ok := c.beforeItem(item.Off); !ok {
		return splice{}, ErrForm
	}
	s := splice{from: lineStart(c.text, item.Off)}
	if item.Kind != tree.Map && item.Kind != tree.List {
		text, err := c.scalar(item, false)
		if err != nil {
			return s, err
		}
		if !endsLine(c.text, text.to) {
			return s, ErrForm
		}
		s.to = lineEnd(c.text, text.to)
	} else if s.to = c.itemEnd(item.Off); c.losesComment(s) {
		return s, errComment
	}
	if s.to == len(c.text) && c.text[s.to-1] != '\n' && s.from > 0 { // then the line before it has no line break afterwards
		s.from -= len(lineBreakAt(c.text, s.from-1))
	}
	if c.open != nil && s.to > c.open.from && s.from > 0 { // the line break between them is removed already
		s = splice{from: s.from - len(lineBreakAt(c.text, s.from-1)), to: c.open.from}
	}
	if c.open = nil; c.text[s.from] == '\n' || c.text[s.from] == '\r' {
		c.open = &s
	}
	return s, nil
}

// cutField returns the splice that removes a field of an object with others.
func (d *document) cutField(object *tree.Node, i int) (splice, error) {
	f := &object.Fields[i]
	switch {
	case len(fields(object, f.Key)) > 1:
		return splice{}, errRepeat
	case len(object.Fields) == 1:
		return splice{}, ErrForm
	}
	s, err := d.fieldCut(object, i)
	if err == nil || d.flow(object) || f.Value.Off < f.Off {
		return s, err
	}
	isFirst := len(bytes.Trim(d.text[lineStart(d.text, f.Off):f.Off], " ")) > 0 // of an item, behind its dash
	switch {
	case isFirst && i+1 == len(object.Fields):
		return s, err
	case isFirst:
		s = splice{from: f.Off, to: object.Fields[i+1].Off}
	default:
		s = d.lines(f.Off, d.fieldEnd(f)-1)
	}
	if s.from > s.to {
		return s, ErrForm
	}
	if d.losesComment(s) {
		return s, errComment
	}
	return s, nil
}

// fieldCut returns the splice that removes a field of an object with others.
func (d *document) fieldCut(object *tree.Node, i int) (splice, error) {
	if d.flow(object) {
		spans, err := d.spans(object)
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
	if d.losesComment(s) {
		return s, errComment
	}
	return s, nil
}

// blockEnd returns the offset after a scalar, a list in brackets or a block list of one item.
func (d *document) blockEnd(n *tree.Node) (int, error) {
	switch {
	case n.Kind == tree.List && d.flow(n):
		return d.valueEnd(n)
	case n.Kind == tree.List && len(n.Items) == 1:
		s, err := d.scalar(&n.Items[0], false)
		if _, ok := d.beforeItem(s.from); err == nil && !ok {
			err = ErrForm
		}
		return s.to, err
	case n.Kind == tree.Number || n.Kind == tree.Bool:
		return plainEnd(d.text, n.Off, false), nil
	case n.Kind == tree.String || n.Kind == tree.Null:
		s, err := d.scalar(n, false)
		return s.to, err
	}
	return 0, ErrForm
}

// losesComment reports whether one of the lines that a splice removes is a comment.
func (d *document) losesComment(s splice) bool {
	for line := range bytes.Lines(d.text[s.from:s.to]) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
			return true
		}
	}
	return false
}
