package edit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// written is a value as text: lines of block style, or one that may hold line breaks of its own.
type written struct {
	lines []string
	flow  bool
}

// text returns the lines without indentation.
func (w written) text(end string) string { return strings.Join(w.lines, end) }

// indent returns the lines with what is before the first one, and the others below it.
func (w written) indent(before, end string) string {
	hanging := strings.Repeat(" ", len(before))
	return before + strings.Join(w.lines, end+hanging)
}

// indentBelow returns the lines as those of a value of a key or an item: below it, after some blanks.
func indentBelow(lines []string, indent string) []string {
	var all []string
	for _, line := range lines {
		all = append(all, indent+line)
	}
	return all
}

// applyStyle returns a value in the style of models, the most important first. flow says that it is inside brackets.
func (d *document) applyStyle(n *tree.Node, models []*tree.Node, flow bool) written {
	models = slices.DeleteFunc(slices.Clone(models), func(m *tree.Node) bool { return m.Kind != n.Kind })
	flow = flow || n.Kind != tree.String && d.isFlow(models)
	switch {
	case n.Kind == tree.String:
		return written{lines: []string{d.quote(n.Text, d.modelQuote(models))}, flow: true}
	case n.Kind == tree.Map && flow:
		return written{lines: []string{d.flowMap(n, models)}, flow: true}
	case n.Kind == tree.Map:
		var lines []string
		for i := range n.Fields {
			lines = append(lines, d.blockFieldLines(&n.Fields[i], models).lines...)
		}
		return written{lines: lines}
	case flow:
		return written{lines: []string{d.flowList(n, models)}, flow: true}
	}
	return written{lines: d.blockItems(n, models)}
}

// isFlow reports whether the first model that is not empty is in brackets.
func (d *document) isFlow(models []*tree.Node) bool {
	for _, m := range models {
		if m.Off > 0 || len(m.Fields) > 0 { // else made of strings that are nowhere together
			return len(m.Items)+len(m.Fields) > 0 && d.flow(m)
		}
	}
	return d.json
}

// modelQuote returns the quote of the first string of models, 0 if they have none.
func (d *document) modelQuote(models []*tree.Node) byte {
	for _, m := range models {
		if m.Kind == tree.String && m.Off < len(d.text) {
			return d.quoteByte(m)
		}
	}
	return 0
}

// values returns the values of a key of models, and, of strings without one, those of their other strings.
func values(models []*tree.Node, key string, kind tree.Kind) []*tree.Node {
	var all, others []*tree.Node
	for _, m := range models {
		for i := range m.Fields {
			f := &m.Fields[i]
			switch {
			case strings.EqualFold(f.Key, key):
				all = append(all, &f.Value)
			case kind == tree.String && f.Value.Kind == tree.String:
				others = append(others, &f.Value)
			}
		}
	}
	return append(all, others...)
}

// modelItems returns the items of models.
func modelItems(models []*tree.Node) []*tree.Node {
	var all []*tree.Node
	for _, m := range models {
		for i := range slices.Backward(m.Items) {
			all = append(all, &m.Items[i])
		}
	}
	return all
}

// key returns a key as models write it, with what is between it and its value.
func (d *document) key(key string, models []*tree.Node) string {
	between := ": "
	if d.json {
		between = ":"
	}
	for _, exact := range []bool{true, false} {
		for _, m := range models {
			for i := range m.Fields {
				f := &m.Fields[i]
				if f.Value.Off <= f.Off || f.Value.Off > len(d.text) || exact && f.Key != key {
					continue
				}
				raw := string(d.text[f.Off:f.Value.Off])
				colon := strings.LastIndexByte(raw, ':')
				if colon < 0 || strings.ContainsAny(raw[colon:], "\n#&*!") {
					continue
				}
				quote := byte(0)
				if raw[0] == '"' || raw[0] == '\'' {
					quote = raw[0]
				}
				return d.quote(key, quote) + raw[colon:]
			}
		}
	}
	return d.quote(key, 0) + between
}

// blockFieldLines returns the lines of a field of an object in block style.
func (d *document) blockFieldLines(f *tree.Field, models []*tree.Node) written {
	key := d.key(f.Key, models)
	of := values(models, f.Key, f.Value.Kind)
	if f.Value.Kind == tree.List && len(modelItems(of)) == 0 {
		of = []*tree.Node{{Kind: tree.List, Items: reversedStrings(values(models, f.Key, tree.String))}} // its strings are quoted like others
	}
	value := d.applyStyle(&f.Value, of, false)
	if value.flow {
		if strings.HasSuffix(key, ":") {
			key += " "
		}
		return written{lines: []string{key + value.lines[0]}}
	}
	indent := 2
	if f.Value.Kind == tree.List {
		var model *tree.Field
		for _, m := range models {
			if found := lastNonEmpty(m, f.Key); found != nil {
				model = found
				break
			}
		}
		indent = d.listIndent(model)
	}
	colon := key[:strings.LastIndexByte(key, ':')+1]
	return written{lines: append([]string{colon}, indentBelow(value.lines, strings.Repeat(" ", indent))...)}
}

// blockItems returns the lines of a list in block style.
func (d *document) blockItems(n *tree.Node, models []*tree.Node) []string {
	items := modelItems(models)
	dash := "- "
	for _, item := range items {
		if before, ok := d.beforeItem(item.Off); ok && strings.HasSuffix(before, " ") {
			dash = strings.TrimLeft(before, " ")
			break
		}
	}
	var lines []string
	for i := range n.Items {
		lines = append(lines, strings.Split(d.applyStyle(&n.Items[i], items, false).indent(dash, "\n"), "\n")...)
	}
	return lines
}

// flowMap returns an object in braces.
func (d *document) flowMap(n *tree.Node, models []*tree.Node) string {
	open, comma, closing := d.braceSpacing(models)
	var object *tree.Node
	if i := slices.IndexFunc(models, func(m *tree.Node) bool { return len(m.Fields) > 0 }); i >= 0 {
		object = models[i]
	}
	var text strings.Builder
	text.WriteString("{" + open)
	for i := range n.Fields {
		if i > 0 {
			text.WriteString(comma)
		}
		text.WriteString(d.bracedField(&n.Fields[i], object, models))
	}
	return text.String() + closing + "}"
}

// braceSpacing returns what the first model in braces that says it has before its first field, between two of them, and after the last one.
func (d *document) braceSpacing(models []*tree.Node) (open, comma, closing string) {
	for _, m := range models {
		if !d.flow(m) || len(m.Fields) == 0 {
			continue
		}
		last := &m.Fields[len(m.Fields)-1]
		to, err := d.valueEnd(&last.Value)
		whole, err2 := d.valueEnd(m)
		if err != nil || err2 != nil {
			continue
		}
		if m.Off+1 > m.Fields[0].Off || to > whole-1 { // a quote in a plain string
			continue
		}
		open, closing = string(d.text[m.Off+1:m.Fields[0].Off]), string(d.text[to:whole-1])
		if len(bytes.Trim([]byte(open+closing), " \t\r\n")) == 0 {
			return open, d.comma(m), closing
		}
	}
	return "", ", ", ""
}

// bracedField returns a field of an object in braces that is written like another one, nil if there is none.
func (d *document) bracedField(f *tree.Field, object *tree.Node, models []*tree.Node) string {
	key := d.key(f.Key, models)
	of := values(models, f.Key, f.Value.Kind)
	if object != nil && f.Value.Kind == tree.List && len(f.Value.Items) > 0 && f.Value.Items[0].Kind == tree.String {
		var model *tree.Field
		for _, m := range models {
			if found := lastNonEmpty(m, f.Key); found != nil && d.flow(&found.Value) {
				model = found
				break
			}
		}
		quote := d.modelQuote(append(modelItems(of), values(models, "", tree.String)...))
		return key + d.bracketList(object, object.Fields[0].Off, d.quoteAll(itemTexts(f.Value.Items), quote), model)
	}
	return key + d.applyStyle(&f.Value, of, true).lines[0]
}

// flowList returns a list in brackets.
func (d *document) flowList(n *tree.Node, models []*tree.Node) string {
	items := modelItems(models)
	open, comma, closing := "", ", ", ""
	for _, m := range models {
		spans, err := d.spans(m)
		end, err2 := d.valueEnd(m)
		if !d.flow(m) || len(spans) == 0 || err != nil || err2 != nil || m.Off+1 > spans[0].from || spans[len(spans)-1].to > end-1 {
			continue
		}
		open, closing = string(d.text[m.Off+1:spans[0].from]), string(d.text[spans[len(spans)-1].to:end-1])
		if comma = "," + open; len(spans) > 1 {
			comma = string(d.text[spans[0].to:spans[1].from])
		} else if !d.json && open == "" {
			comma = ", "
		}
		break
	}
	var all []string
	for i := range n.Items {
		all = append(all, d.applyStyle(&n.Items[i], items, true).text("\n"))
	}
	return "[" + open + strings.Join(all, comma) + closing + "]"
}

// respell returns a value with the keys of objects in the order and the spelling of models.
func (d *document) respell(n tree.Node, models []*tree.Node) tree.Node {
	switch n.Kind {
	case tree.List:
		n.Items = slices.Clone(n.Items)
		for i := range n.Items {
			n.Items[i] = d.respell(n.Items[i], modelItems(models))
		}
	case tree.Map:
		var keys []string
		byKey := map[string]tree.Node{}
		for i := range n.Fields {
			f := &n.Fields[i]
			key := spellKey(f.Key, models)
			keys = append(keys, key)
			byKey[key] = d.respell(f.Value, values(models, f.Key, f.Value.Kind))
		}
		n.Fields = nil
		for _, key := range d.keyOrder(keys, models) {
			n.Fields = append(n.Fields, tree.Field{Key: key, Value: byKey[key]})
		}
	}
	return n
}

// spellKey returns a key as the first model spells it that has it: opm reads keys in any case.
func spellKey(key string, models []*tree.Node) string {
	for _, m := range models {
		for i := range m.Fields {
			if strings.EqualFold(m.Fields[i].Key, key) {
				return m.Fields[i].Key
			}
		}
	}
	return key
}

// keyOrder returns keys in the order of models. Keys that no model has together are in the order of the alphabet if those of the document are,
// as in what opm writes, else as in its documentation.
func (d *document) keyOrder(keys []string, models []*tree.Node) []string {
	sorted := len(d.root.Fields) > 1 && slices.IsSortedFunc(d.root.Fields, func(a, b tree.Field) int { return strings.Compare(a.Key, b.Key) })
	before := func(a, b string) bool {
		for _, m := range models {
			i, j := fieldIndex(m, a), fieldIndex(m, b)
			if i >= 0 && j >= 0 {
				return i < j
			}
		}
		if sorted {
			return a < b
		}
		return cmp.Or(usualIndex(a)-usualIndex(b), slices.Index(keys, a)-slices.Index(keys, b)) < 0
	}
	var order []string
	for _, key := range keys {
		at := len(order)
		for at > 0 && before(key, order[at-1]) {
			at--
		}
		order = slices.Insert(order, at, key)
	}
	return order
}

// usualIndex returns the place of a key in the order in which opm documents keys; that of others is after them.
func usualIndex(key string) int {
	usual := []string{"schema", "package", "name", "image", "entries", "replaces", "skips", "skipRange"}
	if i := slices.IndexFunc(usual, func(s string) bool { return strings.EqualFold(s, key) }); i >= 0 {
		return i
	}
	return len(usual)
}

func fieldIndex(n *tree.Node, key string) int {
	return slices.IndexFunc(n.Fields, func(f tree.Field) bool { return f.Key == key })
}

// reversedStrings returns the strings of some values, the first one last.
func reversedStrings(all []*tree.Node) []tree.Node {
	var nodes []tree.Node
	for _, n := range slices.Backward(all) {
		if n.Kind == tree.String {
			nodes = append(nodes, *n)
		}
	}
	return nodes
}
