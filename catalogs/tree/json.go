package tree

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseJSON parses the JSON value that text begins with, after white space, and returns the offset after it. at is the place of text[0].
// It accepts exactly what encoding/json accepts.
func ParseJSON(text []byte, at Place, skip Skip) (root Node, end int, err *Error) {
	return new(Scratch).ParseJSON(text, at, skip)
}

// ParseJSON is the function ParseJSON with reused memory.
func (s *Scratch) ParseJSON(text []byte, at Place, skip Skip) (root Node, end int, err *Error) {
	s.reset()
	r := newJSONReader(text, at, skip)
	r.Scratch = s
	if !r.space() {
		return Node{}, len(text), r.fail("expected a value, found the end of the text")
	}
	if !r.value(&root) {
		return Node{}, r.pos, r.err
	}
	return root, r.pos, nil
}

// ExpandJSON parses a value that ParseJSON left Raw, given the same text and place.
func ExpandJSON(text []byte, at Place, n Node) (Node, *Error) {
	start := n.Place
	n, _, err := ParseJSON(text[n.Off-at.Off:n.End-at.Off], start, nil)
	return n, err
}

type jsonReader struct {
	text     []byte
	base     int // offset of text[0] in the document
	pos      int
	line     int
	bol      int // offset in text at which the line begins; negative where it begins before text
	depth    int
	keyPlace Place // of the last key that was read
	skip     Skip
	path     []string
	err      *Error
	*Scratch
}

func newJSONReader(text []byte, at Place, skip Skip) *jsonReader {
	return &jsonReader{text: text, base: at.Off, line: at.Line, bol: 1 - at.Col, skip: skip}
}

func (r *jsonReader) place() Place {
	return Place{Off: r.base + r.pos, Line: r.line, Col: r.pos - r.bol + 1}
}

func (r *jsonReader) fail(format string, args ...any) *Error {
	if r.err == nil {
		r.err = &Error{Place: r.place(), Msg: fmt.Sprintf(format, args...)}
	}
	return r.err
}

// found describes the character at pos, for a message.
func (r *jsonReader) found() string {
	if r.pos >= len(r.text) {
		return "the end of the text"
	}
	c, _ := utf8.DecodeRune(r.text[r.pos:])
	return strconv.QuoteRune(c)
}

// space skips white space and reports whether anything follows.
func (r *jsonReader) space() bool {
	text, pos := r.text, r.pos
	for pos < len(text) {
		switch text[pos] {
		case ' ':
			for pos+8 <= len(text) && binary.LittleEndian.Uint64(text[pos:]) == eightBlanks {
				pos += 8
			}
			for pos < len(text) && text[pos] == ' ' {
				pos++
			}
		case '\n':
			pos++
			r.line++
			r.bol = pos
		case '\t', '\r':
			pos++
		default:
			r.pos = pos
			return true
		}
	}
	r.pos = pos
	return false
}

const eightBlanks = 0x2020202020202020

// value reads the value at pos into n.
func (r *jsonReader) value(n *Node) bool {
	n.Place = r.place()
	switch c := r.text[r.pos]; {
	case c == '{':
		n.Kind = Map
		return r.object(n)
	case c == '[':
		n.Kind = List
		return r.list(n)
	case c == '"':
		n.Kind = String
		s, ok := r.str()
		n.Text = s
		return ok
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = Number
		return r.number(n)
	default:
		return r.literal(n)
	}
}

func (r *jsonReader) enter() bool {
	r.pos++
	if r.depth++; r.depth > MaxDepth {
		r.fail("values nest deeper than %d", MaxDepth)
		return false
	}
	if !r.space() {
		r.fail("the text ends inside an object or a list")
		return false
	}
	return true
}

func (r *jsonReader) object(n *Node) bool {
	first := len(r.fields)
	ok := r.eachField(func(key []byte) bool {
		f := Field{Key: unquote(key), Place: r.keyPlace}
		ok := r.field(f.Key, &f.Value)
		r.fields = append(r.fields, f)
		return ok
	})
	n.Fields = append([]Field(nil), r.fields[first:]...)
	r.fields = r.fields[:first]
	return ok
}

// field reads the value of a key, or leaves it Raw.
func (r *jsonReader) field(key string, n *Node) bool {
	if r.skip == nil {
		return r.value(n)
	}
	r.path = append(r.path, key)
	ok := true
	if r.skip(r.path) {
		n.Kind, n.Place = Raw, r.place()
		ok = r.skipValue()
		n.End = r.base + r.pos
	} else {
		ok = r.value(n)
	}
	r.path = r.path[:len(r.path)-1]
	return ok
}

func (r *jsonReader) list(n *Node) bool {
	r.path = append(r.path, "[]")
	first := len(r.items)
	ok := r.eachItem(func() bool {
		var item Node
		ok := r.value(&item)
		r.items = append(r.items, item)
		return ok
	})
	n.Items = append([]Node(nil), r.items[first:]...)
	r.items = r.items[:first]
	r.path = r.path[:len(r.path)-1]
	return ok
}

// next moves to what follows the comma, or to the closing bracket.
func (r *jsonReader) next(closing byte) (more, ok bool) {
	if !r.space() {
		r.fail("the text ends inside an object or a list")
		return false, false
	}
	switch r.text[r.pos] {
	case closing:
		return false, true
	case ',':
		r.pos++
		if !r.space() {
			r.fail("the text ends inside an object or a list")
			return false, false
		}
		return true, true
	}
	r.fail("expected a comma or %q after a value, found %s", closing, r.found())
	return false, false
}

// str reads the string at pos.
func (r *jsonReader) str() (string, bool) {
	start := r.pos
	if !r.skipString() {
		return "", false
	}
	return unquote(r.text[start+1 : r.pos-1]), true
}

// unquote returns the value of a string that passString has checked; inner is the text between its quotes.
func unquote(inner []byte) string {
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return intern(inner)
	}
	var s string
	quoted := append(append([]byte{'"'}, inner...), '"')
	if err := json.Unmarshal(quoted, &s); err != nil {
		return string(inner) // not reached: the escapes were checked
	}
	return s
}

// intern returns the text as a string, without an allocation for keys that every catalog has.
func intern(text []byte) string {
	switch string(text) {
	case "name":
		return "name"
	case "type":
		return "type"
	case "value":
		return "value"
	case "image":
		return "image"
	case "schema":
		return "schema"
	case "package":
		return "package"
	case "group":
		return "group"
	case "kind":
		return "kind"
	case "version":
		return "version"
	case "replaces":
		return "replaces"
	case "skips":
		return "skips"
	case "skipRange":
		return "skipRange"
	case "olm.gvk":
		return "olm.gvk"
	}
	return string(text)
}

// number reads the number at pos. opm converts every number to float64.
func (r *jsonReader) number(n *Node) bool {
	start := r.pos
	if !r.skipNumber() {
		return false
	}
	source := string(r.text[start:r.pos])
	text, ok := jsonNumber(source)
	if !ok {
		r.pos = start
		r.fail("the number %s is out of range", source)
		return false
	}
	n.Text = text
	if text != source {
		n.Source = source
	}
	return true
}

// jsonNumber returns what encoding/json prints for the float64 nearest to a JSON number.
func jsonNumber(source string) (string, bool) {
	f, err := strconv.ParseFloat(source, 64)
	if err != nil {
		return "", false
	}
	text, err := json.Marshal(f)
	return string(text), err == nil
}

func (r *jsonReader) literal(n *Node) bool {
	if !r.skipLiteral() {
		return false
	}
	switch r.text[r.pos-1] {
	case 'l':
		n.Kind = Null
	case 'e':
		n.Kind, n.Text = Bool, "true"
		if bytes.HasSuffix(r.text[:r.pos], []byte("false")) {
			n.Text = "false"
		}
	}
	return true
}

func (r *jsonReader) skipLiteral() bool {
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(r.text[r.pos:], []byte(word)) {
			r.pos += len(word)
			return true
		}
	}
	r.fail("expected a value, found %s", r.found())
	return false
}

// skipNumber skips the number at pos.
func (r *jsonReader) skipNumber() bool {
	digits := func() bool {
		start := r.pos
		for r.pos < len(r.text) && r.text[r.pos]-'0' <= 9 {
			r.pos++
		}
		return r.pos > start
	}
	at := func(set string) bool {
		return r.pos < len(r.text) && strings.IndexByte(set, r.text[r.pos]) >= 0
	}
	if at("-") {
		r.pos++
	}
	ok := true
	if at("0") {
		r.pos++
	} else {
		ok = digits()
	}
	if ok && at(".") {
		r.pos++
		ok = digits()
	}
	if ok && at("eE") {
		r.pos++
		if at("+-") {
			r.pos++
		}
		ok = digits()
	}
	if !ok {
		r.fail("expected a digit, found %s", r.found())
	}
	return ok
}

// skipFiniteNumber skips the number at pos, and rejects one that is out of the range of float64.
func (r *jsonReader) skipFiniteNumber() bool {
	start := r.pos
	if !r.skipNumber() {
		return false
	}
	// Without an exponent it takes more than 300 digits to leave the range.
	if source := r.text[start:r.pos]; len(source) > 300 || bytes.ContainsAny(source, "eE") {
		r.pos = start
		return r.number(new(Node))
	}
	return true
}

// skipString skips the string at pos.
func (r *jsonReader) skipString() bool {
	text := r.text
	for pos := r.pos + 1; ; {
		pos = stringSpecial(text, pos)
		if pos >= len(text) {
			r.fail("the text ends inside a string that begins here")
			return false
		}
		switch c := text[pos]; {
		case c == '"':
			r.pos = pos + 1
			return true
		case c == '\\':
			n := escape(text[pos:])
			if n == 0 {
				r.pos = pos
				r.fail("not an escape that JSON knows")
				return false
			}
			pos += n
		default:
			r.pos = pos
			r.fail("the control character %s in a string must be escaped", r.found())
			return false
		}
	}
}

// stringSpecial returns the offset of the next byte that is not plain inside a string: a quote, a backslash, a control
// character.
func stringSpecial(text []byte, pos int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for pos+8 <= len(text) {
		w := binary.LittleEndian.Uint64(text[pos:])
		quote, back := w^('"'*ones), w^('\\'*ones)
		special := ((quote - ones) &^ quote) | ((back - ones) &^ back) | ((w - ' '*ones) &^ w)
		if special &= highs; special != 0 {
			// The lowest mark is exact; a borrow can only mark bytes above it.
			return pos + bits.TrailingZeros64(special)/8
		}
		pos += 8
	}
	for pos < len(text) && text[pos] != '"' && text[pos] != '\\' && text[pos] >= ' ' {
		pos++
	}
	return pos
}

// escape returns the length of the escape that text begins with, 0 if it is none.
func escape(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, text[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(text) < 6 {
		return 0
	}
	for _, c := range text[2:6] {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return 0
		}
	}
	return 6
}

// skipValue skips the value at pos, and checks its syntax.
func (r *jsonReader) skipValue() bool {
	switch c := r.text[r.pos]; {
	case c == '{':
		return r.eachField(func([]byte) bool { return r.skipValue() })
	case c == '[':
		return r.eachItem(r.skipValue)
	case c == '"':
		return r.skipString()
	case c == '-' || c >= '0' && c <= '9':
		return r.skipFiniteNumber()
	default:
		return r.skipLiteral()
	}
}

// eachField skips the object at pos. It calls value at the value of each key, which value must skip.
func (r *jsonReader) eachField(value func(key []byte) bool) bool {
	if !r.enter() {
		return false
	}
	for first := true; r.text[r.pos] != '}' || !first; first = false {
		key, ok := r.keyText()
		if !ok || !value(key) {
			return false
		}
		if more, ok := r.next('}'); !ok {
			return false
		} else if !more {
			break
		}
	}
	r.pos++
	r.depth--
	return true
}

// keyText moves from a key to its value and returns the text between the key's quotes.
func (r *jsonReader) keyText() ([]byte, bool) {
	if r.text[r.pos] != '"' {
		r.fail("expected a key in double quotes, found %s", r.found())
		return nil, false
	}
	r.keyPlace = r.place()
	start := r.pos + 1
	if !r.skipString() {
		return nil, false
	}
	key := r.text[start : r.pos-1]
	if !r.space() || r.text[r.pos] != ':' {
		r.fail("expected a colon after a key, found %s", r.found())
		return nil, false
	}
	r.pos++
	if !r.space() {
		r.fail("expected a value, found the end of the text")
		return nil, false
	}
	return key, true
}

// eachItem skips the list at pos. It calls item at each item, which item must skip.
func (r *jsonReader) eachItem(item func() bool) bool {
	if !r.enter() {
		return false
	}
	for first := true; r.text[r.pos] != ']' || !first; first = false {
		if !item() {
			return false
		}
		if more, ok := r.next(']'); !ok {
			return false
		} else if !more {
			break
		}
	}
	r.pos++
	r.depth--
	return true
}
