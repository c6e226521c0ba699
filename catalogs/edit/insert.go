package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// insertItem inserts an item into a list before the one with an index, or at the end. It returns the item as it is written. object has the
// list as a field, or is nil.
func (d *document) insertItem(list *tree.Node, index int, item, object *tree.Node) (splice, tree.Node, error) {
	models := filterKin(item, nearestItems(list.Items, index))
	value := d.respell(*item, models)
	if len(list.Items) == 0 {
		return splice{}, value, ErrForm
	}
	made := d.applyStyle(&value, models, d.flow(list))
	if d.flow(list) {
		s, err := d.insertFlow(list, index, made, object)
		return s, value, err
	}
	s, err := d.insertBlock(list, index, item, made)
	return s, value, err
}

// insertBlock inserts lines between the items of a block list: next to the item before, or to that after it if only this is of its schema,
// and so below a comment that heads both.
func (d *document) insertBlock(list *tree.Node, index int, item *tree.Node, made written) (splice, error) {
	before, ok := "", false
	for _, i := range nearestIndexes(len(list.Items), index) {
		if before, ok = d.beforeItem(list.Items[i].Off); ok {
			break
		}
	}
	if !ok {
		return splice{}, ErrForm
	}
	at := 0
	switch {
	case index > 0 && (index == len(list.Items) || areKin(item, &list.Items[index-1]) || !areKin(item, &list.Items[index])):
		at = d.itemEnd(list.Items[index-1].Off)
	default:
		at = d.aboveComments(lineStart(d.text, list.Items[index].Off))
		if _, ok := d.beforeItem(list.Items[index].Off); !ok {
			return splice{}, ErrForm
		}
	}
	if strings.HasSuffix(before, "-") {
		before += " "
	}
	end := lineBreakAt(d.text, list.Items[0].Off)
	text := made.indent(before, end)
	if at > 0 && d.text[at-1] != '\n' {
		return splice{at, at, end + text}, nil
	}
	return splice{at, at, text + end}, nil
}

// aboveComments returns the start of the comments directly above a line, which are about it; of the line if there is a blank line above them: then
// they head more than it.
func (d *document) aboveComments(line int) int {
	from := line
	for line > 0 {
		above := lineStart(d.text, line-1)
		switch text := bytes.TrimSpace(d.text[above:line]); {
		case len(text) == 0:
			return from
		case text[0] != '#':
			return line
		}
		line = above
	}
	return line
}

// itemEnd returns the offset after the lines of an item of a block list.
func (d *document) itemEnd(off int) int {
	start := lineStart(d.text, off)
	dash := len(d.text[start:off]) - len(bytes.TrimLeft(d.text[start:off], " "))
	return d.blockLines(off, func(indent int, _ []byte) bool { return indent > dash })
}

// blockLines returns the offset after the line at an offset and those after it that belong to it. Blank lines and comments between are
// part of it, and those at the end are not unless they belong to it too.
func (d *document) blockLines(off int, belongs func(indent int, line []byte) bool) int {
	end := lineEnd(d.text, off)
	for at := end; at < len(d.text); {
		next := lineEnd(d.text, at)
		line := bytes.TrimLeft(d.text[at:next], " ")
		indent := next - at - len(line)
		blank := len(bytes.TrimSpace(line)) == 0
		switch {
		case !blank && belongs(indent, line):
			end = next
		case !blank && line[0] != '#':
			return end
		}
		at = next
	}
	return end
}

// insertFlow inserts an item into a list in brackets.
func (d *document) insertFlow(list *tree.Node, index int, made written, object *tree.Node) (splice, error) {
	spans, err := d.spans(list)
	if err != nil {
		return splice{}, err
	}
	if last := spans[len(spans)-1].to; index == len(spans) && !d.json && bytes.IndexByte(d.text[last:max(last, d.bracketEnd(list.Off))], '#') >= 0 {
		return splice{}, errComment // it would be behind the new one
	}
	comma := "," + string(d.text[list.Off+1:spans[0].from])
	if len(spans) > 1 {
		i := min(max(index, 1), len(spans)-1)
		comma = string(d.text[spans[i-1].to:spans[i].from])
	} else if object != nil && !strings.Contains(comma, "\n") {
		comma = d.comma(object)
	} else if !d.json && comma == "," {
		comma = ", "
	}
	text := made.text(lineBreakAt(d.text, list.Off))
	if len(bytes.Trim([]byte(comma), " \t\r\n")) != 1 {
		return d.insertAmongComments(list, spans, index, text)
	}
	if index == 0 {
		return splice{spans[0].from, spans[0].from, text + comma}, nil
	}
	return splice{spans[index-1].to, spans[index-1].to, comma + text}, nil
}

// insertAmongComments inserts an item into a list in brackets whose items have comments behind them.
func (d *document) insertAmongComments(list *tree.Node, spans []span, index int, text string) (splice, error) {
	open := string(d.text[list.Off+1 : spans[0].from])
	if strings.Trim(open, " \t\r\n") != "" || !strings.Contains(open, "\n") {
		return splice{}, ErrForm
	}
	if index < len(spans) {
		return splice{spans[index].from, spans[index].from, text + "," + open}, nil
	}
	return splice{spans[index-1].to, spans[index-1].to, "," + open + text}, nil
}

// insertIndex returns the index of the field after which a key is added.
func (d *document) insertIndex(object *tree.Node, key string, models []*tree.Node) int {
	var keys []string
	for i := range object.Fields {
		keys = append(keys, object.Fields[i].Key)
	}
	order := d.keyOrder(append(keys, key), models)
	behind := 0
	for i := range object.Fields {
		if slices.Index(order, object.Fields[i].Key) < slices.Index(order, key) {
			behind = max(behind, i)
		}
	}
	return behind
}

// insertField inserts a field after another one.
func (d *document) insertField(object *tree.Node, behind int, field *tree.Field, models []*tree.Node) (splice, error) {
	f := &object.Fields[behind]
	if f.Value.Off < f.Off {
		return splice{}, ErrForm
	}
	if d.flow(object) {
		end, err := d.valueEnd(&f.Value)
		if err != nil {
			return splice{}, err
		}
		text := d.comma(object) + d.bracedField(field, object, models)
		return splice{end, end, text}, nil
	}
	to, end := d.fieldEnd(f), lineBreakAt(d.text, f.Off)
	text := d.blockFieldLines(field, models).indent(strings.Repeat(" ", f.Off-lineStart(d.text, f.Off)), end)
	if d.text[to-1] != '\n' {
		return splice{to, to, end + text}, nil
	}
	return splice{to, to, text + end}, nil
}

// fieldEnd returns the offset after the lines of a field of a block object.
func (d *document) fieldEnd(f *tree.Field) int {
	column := f.Off - lineStart(d.text, f.Off)
	return d.blockLines(f.Off, func(indent int, line []byte) bool { return indent > column || indent == column && line[0] == '-' })
}

// fill writes items into an empty list in brackets, which is a field of an object.
func (d *document) fill(object *tree.Node, field int, items []tree.Node) (splice, error) {
	f := &object.Fields[field]
	end, err := d.valueEnd(&f.Value)
	s := splice{from: f.Value.Off, to: end}
	if err == nil {
		err = d.checkSplice(s)
	}
	s.text = d.bracketList(object, f.Off, d.quoteAll(itemTexts(items), d.quoteNear(object)), nil)
	return s, err
}

// nearestItems returns items, those nearest to an index first: of two those before it.
func nearestItems(items []tree.Node, index int) []*tree.Node {
	var all []*tree.Node
	for _, i := range nearestIndexes(len(items), index) {
		all = append(all, &items[i])
	}
	return all
}

func nearestIndexes(n, index int) []int {
	var all []int
	for by := 1; len(all) < n; by++ {
		if i := index - by; i >= 0 && i < n {
			all = append(all, i)
		}
		if i := index + by - 1; i >= 0 && i < n {
			all = append(all, i)
		}
	}
	return all
}

// filterKin returns those of some values that have the same schema as another one, or all of them if none has.
func filterKin(n *tree.Node, all []*tree.Node) []*tree.Node {
	kin := slices.DeleteFunc(slices.Clone(all), func(m *tree.Node) bool { return !areKin(n, m) })
	if len(kin) == 0 {
		return all
	}
	return kin
}

func areKin(a, b *tree.Node) bool { return schemaName(a) == schemaName(b) }

func schemaName(n *tree.Node) string {
	for i := range n.Fields {
		if strings.EqualFold(n.Fields[i].Key, "schema") {
			return n.Fields[i].Value.Text
		}
	}
	return ""
}
