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
	r := newJSONReader(text, Place{Line: 1, Col: 1}, nil)
	return r.space() && r.fits(s) && r.err == nil
}

func (r *jsonReader) fits(s *Shape) bool {
	switch r.text[r.pos] {
	case '{':
		switch s.Kind {
		case StructShape, MapShape:
			return r.eachField(func(key []byte) bool { return r.fieldFits(s, key) })
		}
	case '[':
		if s.Kind == ListShape {
			return r.eachItem(func() bool { return r.fits(s.Elem) })
		}
	case '"':
		start := r.pos + 1
		switch s.Kind {
		case StringShape:
			return r.skipValue()
		case ObjectBytesShape:
			return r.skipValue() && isObjectBytes(r.text[start:r.pos-1])
		}
	case 't', 'f':
		if s.Kind == BoolShape {
			return r.skipValue()
		}
	case 'n':
		return r.skipValue()
	}
	return s.Kind == AnyShape && r.skipValue()
}

func (r *jsonReader) fieldFits(s *Shape, key []byte) bool {
	field := s.Elem
	if s.Kind == StructShape {
		if field = s.Fields[string(key)]; field == nil {
			field, _ = s.Folded(string(key))
			return field == nil && r.skipValue()
		}
	}
	return r.fits(field)
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
