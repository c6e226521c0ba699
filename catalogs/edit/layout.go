package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// lastNonEmpty returns the last field of a key that has items, or nil.
func lastNonEmpty(n *tree.Node, key string) *tree.Field {
	for _, f := range slices.Backward(fields(n, key)) {
		if len(n.Fields[f].Value.Items) > 0 {
			return &n.Fields[f]
		}
	}
	return nil
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

// comma returns the text between the fields of an object in braces.
func (d *document) comma(object *tree.Node) string {
	if !d.flow(object) || object.Fields[0].Off <= object.Off { // or its first field is where a merge key has it from
		return ", "
	}
	if len(object.Fields) > 1 {
		if end, err := d.valueEnd(&object.Fields[0].Value); err == nil && end <= object.Fields[1].Off {
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

// bracketList returns a list in brackets for a key of an object: in JSON with each item in a line of its own if the fields of the object
// are, and the model of the list is not in one line.
func (d *document) bracketList(object *tree.Node, key int, items []string, model *tree.Field) string {
	between := d.comma(object)
	oneLine := !d.json || !strings.Contains(between, "\n")
	if model != nil && !oneLine {
		end, err := d.valueEnd(&model.Value)
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
