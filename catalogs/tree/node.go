// Package tree reads YAML and JSON text into trees in which every value knows where it stands.
//
// It sees a text as opm does: YAML 1.1 scalars, values as they look after opm's conversion to JSON. Three readers
// share one result: a JSON reader, a reader for the plain block style that nearly every catalog is written in, and,
// for whatever that one does not know, the full YAML parser. Values that nobody asked for yet are checked for syntax
// and left as a byte range (Raw), to be read by Expand.
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
	Raw // checked for syntax, not built: see Expand
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "list", "object", "unread value"}[k]
}

// Place is where a value starts. Line and Col are 1-based, Col counts bytes, both in the whole file. Off is 0-based in
// the text of the document.
type Place struct {
	Off, Line, Col int
}

// Node is one value of a document.
type Node struct {
	Kind Kind
	// Text is the value of a String, the JSON literal of a Number as opm re-encodes it ("4.1" for the YAML 4.10),
	// "true" or "false" of a Bool.
	Text string
	// Source is what the author wrote where Kind is Bool, Number or Null and that differs from Text: "yes", "4.10", "~".
	Source string
	Place
	// End is the offset behind the value's text. It is set where Kind is Raw.
	End int
	// Fields of a Map in the order of the text. A key may stand twice: the last one counts.
	Fields []Field
	// Items of a List.
	Items []Node

	indent int // of the parent block in YAML, for Expand; where Kind is Raw
}

// Field is a key and its value.
type Field struct {
	Key   string
	Place // of the key
	Value Node
}

// Get returns the last value under the exact key, or nil.
func (n *Node) Get(key string) *Node {
	for i := len(n.Fields) - 1; i >= 0; i-- {
		if n.Fields[i].Key == key {
			return &n.Fields[i].Value
		}
	}
	return nil
}

// Str returns the text of the string under the exact key, or "" if there is none.
func (n *Node) Str(key string) string {
	if v := n.Get(key); v != nil && v.Kind == String {
		return v.Text
	}
	return ""
}

// Error says where and why a text cannot be read.
type Error struct {
	Place
	Msg string
}

func (e *Error) Error() string { return e.Msg }

// Skip says whether the value under this path is to stay Raw. The path holds the keys from the root; a list item adds
// "[]". It must not be kept.
type Skip func(path []string) bool

// MaxDepth is how deep values may nest, as in encoding/json and in the YAML parser.
const MaxDepth = 10000

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

// Scratch is memory that the readers use again for one document after the other. It is not safe for concurrent use; the
// zero Scratch is ready.
type Scratch struct {
	fields []Field // of all objects being read, the inner ones behind the outer ones
	items  []Node  // of all lists, likewise
}

// reset drops what a reader left that gave up.
func (s *Scratch) reset() { s.fields, s.items = s.fields[:0], s.items[:0] }
