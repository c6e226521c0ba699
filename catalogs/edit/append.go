package edit

import (
	"bytes"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

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
