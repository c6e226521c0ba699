package tree

import (
	"bytes"
	"strings"
)

// Shape is a type into which encoding/json can decode values. Null fits every shape.
type Shape struct {
	Kind   ShapeKind
	Fields map[string]*Shape // of a Struct
	Elem   *Shape            // of a ListOf or a MapOf
}

// ShapeKind is the kind of Go type that a Shape represents.
type ShapeKind uint8

const (
	AnyShape ShapeKind = iota
	StringShape
	BytesShape       // base64
	ObjectBytesShape // base64 of a JSON object, as far as its first byte tells
	BoolShape
	IntShape
	Int32Shape
	StructShape
	ListShape
	MapShape
)

// Folded returns the field that encoding/json takes for a key in another case, and its name.
func (s *Shape) Folded(key string) (*Shape, string) {
	for k, field := range s.Fields {
		if strings.EqualFold(k, key) {
			return field, k
		}
	}
	return nil, ""
}

// FitsJSON reports whether a JSON value fits a shape, without building it. It may return false for a value that fits, if building it is
// necessary to tell; for most it is not.
func (s *Shape) FitsJSON(text []byte) bool {
	return newJSONReader(text, Place{Line: 1, Col: 1}, nil).fits(s)
}

// fits skips the next value if it fits a shape.
func (r *jsonReader) fits(s *Shape) bool {
	kind := r.next()
	switch {
	case kind == '{' && (s.Kind == StructShape || s.Kind == MapShape):
		return r.fieldsFit(s)
	case kind == '[' && s.Kind == ListShape:
		r.read()
		for r.next() != ']' {
			if !r.fits(s.Elem) {
				return false
			}
		}
		_, ok := r.read()
		return ok
	case kind == '"' && s.Kind == ObjectBytesShape:
		_, ok := r.read()
		return ok && isObjectBytes(r.text[r.pos+1:r.end()-1])
	case kind == 'n', kind == '"' && s.Kind == StringShape, (kind == 't' || kind == 'f') && s.Kind == BoolShape, s.Kind == AnyShape:
		return r.skipValue()
	}
	return false
}

func (r *jsonReader) fieldsFit(s *Shape) bool {
	r.read()
	for r.next() != '}' {
		if _, ok := r.read(); !ok {
			return false
		}
		key, field := r.text[r.pos+1:r.end()-1], s.Elem
		if s.Kind == StructShape {
			if field = s.Fields[string(key)]; field == nil {
				if folded, _ := s.Folded(string(key)); folded != nil {
					return false
				}
				field = &Shape{Kind: AnyShape}
			}
		}
		if !r.fits(field) {
			return false
		}
	}
	_, ok := r.read()
	return ok
}

// isObjectBytes reports whether a text is base64, without line breaks, of a text that begins with a brace and a character below @, as a
// quote or white space. It returns false for base64 in other forms.
func isObjectBytes(text []byte) bool {
	if len(text) < 4 || len(text)%4 != 0 || text[0] != 'e' || text[1] < 'w' {
		return false
	}
	body := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("=")), []byte("="))
	for _, c := range body {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/') {
			return false
		}
	}
	return true
}
