package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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
	if !r.value(&root) {
		return Node{}, r.pos, r.err
	}
	return root, r.end(), nil
}

// ExpandJSON parses a value that ParseJSON left Raw, given the same text and place.
func ExpandJSON(text []byte, at Place, n Node) (Node, *Error) {
	start := n.Place
	n, _, err := ParseJSON(text[n.Off-at.Off:n.End-at.Off], start, nil)
	return n, err
}

// jsonReader adds to the tokens of the library where they are, which is between the end of the last one and that of the next.
type jsonReader struct {
	tokens *jsontext.Decoder
	text   []byte
	base   int  // offset of text[0] in the document
	spot        // of the next token
	delim  spot // of the comma or colon before it; its pos is -1 if there is none
	ready  int  // the end of the token before it, for which these are known; -1 before the first one
	skip   Skip
	path   []string
	err    *Error
	*Scratch
}

// spot is a place in the text.
type spot struct {
	pos, line int
	bol       int // offset at which the line begins; negative where it begins before the text
}

func newJSONReader(text []byte, at Place, skip Skip) *jsonReader {
	tokens := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &jsonReader{tokens: tokens, text: text, base: at.Off, spot: spot{line: at.Line, bol: 1 - at.Col}, skip: skip, ready: -1}
}

func (r *jsonReader) end() int { return int(r.tokens.InputOffset()) }

// next moves to the next token and returns its kind; 0 if there is none.
func (r *jsonReader) next() jsontext.Kind {
	if r.ready == r.end() {
		return r.tokens.PeekKind()
	}
	r.pos, r.ready, r.delim.pos = r.end(), r.end(), -1
	for ; r.pos < len(r.text); r.pos++ {
		switch r.text[r.pos] {
		case '\n':
			r.line++
			r.bol = r.pos + 1
		case ' ', '\t', '\r':
		case ',', ':':
			if r.delim.pos >= 0 {
				return 0
			}
			r.delim = r.spot
		default:
			return r.tokens.PeekKind()
		}
	}
	return 0
}

func (r *jsonReader) place() Place {
	return Place{Off: r.base + r.pos, Line: r.line, Col: r.pos - r.bol + 1}
}

// read reads the token to which next has moved.
func (r *jsonReader) read() (jsontext.Token, bool) {
	token, err := r.tokens.ReadToken()
	if err != nil {
		r.fail(err)
	}
	return token, err == nil
}

// value reads the next value into n.
func (r *jsonReader) value(n *Node) bool {
	kind := r.next()
	n.Place = r.place()
	token, ok := r.read()
	if !ok {
		return false
	}
	switch kind {
	case '{':
		n.Kind = Map
		return r.object(n)
	case '[':
		n.Kind = List
		return r.list(n)
	case '"':
		n.Kind, n.Text = String, r.str(token)
	case '0':
		n.Kind = Number
		return r.number(n)
	case 'n':
		n.Kind = Null
	default:
		n.Kind, n.Text = Bool, token.String()
	}
	return true
}

// str returns the string that was read.
func (r *jsonReader) str(token jsontext.Token) string {
	inner := r.text[r.pos+1 : r.end()-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	return token.String()
}

func (r *jsonReader) object(n *Node) bool {
	first := len(r.fields)
	for r.next() != '}' {
		f := Field{Place: r.place()}
		token, ok := r.read()
		if !ok {
			return false
		}
		f.Key = r.str(token)
		if !r.field(f.Key, &f.Value) {
			return false
		}
		r.fields = append(r.fields, f)
	}
	n.Fields = append([]Field(nil), r.fields[first:]...)
	r.fields = r.fields[:first]
	_, ok := r.read()
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
		r.next()
		n.Kind, n.Place = Raw, r.place()
		ok = r.skipValue()
		n.End = r.base + r.end()
	} else {
		ok = r.value(n)
	}
	r.path = r.path[:len(r.path)-1]
	return ok
}

func (r *jsonReader) list(n *Node) bool {
	r.path = append(r.path, "[]")
	first := len(r.items)
	for r.next() != ']' {
		var item Node
		if !r.value(&item) {
			return false
		}
		r.items = append(r.items, item)
	}
	n.Items = append([]Node(nil), r.items[first:]...)
	r.items = r.items[:first]
	r.path = r.path[:len(r.path)-1]
	_, ok := r.read()
	return ok
}

// skipValue skips the next value, and checks its syntax, and that its numbers are in the range of float64.
func (r *jsonReader) skipValue() bool {
	for depth := r.tokens.StackDepth(); ; {
		kind := r.next()
		if _, ok := r.read(); !ok || kind == '0' && !r.inRange() {
			return false
		}
		if r.tokens.StackDepth() <= depth {
			return true
		}
	}
}

// inRange reports whether the number that was read is in the range of float64. Without an exponent it takes more than 300 digits to leave it.
func (r *jsonReader) inRange() bool {
	source := r.text[r.pos:r.end()]
	return len(source) <= 300 && !bytes.ContainsAny(source, "eE") || r.number(new(Node))
}

// number reads the number that was read. opm converts every number to float64.
func (r *jsonReader) number(n *Node) bool {
	source := string(r.text[r.pos:r.end()])
	text, ok := jsonNumber(source)
	if !ok {
		r.err = &Error{r.place(), fmt.Sprintf("the number %s is out of range", source)}
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

// fail says why the next token cannot be read.
func (r *jsonReader) fail(err error) {
	if r.err != nil {
		return
	}
	at, ended := len(r.text), errors.Is(err, io.ErrUnexpectedEOF)
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok && !ended {
		at = int(syntactic.ByteOffset)
	}
	begin := r.pos
	r.pos = max(begin, at) // within the token
	inside := begin < len(r.text) && r.pos > begin
	depth := r.tokens.StackDepth()
	in, length := r.tokens.StackIndex(depth)
	switch {
	case inside && r.text[begin] == '"' && ended:
		r.pos = begin
		r.setError("the text ends inside a string that begins here")
	case inside && r.text[begin] == '"' && r.text[r.pos] == '\\':
		r.setError("not an escape that JSON knows")
	case inside && r.text[begin] == '"':
		r.setError("the control character %s in a string must be escaped", r.describeCurrent())
	case inside && strings.IndexByte("-0123456789", r.text[begin]) >= 0 && (in != '{' || length%2 == 1):
		r.setError("expected a digit, found %s", r.describeCurrent())
	case depth > maxDepth-1:
		r.pos = min(begin+1, len(r.text))
		r.setError("values nest deeper than %d", maxDepth)
	default:
		r.pos = begin
		r.setError("%s", r.describeExpected())
	}
}

// describeExpected says what is wanted where the next token is.
func (r *jsonReader) describeExpected() string {
	in, length := r.tokens.StackIndex(r.tokens.StackDepth())
	isKey := in == '{' && length%2 == 0
	closing := byte(in + 2)
	switch {
	case in == '{' && !isKey && (r.delim.pos < 0 || r.text[r.delim.pos] != ':'):
		if r.delim.pos >= 0 {
			r.spot = r.delim
		}
		return "expected a colon after a key, found " + r.describeCurrent()
	case r.delim.pos >= 0 && (in == 0 || length == 0):
		r.spot = r.delim
	case r.delim.pos >= 0 && r.text[r.delim.pos] == ':' && (isKey || in == '['):
		r.spot = r.delim
		return fmt.Sprintf("expected a comma or %q after a value, found ':'", closing)
	case in != 0 && r.pos == len(r.text) && (isKey || in == '['):
		return "the text ends inside an object or a list"
	case length > 0 && r.delim.pos < 0 && (isKey || in == '['):
		return fmt.Sprintf("expected a comma or %q after a value, found %s", closing, r.describeCurrent())
	}
	if isKey {
		return "expected a key in double quotes, found " + r.describeCurrent()
	}
	return "expected a value, found " + r.describeCurrent()
}

func (r *jsonReader) setError(format string, args ...any) {
	r.err = &Error{r.place(), fmt.Sprintf(format, args...)}
}

// describeCurrent describes the character at pos, for a message.
func (r *jsonReader) describeCurrent() string {
	if r.pos >= len(r.text) {
		return "the end of the text"
	}
	c, _ := utf8.DecodeRune(r.text[r.pos:])
	return strconv.QuoteRune(c)
}
