// Package tree parses YAML and JSON into trees in which every value has its place, says what an author did wrong where that fails, and reads the comments
// that suppress findings.
//
// The values are those that opm reads: YAML 1.1 scalars, as they are after opm's conversion to JSON. Three parsers have the same result:
// one for JSON, one for the plain block style of YAML that nearly all catalogs are written in, and gopkg.in/yaml.v3 for the rest.
// Values can be checked for syntax only and left as a byte range (Raw), which ExpandYAML and ExpandJSON parse.
//
// The parser of block style is written by hand: it is nine times as fast as the library on catalogs of hundreds of megabytes (see
// BENCHMARKS.md).
package tree

import "strings"

// Kind is what a value is after opm's conversion to JSON.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
	Raw // checked for syntax, and not built: see ExpandYAML and ExpandJSON
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "list", "object", "unread value"}[k]
}

// WithArticle returns the name of the kind with its article; null has none.
func (k Kind) WithArticle() string {
	switch k {
	case Null:
		return k.String()
	case Map, Raw:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// Place is where a value starts. Line and Col are 1-based in the file, Col counts bytes. Off is the 0-based offset in the text of the
// document.
type Place struct {
	Off, Line, Col int
}

// Node is one value of a document.
type Node struct {
	Kind Kind
	// Text is the value of a String, the JSON literal of a Number as opm re-encodes it ("4.1" for the YAML 4.10),
	// "true" or "false" of a Bool.
	Text string
	// Source is the scalar as in the text, if Kind is Bool, Number or Null and it differs from Text: "yes", "4.10", "~".
	Source string
	Place
	// End is the offset after the value's text, if Kind is Raw.
	End int
	// Fields of a Map in the order of the text. Of a repeated key the last one counts.
	Fields []Field
	// Items of a List.
	Items []Node

	indent int // of the parent block, for ExpandYAML; if Kind is Raw
}

// Field is a key and its value.
type Field struct {
	Key   string
	Place // of the key
	Value Node
}

// Field returns the last field with the exact key, or nil.
func (n *Node) Field(key string) *Field {
	for i := len(n.Fields) - 1; i >= 0; i-- {
		if n.Fields[i].Key == key {
			return &n.Fields[i]
		}
	}
	return nil
}

// Get returns the last value under the exact key, or nil.
func (n *Node) Get(key string) *Node {
	if f := n.Field(key); f != nil {
		return &f.Value
	}
	return nil
}

// At returns the value at the end of a path of exact keys, or nil.
func (n *Node) At(keys ...string) *Node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		n = n.Get(key)
	}
	return n
}

// Str returns the text of the string under the exact key, or "" if there is none.
func (n *Node) Str(key string) string {
	if v := n.Get(key); v != nil && v.Kind == String {
		return v.Text
	}
	return ""
}

// Error is where and why a text cannot be parsed.
type Error struct {
	Place
	Msg string
}

func (e *Error) Error() string { return e.Msg }

// Skip reports whether the value at a path stays Raw. The path has the keys from the root, and "[]" for each list. Skip must not keep
// it.
type Skip func(path []string) bool

// maxDepth is how deep values may nest, as in encoding/json and in the YAML parser.
const maxDepth = 10000

// SkipPath returns a Skip for one path, its keys separated by blanks: "properties [] value".
func SkipPath(path string) Skip {
	want := strings.Fields(path)
	return func(path []string) bool {
		if len(path) != len(want) {
			return false
		}
		for i := len(path) - 1; i >= 0; i-- {
			if path[i] != want[i] {
				return false
			}
		}
		return true
	}
}

// Scratch is memory that is reused from one document to the next. It is not safe for concurrent use. The zero value is ready.
type Scratch struct {
	fields []Field // of all objects that are being parsed, the inner ones after the outer ones
	items  []Node  // of all lists, likewise
	buf    []byte  // the text of a YAML scalar that is not a slice of the document's
}

// reset drops what a parser has left after an error.
func (s *Scratch) reset() { s.fields, s.items = s.fields[:0], s.items[:0] }
