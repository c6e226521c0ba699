package edit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// OpKind says what an Op does.
type OpKind int

const (
	// InsertItem inserts Value before the item of a list that has the Index, or after its last one. It is written like the Models, or
	// like the items of the list. It is next to the item before it, or if Before is set to that after it: then below a comment that heads this and
	// the items after it.
	InsertItem OpKind = iota
	// RemoveItem removes the item of a list that has the Index. One item has to be left.
	RemoveItem
	// SetField sets the Key of an object to Value. A list that is there already is only extended: Value begins with its items.
	SetField
	// RemoveField removes the Key of an object.
	RemoveField
)

// Op is a change of a list or an object of a document. Path leads to it from the root: the index of a field in an object, of an item in
// a list.
type Op struct {
	Kind   OpKind
	Path   []int
	Index  int
	Before bool // see InsertItem
	Key    string
	Value  tree.Node
	Models []*tree.Node // of the document; may be nil
}

// Restructure applies the operations that ops returns for the values of a document, and keeps every other byte. What is new is written in
// the style of its neighbours: block or flow, indentation, quotes, order and spelling of keys. The text is not changed if one of the
// operations is rejected. Paths and indexes are those before the operations.
func Restructure(text []byte, json bool, ops func(root *tree.Node) ([]Op, error)) ([]byte, error) {
	d, err := read(text, json)
	if err != nil {
		return text, err
	}
	all, err := ops(&d.root)
	if err != nil || len(all) == 0 {
		return text, err
	}
	all = slices.Clone(all)
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b Op) int {
		return cmp.Or(cmp.Compare(len(b.Path), len(a.Path)), slices.Compare(a.Path, b.Path), cmp.Compare(b.Index, a.Index))
	})
	want, removed := d.root, map[string]*cutter{}
	var splices []splice
	same := 0 // the first splice of the same list or object
	for i := range all {
		op := &all[i]
		s, change, err := d.op(op, removed)
		if err != nil {
			return text, err
		}
		if i > 0 && !slices.Equal(all[i-1].Path, op.Path) {
			same = len(splices)
		}
		splices = slices.Insert(splices, same, s...) // those of one place in the order of the operations, and of what is inside before what is around
		want = changedAt(want, op.Path, change)
	}
	sorted, ok := ordered([]patch{{splices: splices}})
	if !ok {
		return text, ErrForm
	}
	if err := d.commit(sorted, want); err != nil {
		return text, err
	}
	return d.text, nil
}

// Like returns the text of a new document with a value, in the style of a document. It has no line break at its end.
func Like(text []byte, json bool, value tree.Node) ([]byte, error) {
	d, err := read(text, json)
	if err != nil {
		return nil, err
	}
	want := d.spelt(value, []*tree.Node{&d.root})
	made := []byte(d.styled(&want, []*tree.Node{&d.root}).text(lineBreakAt(d.text, 0)))
	again, err := read(made, json)
	if err != nil || !same(&again.root, &want) {
		return nil, ErrForm
	}
	return made, nil
}

// changedAt returns a value in which the one at the end of a path is changed. It shares the others.
func changedAt(n tree.Node, p path, change func(*tree.Node)) tree.Node {
	switch {
	case len(p) == 0:
		change(&n)
	case n.Kind == tree.Map:
		n.Fields = slices.Clone(n.Fields)
		n.Fields[p[0]].Value = changedAt(n.Fields[p[0]].Value, p[1:], change)
	default:
		n.Items = slices.Clone(n.Items)
		n.Items[p[0]] = changedAt(n.Items[p[0]], p[1:], change)
	}
	return n
}

// op returns how an operation changes the text and the value.
func (d *document) op(op *Op, removed map[string]*cutter) ([]splice, func(*tree.Node), error) {
	n := at(&d.root, op.Path)
	if want := map[OpKind]tree.Kind{InsertItem: tree.List, RemoveItem: tree.List, SetField: tree.Map, RemoveField: tree.Map}[op.Kind]; n.Kind != want {
		return nil, nil, ErrForm
	}
	switch op.Kind {
	case InsertItem:
		s, value, err := d.insertItem(n, op)
		return []splice{s}, func(n *tree.Node) { n.Items = slices.Insert(slices.Clone(n.Items), op.Index, value) }, err
	case RemoveItem:
		key := path(op.Path).key()
		if removed[key] == nil {
			removed[key] = d.cutter(n)
		}
		s, err := removed[key].cutObject(op.Index)
		return []splice{s}, func(n *tree.Node) { n.Items = slices.Delete(slices.Clone(n.Items), op.Index, op.Index+1) }, err
	case SetField:
		return d.setField(op, n)
	}
	s, err := d.cutField(op.Path, n, op.Key)
	return []splice{s}, func(n *tree.Node) {
		n.Fields = slices.DeleteFunc(slices.Clone(n.Fields), func(f tree.Field) bool { return f.Key == op.Key })
	}, err
}

// insertItem inserts an item into a list.
func (d *document) insertItem(list *tree.Node, op *Op) (splice, tree.Node, error) {
	models := op.Models
	if models == nil {
		models = nearest(list.Items, op.Index)
	}
	value := d.spelt(op.Value, models)
	if len(list.Items) == 0 || op.Index > len(list.Items) {
		return splice{}, value, ErrForm
	}
	made := d.styled(&value, models)
	if d.flow(list) {
		s, err := d.insertFlow(list, op.Index, made)
		return s, value, err
	}
	s, err := d.insertBlock(list, op, made)
	return s, value, err
}

// insertBlock inserts lines between the items of a block list.
func (d *document) insertBlock(list *tree.Node, op *Op, made written) (splice, error) {
	index := op.Index
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
	case index > 0 && (!op.Before || index == len(list.Items)):
		at = d.itemEnd(list.Items[index-1].Off)
	default:
		at = d.aboveComments(lineStart(d.text, list.Items[index].Off))
		if _, ok := d.beforeItem(list.Items[index].Off); !ok {
			return splice{}, ErrForm
		}
	}
	end := lineBreakAt(d.text, list.Items[0].Off)
	text := made.indented(before, end)
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
func (d *document) insertFlow(list *tree.Node, index int, made written) (splice, error) {
	spans, err := d.items(list)
	if err != nil {
		return splice{}, err
	}
	comma := "," + string(d.text[list.Off+1:spans[0].from])
	if len(spans) > 1 {
		i := min(max(index, 1), len(spans)-1)
		comma = string(d.text[spans[i-1].to:spans[i].from])
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
	to := spans[index-1].to
	if !endsLine(d.text, to) || bytes.IndexByte(d.text[to:lineEnd(d.text, to)], '#') >= 0 {
		return splice{}, ErrForm // the comment would be behind the new one
	}
	return splice{to, to, "," + open + text}, nil
}

// cutObject is cut for an item that is an object. Items are removed from the last one to the first.
func (c *cutter) cutObject(i int) (splice, error) {
	gone := c.gone
	c.gone++
	switch {
	case c.err != nil:
		return splice{}, c.err
	case c.gone == len(c.list.Items):
		return splice{}, ErrForm
	case c.flow(c.list):
		return c.flowCut(c.spans, i, i+1+gone == len(c.spans))
	}
	off := c.list.Items[i].Off
	if _, ok := c.beforeItem(off); !ok {
		return splice{}, ErrForm
	}
	s := splice{from: lineStart(c.text, off), to: c.itemEnd(off)}
	if s.to == len(c.text) && c.text[s.to-1] != '\n' && s.from > 0 {
		s.from -= len(lineBreakAt(c.text, s.from-1))
	}
	if ownComment(c.text[s.from:s.to]) {
		return s, ErrComment
	}
	return s, nil
}

// setField sets a field of an object, which is added where its neighbours have it.
func (d *document) setField(op *Op, object *tree.Node) ([]splice, func(*tree.Node), error) {
	found := fields(object, op.Key)
	switch {
	case len(found) > 1:
		return nil, nil, ErrRepeat
	case len(found) == 1 && op.Value.Kind == tree.List:
		s, err := d.extend(object, found[0], op.Value.Items)
		return []splice{s}, func(n *tree.Node) { n.Fields = setValue(n.Fields, found[0], op.Value) }, err
	case len(found) == 1:
		a, err := d.replace(append(slices.Clone(op.Path), found[0]), op.Value.Text)
		return a.splices, func(n *tree.Node) { n.Fields = setValue(n.Fields, found[0], op.Value) }, err
	}
	models := op.Models
	if models == nil && len(op.Path) > 0 {
		if list := at(&d.root, path(op.Path).parent()); list.Kind == tree.List {
			models = nearest(list.Items, path(op.Path).last())
		}
	}
	models = slices.DeleteFunc(slices.Clone(models), func(m *tree.Node) bool { return m == object })
	models = append([]*tree.Node{object}, models...)
	field := tree.Field{Key: spelling(op.Key, models), Value: op.Value}
	behind := d.behind(object, field.Key, models)
	s, err := d.insertField(object, behind, &field, models)
	return []splice{s}, func(n *tree.Node) { n.Fields = slices.Insert(slices.Clone(n.Fields), behind+1, field) }, err
}

func setValue(all []tree.Field, i int, value tree.Node) []tree.Field {
	all = slices.Clone(all)
	all[i].Value = value
	return all
}

// extend appends strings to a list that the first of them are in already.
func (d *document) extend(object *tree.Node, field int, items []tree.Node) (splice, error) {
	list := &object.Fields[field].Value
	n := len(list.Items)
	if list.Kind != tree.List || len(items) <= n || !slices.EqualFunc(list.Items, items[:n], func(a, b tree.Node) bool { return same(&a, &b) }) {
		return splice{}, ErrForm
	}
	return d.appendItems(object, list, field, textsOf(items[n:]))
}

func textsOf(items []tree.Node) []string {
	var texts []string
	for _, n := range items {
		texts = append(texts, n.Text)
	}
	return texts
}

// behind returns the index of the field after which a key is added.
func (d *document) behind(object *tree.Node, key string, models []*tree.Node) int {
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
		end, err := d.end(&f.Value)
		if err != nil {
			return splice{}, err
		}
		text := d.comma(object) + d.bracedField(field, object, models)
		return splice{end, end, text}, nil
	}
	start := lineStart(d.text, f.Off)
	column := f.Off - start
	to := d.blockLines(f.Off, func(indent int, line []byte) bool { return indent > column || indent == column && line[0] == '-' })
	end := lineBreakAt(d.text, f.Off)
	text := d.blockFieldLines(field, models).indented(string(bytes.Repeat([]byte(" "), column)), end)
	if d.text[to-1] != '\n' {
		return splice{to, to, end + text}, nil
	}
	return splice{to, to, text + end}, nil
}

// cutField removes a field of an object with others.
func (d *document) cutField(object path, n *tree.Node, key string) (splice, error) {
	i := slices.IndexFunc(n.Fields, func(f tree.Field) bool { return f.Key == key })
	switch {
	case i < 0:
		return splice{}, ErrChanged
	case len(fields(n, key)) > 1:
		return splice{}, ErrRepeat
	case len(n.Fields) == 1:
		return splice{}, ErrForm
	}
	f := &n.Fields[i]
	if s, err := d.fieldCut(n, i); err == nil || d.flow(n) || f.Value.Off < f.Off {
		return s, err
	}
	start := lineStart(d.text, f.Off)
	column := f.Off - start
	to := d.blockLines(f.Off, func(indent int, line []byte) bool { return indent > column || indent == column && line[0] == '-' })
	s := splice{from: start, to: to}
	if len(bytes.Trim(d.text[start:f.Off], " ")) > 0 || to == len(d.text) || d.text[to-1] != '\n' {
		return s, ErrForm
	}
	if ownComment(d.text[s.from:s.to]) {
		return s, ErrComment
	}
	return s, nil
}

// nearest returns items, those nearest to an index first: of two those before it.
func nearest(items []tree.Node, index int) []*tree.Node {
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
