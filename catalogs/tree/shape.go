package tree

import "strings"

// Shape is a type into which encoding/json decodes values. Null fits every shape.
type Shape struct {
	Name   string // what a value of a StructShape is, for messages; "" if none is about it
	Kind   ShapeKind
	Fields []ShapeField // of a StructShape, in the order in which they are written
	Elem   *Shape       // of a ListShape
	Bits   int          // of an IntShape
}

// ShapeField is a field of a struct.
type ShapeField struct {
	Key       string
	OmitEmpty bool // it is not written if it is empty
	*Shape
}

// ShapeKind is the kind of Go type that a Shape represents.
type ShapeKind uint8

const (
	StringShape ShapeKind = iota
	AnyShape
	BytesShape // base64
	BoolShape
	IntShape
	StructShape
	ListShape
	MapShape // of strings
)

// Field returns the field of a struct that encoding/json takes for a key, which may be in another case; nil if there is none.
func (s *Shape) Field(key string) *ShapeField {
	var folded *ShapeField
	for i := range s.Fields {
		switch f := &s.Fields[i]; {
		case f.Key == key:
			return f
		case folded == nil && strings.EqualFold(f.Key, key):
			folded = f
		}
	}
	return folded
}

// ListOf is the shape of a list.
func ListOf(elem *Shape) *Shape { return &Shape{Kind: ListShape, Elem: elem} }

// StructOf is the shape of a struct.
func StructOf(fields ...ShapeField) *Shape { return &Shape{Kind: StructShape, Fields: fields} }

// Called gives a shape a Name, and returns it.
func (s *Shape) Called(name string) *Shape {
	s.Name = name
	return s
}

// StructOfStrings is the shape of a struct of strings, which are always written, whose keys are separated by blanks.
func StructOfStrings(keys string) *Shape {
	s := StructOf()
	for key := range strings.FieldsSeq(keys) {
		s.Fields = append(s.Fields, ShapeField{Key: key, Shape: &Shape{}})
	}
	return s
}
