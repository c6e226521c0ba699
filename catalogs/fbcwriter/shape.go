package fbcwriter

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// isEmpty reports whether encoding/json leaves out a value: that of an any-type never.
func isEmpty(s *tree.Shape, n *tree.Node) bool {
	switch s.Kind {
	case tree.AnyShape, tree.StructShape:
		return false
	case tree.IntShape:
		return n.Kind == tree.Null || n.Text == "0"
	}
	return n.Kind == tree.Null || n.Text == "" && len(n.Items) == 0 && len(n.Fields) == 0
}

// anyValue returns a value that opm copies.
type anyValue func(*tree.Node) tree.Node

// normalize returns an object as opm writes what it has read.
func normalize(n *tree.Node, name string, raw anyValue) tree.Node {
	if o := schema.Lookup(name); o != nil {
		return reencode(o.Shape, n, raw)
	}
	return raw(n)
}

// reencode returns a value as it is encoded after it was decoded. The value may be nil; one of a wrong type, which opm rejects, is empty.
func reencode(s *tree.Shape, n *tree.Node, raw anyValue) tree.Node {
	null := tree.Node{}
	switch {
	case s.Kind == tree.AnyShape && n == nil:
		return null
	case s.Kind == tree.AnyShape:
		return raw(n)
	case s.Kind == tree.StringShape && (n == nil || n.Kind != tree.String):
		return text("")
	case s.Kind == tree.StringShape:
		return text(n.Text)
	case s.Kind == tree.StructShape:
		return decodedStruct(s, n, raw)
	case s.Kind == tree.BoolShape:
		return tree.Node{Kind: tree.Bool, Text: strconv.FormatBool(n != nil && n.Text == "true")}
	case n == nil || n.Kind == tree.Null:
		return null
	case s.Kind == tree.BytesShape:
		data, _ := base64.StdEncoding.DecodeString(n.Text)
		return text(base64.StdEncoding.EncodeToString(data))
	case s.Kind == tree.IntShape || s.Kind == tree.MapShape:
		return *n
	}
	list := tree.Node{Kind: tree.List}
	for i := range n.Items {
		list.Items = append(list.Items, reencode(s.Elem, &n.Items[i], raw))
	}
	return list
}

func decodedStruct(s *tree.Shape, n *tree.Node, raw anyValue) tree.Node {
	out := tree.Node{Kind: tree.Map}
	for _, f := range s.Fields {
		v := jsonValue(n, f.Key, f.Kind == tree.AnyShape)
		if f.OmitEmpty && v == nil {
			continue
		}
		made := reencode(f.Shape, v, raw)
		if f.OmitEmpty && isEmpty(f.Shape, &made) {
			continue
		}
		out.Fields = append(out.Fields, field(f.Key, made))
	}
	return out
}

// jsonValue returns what encoding/json decodes into a field: the last of the values whose keys differ in case only, in the order of the keys,
// to which opm sorts them. Null changes nothing, unless the field takes any value.
func jsonValue(n *tree.Node, key string, nulls bool) *tree.Node {
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
func Schema(n *tree.Node) string { return jsonText(n, "schema") }

// jsonText returns a string under a key in any case.
func jsonText(n *tree.Node, key string) string {
	if v := jsonValue(n, key, false); v != nil && v.Kind == tree.String {
		return v.Text
	}
	return ""
}
