package tree

import "strings"

// FitsYAML is FitsJSON for a value that ParseYAML left Raw, given the same text and place.
func (s *Shape) FitsYAML(text []byte, at Place, n Node) bool {
	b, ok := reenter(text, at, n)
	if !ok {
		return false
	}
	if b.col == n.indent {
		return b.fitsList(b.col, s)
	}
	return b.fits(n.indent, s)
}

// fits is node for a value that must fit a shape.
func (b *blockReader) fits(parent int, s *Shape) bool {
	switch {
	case s.Kind == AnyShape:
		return b.node(parent, nil)
	case b.atItem():
		return b.fitsList(b.col, s)
	case b.atKey():
		return b.fitsMapping(b.col, s)
	}
	return b.fitsScalar(parent, s)
}

// fitsScalar is scalar for a shape. It builds only what may not be a string, as an empty flow collection.
func (b *blockReader) fitsScalar(parent int, s *Shape) bool {
	if s.Kind == StringShape && strings.IndexByte("{[+-.0123456789~yYnNtTfFoO", b.text[b.pos]) < 0 {
		return b.scalar(parent, nil)
	}
	if s.Kind == ObjectBytesShape {
		start := b.pos
		return b.scalar(parent, nil) && isObjectBytes(b.text[start:b.end])
	}
	var n Node
	if !b.scalar(parent, &n) {
		return false
	}
	switch n.Kind {
	case Null:
		return true
	case String:
		return s.Kind == StringShape
	case Bool:
		return s.Kind == BoolShape
	case Map: // an empty one
		return s.Kind == StructShape || s.Kind == MapShape
	case List:
		return s.Kind == ListShape
	}
	return false
}

// fitsMapping is mapping for a Struct or a MapOf.
func (b *blockReader) fitsMapping(col int, s *Shape) bool {
	if b.depth++; b.depth > maxBlock || s.Kind != StructShape && s.Kind != MapShape {
		return false
	}
	for {
		field, ok := b.fitsKey(s)
		if !ok || !b.fitsValue(col, field) || b.col > col {
			return false
		}
		if b.col < col {
			break
		}
	}
	b.depth--
	return true
}

var unknownField = &Shape{Kind: AnyShape}

// fitsKey skips a key and returns the shape of its value. It returns false for a key in quotes.
func (b *blockReader) fitsKey(s *Shape) (*Shape, bool) {
	text, _, ok := b.keySpan()
	if !ok || text[0] == '"' || text[0] == '\'' {
		return nil, false
	}
	field := s.Elem
	if s.Kind == StructShape {
		if field = s.Fields[string(text)]; field == nil {
			if folded, _ := s.Folded(string(text)); folded != nil {
				return nil, false
			}
			field = unknownField
		}
	}
	return field, b.checkKey()
}

// fitsValue is value for a shape.
func (b *blockReader) fitsValue(col int, s *Shape) bool {
	b.blanks()
	if b.pos < len(b.text) && b.text[b.pos] != '\n' && b.text[b.pos] != '#' {
		return b.inlineFits(col, s)
	}
	b.next()
	switch {
	case b.col > col:
		return b.fits(col, s)
	case b.col == col && b.atItem():
		return b.fitsList(col, s)
	}
	return true // null
}

func (b *blockReader) inlineFits(col int, s *Shape) bool {
	if s.Kind == AnyShape {
		return b.scalar(col, nil)
	}
	return b.fitsScalar(col, s)
}

// fitsList is list for a ListOf.
func (b *blockReader) fitsList(col int, s *Shape) bool {
	if s.Kind == AnyShape {
		return b.list(col, nil)
	}
	if b.depth++; b.depth > maxBlock || s.Kind != ListShape {
		return false
	}
	for b.col == col && b.atItem() {
		b.pos++
		b.blanks()
		if b.pos < len(b.text) && b.text[b.pos] != '\n' && b.text[b.pos] != '#' {
			b.col = b.pos - b.bol
		} else if b.next(); b.col <= col {
			continue
		}
		if !b.fits(col, s.Elem) {
			return false
		}
	}
	b.depth--
	return b.col <= col
}
