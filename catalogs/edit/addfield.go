package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// addField adds a list to an object, after the last of its fields that is a string in one line, and in the style of its neighbours.
func (d *document) addField(p path, key string, texts []string) (patch, error) {
	object, model := at(&d.root, p), d.model(p, key)
	behind, last, err := d.lastString(object)
	if err != nil {
		return patch{}, err
	}
	var s splice
	if d.flow(object) {
		s, err = d.flowField(object, behind, last.to, key, texts, model)
	} else {
		s = d.blockField(object, behind, last.to, key, texts, model)
	}
	return patch{[]splice{s}, p, func(n *tree.Node) {
		f := tree.Field{Key: key, Value: tree.Node{Kind: tree.List, Items: stringNodes(texts)}}
		n.Fields = slices.Insert(slices.Clone(n.Fields), behind+1, f)
	}}, err
}

// model returns the non-empty list under the key of a neighbour, or nil: of the nearest before the object, else of the nearest after it.
func (d *document) model(p path, key string) *tree.Field {
	if len(p) == 0 {
		return nil
	}
	list := at(&d.root, p.parent())
	none := key + " " + p.parent().key()
	if list.Kind != tree.List || d.noModel[none] {
		return nil
	}
	for i := p.last() - 1; i >= 0; i-- {
		if field := lastNonEmpty(&list.Items[i], key); field != nil {
			return field
		}
	}
	for i := p.last(); i < len(list.Items); i++ {
		if field := lastNonEmpty(&list.Items[i], key); field != nil {
			return field
		}
	}
	if d.noModel == nil {
		d.noModel = map[string]bool{}
	}
	d.noModel[none] = true
	return nil
}

// lastNonEmpty returns the last field of a key that has items, or nil.
func lastNonEmpty(n *tree.Node, key string) *tree.Field {
	for _, f := range slices.Backward(fields(n, key)) {
		if len(n.Fields[f].Value.Items) > 0 {
			return &n.Fields[f]
		}
	}
	return nil
}

// lastString returns the index and span of the last string of an object after which a field can be inserted.
func (d *document) lastString(object *tree.Node) (int, span, error) {
	for i := len(object.Fields) - 1; i >= 0; i-- {
		f := &object.Fields[i]
		if f.Value.Kind != tree.String || f.Value.Off < f.Off {
			continue
		}
		s, err := d.scalar(&f.Value, d.flow(object))
		if err == nil && (d.flow(object) || endsLine(d.text, s.to) && lineStart(d.text, s.from) == lineStart(d.text, f.Off)) {
			return i, s, nil
		}
	}
	return 0, span{}, ErrForm
}

func (d *document) blockField(object *tree.Node, behind, end int, key string, texts []string, model *tree.Field) splice {
	f := &object.Fields[behind]
	indent := strings.Repeat(" ", f.Off-lineStart(d.text, f.Off))
	items := d.quotedLike(texts, f, model)
	if model != nil && d.flow(&model.Value) {
		return d.insertLines(end, indent, []string{d.quote(key, 0) + ": [" + strings.Join(items, ", ") + "]"})
	}
	deeper := strings.Repeat(" ", d.listIndent(model))
	lines := []string{d.quote(key, 0) + ":"}
	for _, item := range items {
		lines = append(lines, deeper+"- "+item)
	}
	return d.insertLines(end, indent, lines)
}

// quotedLike returns strings in the style of the items of a model, or, without one, of a field.
func (d *document) quotedLike(texts []string, f, model *tree.Field) []string {
	if model != nil {
		return d.quoted(texts, d.quoting(&model.Value.Items[0]))
	}
	return d.quoted(texts, d.quoting(&f.Value))
}

// listIndent returns by how much the document indents a block list below its key.
func (d *document) listIndent(model *tree.Field) int {
	by := func(f *tree.Field) (int, bool) {
		n := f.Value.Off - lineStart(d.text, f.Value.Off) - (f.Off - lineStart(d.text, f.Off))
		return n, f.Value.Kind == tree.List && len(f.Value.Items) > 0 && !d.flow(&f.Value) && n >= 0 && n <= 8
	}
	if model != nil {
		if n, ok := by(model); ok {
			return n
		}
	}
	for i := range d.root.Fields {
		if n, ok := by(&d.root.Fields[i]); ok {
			return n
		}
	}
	return 0
}

func (d *document) flowField(object *tree.Node, behind, end int, key string, texts []string, model *tree.Field) (splice, error) {
	f := &object.Fields[behind]
	comma := d.comma(object)
	if !d.json && bytes.IndexByte(d.text[end:lineEnd(d.text, end)], '#') >= 0 {
		return splice{}, ErrComment
	}
	keyQuote := byte(0)
	if c := d.text[f.Off]; c == '"' || c == '\'' {
		keyQuote = c
	}
	colon := string(d.text[f.Off:f.Value.Off])
	colon = colon[strings.LastIndexByte(colon, ':'):]
	list := d.bracketed(object, f.Off, d.quotedLike(texts, f, model), model)
	return splice{end, end, comma + d.quote(key, keyQuote) + colon + list}, nil
}

// comma returns the text between the fields of an object in braces.
func (d *document) comma(object *tree.Node) string {
	if !d.flow(object) {
		return ", "
	}
	if len(object.Fields) > 1 {
		if end, err := d.end(&object.Fields[0].Value); err == nil && end <= object.Fields[1].Off {
			if between := string(d.text[end:object.Fields[1].Off]); strings.Trim(between, " \t\r\n") == "," {
				return between
			}
		}
	}
	first := d.text[object.Off+1 : object.Fields[0].Off]
	if bytes.IndexByte(first, '\n') >= 0 && len(bytes.Trim(first, " \t\r\n")) == 0 {
		return "," + string(first)
	}
	if d.json && object.Fields[0].Value.Off > 0 && d.text[object.Fields[0].Value.Off-1] == ':' {
		return ","
	}
	return ", "
}

// bracketed returns a list in brackets for a key of an object: in JSON with each item in a line of its own if the fields of the object
// are, and the model of the list is not in one line.
func (d *document) bracketed(object *tree.Node, key int, items []string, model *tree.Field) string {
	between := d.comma(object)
	oneLine := !d.json || !strings.Contains(between, "\n")
	if model != nil && !oneLine {
		end, err := d.end(&model.Value)
		oneLine = err == nil && bytes.IndexByte(d.text[model.Value.Off:end], '\n') < 0
	}
	if oneLine {
		if strings.Contains(between, "\n") {
			between = ", "
		}
		return "[" + strings.Join(items, between) + "]"
	}
	indent := string(d.text[lineStart(d.text, key):key])
	outer := d.text[lineStart(d.text, object.Off):]
	unit := strings.TrimPrefix(indent, string(outer[:len(outer)-len(bytes.TrimLeft(outer, " \t"))]))
	end := lineBreakAt(d.text, key)
	return "[" + end + indent + unit + strings.Join(items, ","+end+indent+unit) + end + indent + "]"
}
