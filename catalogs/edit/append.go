package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// appendAll adds the texts of steps to the list under their key of an object.
func (d *document) appendAll(object path, steps []step, errs []error) patch {
	key := steps[0].change.Key
	there := map[string]bool{}
	if found := fields(at(&d.root, object), key); len(found) == 1 {
		for _, item := range at(&d.root, object).Fields[found[0]].Value.Items {
			if item.Kind == tree.String {
				there[item.Text] = true
			}
		}
	}
	var texts []string
	for i, s := range steps {
		fresh := slices.DeleteFunc(slices.Clone(s.change.Texts), func(text string) bool { return there[text] })
		if len(fresh) == 0 {
			errs[i] = ErrDone
		}
		for _, text := range fresh {
			there[text] = true
		}
		texts = append(texts, fresh...)
	}
	a, err := d.append(object, key, texts)
	for i := range errs {
		if err != nil && (errs[i] == nil || err != ErrDone) {
			errs[i] = err
		}
	}
	return a
}

// append adds strings to the list under a key of an object.
func (d *document) append(p path, key string, texts []string) (patch, error) {
	object := at(&d.root, p)
	found := fields(object, key)
	switch {
	case len(found) > 1:
		return patch{}, ErrRepeat
	case len(found) == 0:
		return d.addField(p, key, texts)
	}
	list := append(slices.Clone(p), found[0])
	n := at(&d.root, list)
	switch {
	case n.Kind != tree.List:
		return patch{}, ErrForm
	case len(texts) == 0:
		return patch{}, ErrDone
	}
	s, err := d.appendItems(object, n, list.last(), texts)
	return patch{[]splice{s}, list, func(n *tree.Node) { n.Items = slices.Concat(n.Items, stringNodes(texts)) }}, err
}

func stringNodes(texts []string) []tree.Node {
	nodes := make([]tree.Node, len(texts))
	for i, text := range texts {
		nodes[i] = tree.Node{Kind: tree.String, Text: text}
	}
	return nodes
}

func (d *document) appendItems(object, list *tree.Node, field int, texts []string) (splice, error) {
	switch {
	case d.flow(list) && len(list.Items) == 0:
		end, err := d.end(list)
		s := splice{from: list.Off, to: end}
		if err == nil {
			err = d.checkSplice(s)
		}
		s.text = d.bracketed(object, object.Fields[field].Off, d.quoted(texts, d.quoteNear(object)), nil)
		return s, err
	case d.flow(list):
		return d.appendFlow(object, list, texts)
	case len(list.Items) > 0:
		return d.appendBlock(list, texts)
	}
	return splice{}, ErrForm
}

// appendFlow adds items to a list in brackets, with the text between its last two before each.
func (d *document) appendFlow(object, list *tree.Node, texts []string) (splice, error) {
	spans, err := d.items(list)
	if err != nil {
		return splice{}, err
	}
	last := spans[len(spans)-1]
	end, err := d.end(list)
	if err != nil {
		return splice{}, err
	}
	if !d.json && bytes.IndexByte(d.text[last.to:end], '#') >= 0 {
		return splice{}, ErrComment
	}
	between := "," + string(d.text[list.Off+1:spans[0].from])
	if len(spans) > 1 {
		between = string(d.text[spans[len(spans)-2].to:last.from])
	} else if !strings.Contains(between, "\n") {
		between = d.comma(object)
	}
	if strings.Trim(between, " \t\r\n") != "," {
		between = ", "
	}
	quote := d.quoting(&list.Items[len(list.Items)-1])
	text := ""
	for _, item := range d.quoted(texts, quote) {
		text += between + item
	}
	return splice{last.to, last.to, text}, nil
}

// appendBlock adds lines to a block list, each like the last one.
func (d *document) appendBlock(list *tree.Node, texts []string) (splice, error) {
	last := &list.Items[len(list.Items)-1]
	s, err := d.scalar(last, false)
	if err != nil {
		return splice{}, err
	}
	before, ok := d.beforeItem(s.from)
	if !ok || !endsLine(d.text, s.to) {
		return splice{}, ErrForm
	}
	if strings.HasSuffix(before, "-") {
		before += " "
	}
	return d.insertLines(s.to, before, d.quoted(texts, d.quoting(last))), nil
}

// insertLines inserts lines after the one at an offset.
func (d *document) insertLines(off int, before string, lines []string) splice {
	end, to := lineBreakAt(d.text, off), lineEnd(d.text, off)
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(before + line + end)
	}
	if to == 0 || d.text[to-1] != '\n' { // the last line of the text has no line break, and keeps it so
		return splice{to, to, end + strings.TrimSuffix(text.String(), end)}
	}
	return splice{to, to, text.String()}
}

func (d *document) quoted(texts []string, quote byte) []string {
	var all []string
	for _, text := range texts {
		all = append(all, d.quote(text, quote))
	}
	return all
}

// quoteNear returns the quote of the first string of an object.
func (d *document) quoteNear(object *tree.Node) byte {
	for i := range object.Fields {
		if v := &object.Fields[i].Value; v.Kind == tree.String {
			return d.quoting(v)
		}
	}
	return 0
}
