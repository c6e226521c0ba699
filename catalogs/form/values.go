package form

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// FoldKey returns the same string for all keys that are equal under Unicode case folding.
func FoldKey(key string) string {
	for i := 0; i < len(key); i++ {
		if c := key[i]; c >= utf8.RuneSelf {
			return strings.Map(foldRune, key)
		}
	}
	return strings.ToLower(key)
}

// foldRune returns the smallest rune that r folds to.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}

// MatchingFields yields the fields that encoding/json would decode into one field of a struct: those whose keys are equal but for case,
// sorted, since opm sorts keys first. Of a repeated key it yields the last.
func (d *Decoder) MatchingFields(n *tree.Node, key string) iter.Seq[*tree.Field] {
	return func(yield func(*tree.Field) bool) {
		var found []*tree.Field
		for i := range n.Fields {
			f := &n.Fields[i]
			if (f.Key == key || strings.EqualFold(f.Key, key)) && !RepeatsKey(n.Fields[i+1:], f.Key) {
				found = append(found, f)
			}
		}
		if len(found) > 1 {
			slices.SortFunc(found, func(a, b *tree.Field) int { return strings.Compare(a.Key, b.Key) })
		}
		for _, f := range found {
			if !yield(f) {
				return
			}
		}
	}
}

// StringValue decodes a string; null is an empty one.
func (d *Decoder) StringValue(n *tree.Node, what source.Trusted) catalogs.Text {
	switch n.Kind {
	case tree.Null:
		return catalogs.Text{}
	case tree.String:
		return catalogs.Text{Value: n.Text, Pos: d.Pos(n.Place)}
	}
	d.WrongType(n, what, "a string")
	switch {
	case !d.AsIntended():
	case n.Kind == tree.List && len(n.Items) == 1 && n.Items[0].Kind == tree.String:
		return catalogs.Text{Value: n.Items[0].Text, Pos: d.Pos(n.Items[0].Place)}
	case n.Kind == tree.Bool || n.Kind == tree.Number:
		return catalogs.Text{Value: catalogs.SourceText(n), Pos: d.Pos(n.Place)}
	}
	return catalogs.Text{Pos: d.Pos(n.Place)}
}

// WrongType reports a value of a type that encoding/json would not decode. what names the value: it is trusted, unless it has keys of
// the text in it.
func (d *Decoder) WrongType(n *tree.Node, what any, want source.Trusted) {
	switch {
	case n.Kind == tree.Bool || n.Kind == tree.Number:
		if want == "a string" && n.Source != "" && !d.Chunk.JSON {
			d.Problem(catalogs.Coercion, n.Place, "%s is the %s %s, not a string, as YAML 1.1 reads %s without quotes; write %q",
				what, n.Kind, n.Text, n.Source, n.Source)
			break
		}
		d.Problem(catalogs.FieldType, n.Place, "%s is the %s %s, but opm expects %s", what, n.Kind, n.Text, want)
	case n.Kind == tree.String && len(n.Text) <= 40:
		d.Problem(catalogs.FieldType, n.Place, "%s is the string %q, but opm expects %s", what, n.Text, want)
	default:
		d.Problem(catalogs.FieldType, n.Place, "%s is %s, but opm expects %s", what, source.Trusted(n.Kind.WithArticle()), want)
	}
	last := &d.Problems[len(d.Problems)-1]
	last.Field, last.Fix = fmt.Sprint(what), typeFix(n, want)
}

// typeFix says how to write a value with the wanted type, "" if that is not certain.
func typeFix(n *tree.Node, want source.Trusted) string {
	switch {
	case want == "a list" && n.Kind == tree.String:
		return "write it as the item of a list, after a hyphen"
	case want == "a string" && n.Kind == tree.List:
		return "write one value, without a hyphen or brackets"
	case want == "true or false" && n.Kind == tree.String:
		return "write true or false without quotes"
	case want == "an object" && n.Kind == tree.String:
		return "write a key, a colon and a space before it"
	}
	return ""
}

// Values yields the values that encoding/json would decode into one field of a struct, each over the one before. Null is left out,
// since it changes nothing.
func (d *Decoder) Values(n *tree.Node, key string) iter.Seq[*tree.Node] {
	return func(yield func(*tree.Node) bool) {
		for f := range d.MatchingFields(n, key) {
			if f.Value.Kind == tree.Null {
				continue
			}
			if !yield(&f.Value) {
				return
			}
		}
	}
}

// LastValue returns the last of the values, or nil.
func (d *Decoder) LastValue(n *tree.Node, key string) *tree.Node {
	var last *tree.Node
	for v := range d.Values(n, key) {
		last = v
	}
	return last
}

// StringField decodes a string field, or the empty string.
func (d *Decoder) StringField(n *tree.Node, key string) catalogs.Text {
	var t catalogs.Text
	for v := range d.Values(n, key) {
		t = d.StringValue(v, source.Trusted(key))
	}
	return t
}

// ListField returns the items of a list field.
func (d *Decoder) ListField(n *tree.Node, key string) []tree.Node {
	var items []tree.Node
	for v := range d.Values(n, key) {
		if v.Kind != tree.List {
			d.WrongType(v, source.Trusted(key), "a list")
		}
		items = v.Items
		if d.AsIntended() && (v.Kind == tree.String || v.Kind == tree.Map) {
			items = []tree.Node{*v}
		}
	}
	return items
}

// IsObject reports whether a value can be decoded into a struct, as null can, and reports a problem if it cannot.
func (d *Decoder) IsObject(n *tree.Node, what any) bool {
	if n.Kind == tree.Map || n.Kind == tree.Null {
		return true
	}
	d.WrongType(n, what, "an object")
	return false
}

// Properties decodes the properties of an object. value is called for the value of each; it is nil where opm ignores them.
func (d *Decoder) Properties(n *tree.Node, value func(*catalogs.Property, *tree.Node)) []catalogs.Property {
	items := d.ListField(n, "properties")
	props := make([]catalogs.Property, 0, len(items))
	for i := range items {
		item := &items[i]
		if !d.IsObject(item, source.Trusted("a property")) {
			continue
		}
		p := catalogs.Property{Type: d.StringField(item, "type"), Pos: d.Pos(item.Place)}
		v := d.lastRawValue(item, "value")
		if value == nil {
			continue
		}
		if v == nil {
			d.Problem(catalogs.FieldType, item.Place, "a property %s without a value: opm rejects the catalog", p.Type.Value).Cause = []string{p.Type.Value}
		} else {
			p.Pos = d.Pos(v.Place)
			value(&p, v)
		}
		props = append(props, p)
	}
	return props
}

// lastRawValue is LastValue for a json.RawMessage, of which null is a value.
func (d *Decoder) lastRawValue(n *tree.Node, key string) *tree.Node {
	var last *tree.Node
	for f := range d.MatchingFields(n, key) {
		last = &f.Value
	}
	return last
}

// Parse reads one document again, and leaves the values of properties Raw.
func (d *Decoder) Parse(text []byte, doc source.Document) (tree.Node, *tree.Error) {
	if doc.Json {
		root, _, err := d.scratch.ParseJSON(text, doc.At, UnreadValues)
		return root, err
	}
	root, _, err := d.scratch.ParseYAML(text, doc.At, UnreadValues)
	return root, err
}

// RepeatsKey reports whether a key is among the first 200 fields: searching more for each field of a large object would take quadratic
// time.
func RepeatsKey(fields []tree.Field, key string) bool {
	for i := range fields[:min(len(fields), 200)] {
		if fields[i].Key == key {
			return true
		}
	}
	return false
}

// UnreadValues are the values that are not built before the type of their property is known.
var UnreadValues = tree.SkipPath("properties [] value")
