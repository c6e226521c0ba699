package fbcwriter

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// shape is a type that opm decodes a value into, and encodes it from (opm: alpha/declcfg).
type shape struct {
	kind   shapeKind
	fields []shapeField // of a structShape, in the order in which they are written
	item   *shape       // of a listShape
}

type shapeKind int

const (
	stringShape shapeKind = iota
	bytesShape            // base64
	rawShape              // any value
	boolShape
	numberShape
	mapShape // of strings
	listShape
	structShape
)

type shapeField struct {
	key       string
	omitEmpty bool
	shape     shape
}

// always is a field that is written even if it is empty.
func always(key string, s shape) shapeField { return shapeField{key: key, shape: s} }

// unlessEmpty is a field that is left out if it is empty. A struct is left out only if it is absent, as one behind a pointer is.
func unlessEmpty(key string, s shape) shapeField {
	return shapeField{key: key, shape: s, omitEmpty: true}
}

func listOf(item shape) shape             { return shape{kind: listShape, item: &item} }
func structOf(fields ...shapeField) shape { return shape{kind: structShape, fields: fields} }

// isEmpty reports whether encoding/json leaves out a value: that of an any-type never.
func (s shape) isEmpty(n *tree.Node) bool {
	switch s.kind {
	case rawShape, structShape:
		return false
	case numberShape:
		return n.Kind == tree.Null || n.Text == "0"
	}
	return n.Kind == tree.Null || n.Text == "" && len(n.Items) == 0 && len(n.Fields) == 0
}

// shapes returns the shape of the objects of a schema, which is one of OLM's.
func shapes(schema string) (shape, bool) {
	str, raw := shape{}, shape{kind: rawShape}
	properties := unlessEmpty("properties", listOf(structOf(always("type", str), always("value", raw))))
	switch schema {
	case "olm.package":
		icon := structOf(always("base64data", shape{kind: bytesShape}), always("mediatype", str))
		return structOf(always("schema", str), always("name", str), always("defaultChannel", str), unlessEmpty("icon", icon), unlessEmpty("description", str), properties), true
	case "olm.channel":
		entry := structOf(always("name", str), unlessEmpty("replaces", str), unlessEmpty("skips", listOf(str)), unlessEmpty("skipRange", str))
		return structOf(always("schema", str), always("name", str), always("package", str), always("entries", listOf(entry)), properties), true
	case "olm.bundle":
		image := structOf(always("name", str), always("image", str))
		return structOf(always("schema", str), unlessEmpty("name", str), unlessEmpty("package", str), always("image", str), properties, unlessEmpty("relatedImages", listOf(image))), true
	case "olm.deprecations":
		reference := structOf(always("schema", str), unlessEmpty("name", str))
		return structOf(always("schema", str), always("package", str), always("entries", listOf(structOf(always("reference", reference), always("message", str))))), true
	}
	return shape{}, false
}

// anyValue returns a value that opm copies.
type anyValue func(*tree.Node) tree.Node

// normalized returns an object as opm writes what it has read.
func normalized(n *tree.Node, schema string, raw anyValue) tree.Node {
	if s, known := shapes(schema); known {
		return s.of(n, raw)
	}
	return raw(n)
}

// of returns a value as it is encoded after it was decoded. The value may be nil; one of a wrong type, which opm rejects, is empty.
func (s shape) of(n *tree.Node, raw anyValue) tree.Node {
	null := tree.Node{}
	switch {
	case s.kind == rawShape && n == nil:
		return null
	case s.kind == rawShape:
		return raw(n)
	case s.kind == stringShape && (n == nil || n.Kind != tree.String):
		return text("")
	case s.kind == stringShape:
		return text(n.Text)
	case s.kind == structShape:
		return s.ofStruct(n, raw)
	case s.kind == boolShape:
		return tree.Node{Kind: tree.Bool, Text: strconv.FormatBool(n != nil && n.Text == "true")}
	case n == nil || n.Kind == tree.Null:
		return null
	case s.kind == bytesShape:
		data, _ := base64.StdEncoding.DecodeString(n.Text)
		return text(base64.StdEncoding.EncodeToString(data))
	case s.kind == numberShape || s.kind == mapShape:
		return *n
	}
	list := tree.Node{Kind: tree.List}
	for i := range n.Items {
		list.Items = append(list.Items, s.item.of(&n.Items[i], raw))
	}
	return list
}

func (s shape) ofStruct(n *tree.Node, raw anyValue) tree.Node {
	out := tree.Node{Kind: tree.Map}
	for _, f := range s.fields {
		v := valueOf(n, f.key, f.shape.kind == rawShape)
		if f.omitEmpty && v == nil {
			continue
		}
		made := f.shape.of(v, raw)
		if f.omitEmpty && f.shape.isEmpty(&made) {
			continue
		}
		out.Fields = append(out.Fields, field(f.key, made))
	}
	return out
}

// valueOf returns what encoding/json decodes into a field: the last of the values whose keys differ in case only, in the order of the keys,
// to which opm sorts them. Null changes nothing, unless the field takes any value.
func valueOf(n *tree.Node, key string, nulls bool) *tree.Node {
	var found *tree.Field
	if n == nil {
		return nil
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		if f.Key != key && !strings.EqualFold(f.Key, key) {
			continue
		}
		if last := n.Get(f.Key); last != &f.Value || last.Kind == tree.Null && !nulls { // a repeated key counts once
			continue
		}
		if found == nil || f.Key > found.Key {
			found = f
		}
	}
	if found == nil {
		return nil
	}
	return &found.Value
}

// Schema returns the schema of an object, "" if it has none.
func Schema(n *tree.Node) string { return textAt(n, "schema") }

// textAt returns a string under a key in any case.
func textAt(n *tree.Node, key string) string {
	if v := valueOf(n, key, false); v != nil && v.Kind == tree.String {
		return v.Text
	}
	return ""
}
