package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	opm "go.yaml.in/yaml/v2"
	"gopkg.in/yaml.v3"
)

// maxFull is the size up to which the full parser reads a document, in bytes: it takes about 20 times that of memory.
const maxFull = 32 << 20

// maxCommentWork bounds the time that comments take to about a second: where blocks end, the full parser reads all comments there once
// for each block.
const maxCommentWork = 1 << 28

// ParseYAML reads one document of a YAML stream. The text may begin with the document's --- line; at is the place of
// its first byte. A text without a value is null.
//
// Values for which skip returns true may stay Raw, and are good YAML; skip may be nil.
//
// A second document in the text, after a line of three dots, is not read, as opm does not read it; lost is its place.
func ParseYAML(text []byte, at Place, skip Skip) (root Node, lost *Place, err *Error) {
	return new(Scratch).ParseYAML(text, at, skip)
}

// ParseYAML is the function ParseYAML with reused memory.
func (s *Scratch) ParseYAML(text []byte, at Place, skip Skip) (root Node, lost *Place, err *Error) {
	if root, ok := parseBlock(s, text, at, skip); ok {
		return root, nil, nil
	}
	return parseFull(text, at)
}

// ExpandYAML parses a value that ParseYAML left Raw, given the same text and place. A node that is not Raw is returned unchanged.
func (s *Scratch) ExpandYAML(text []byte, at Place, n Node) (Node, *Error) {
	if n.Kind != Raw {
		return n, nil
	}
	if built, ok := expandBlock(s, text, at, n); ok {
		return built, nil
	}
	return Node{}, &Error{n.Place, "the value is not the one that was checked"}
}

// parseFull reads a document with the full YAML parser.
func parseFull(text []byte, at Place) (root Node, lost *Place, err *Error) {
	if len(text) > maxFull {
		return Node{}, nil, &Error{at, fmt.Sprintf("the document has %d bytes and uses YAML beyond plain block style, "+
			"which is read up to %d bytes: write it in plain block style or as JSON", len(text), maxFull)}
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return Node{}, nil, &Error{at, "the text is in UTF-16: save it as UTF-8"}
	}
	if commentWork(text) > maxCommentWork {
		return Node{}, nil, &Error{at, "the document has too many comments for blocks that are nested so deeply"}
	}
	defer func() {
		if p := recover(); p != nil {
			root, lost, err = Node{}, nil, &Error{at, fmt.Sprintf("the YAML parser gave up: %v", p)}
		}
	}()
	l := indexLines(text, at)
	parser := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if e := parser.Decode(&first); errors.Is(e, io.EOF) {
		return Node{Place: at}, nil, nil
	} else if e != nil {
		if root, lost, ok := firstObject(text, at); ok {
			return root, lost, nil
		}
		return Node{}, nil, parserError(l, e)
	}
	l.locate(first.Content[0])
	b := builder{lines: l, count: 1, open: map[*yaml.Node]bool{}}
	if root, err = b.root(first.Content[0]); err != nil {
		return Node{}, nil, err
	}
	if e := parser.Decode(&second); e == nil {
		p := l.place(l.offset(second.Line, second.Column))
		lost = &p
	} else if !errors.Is(e, io.EOF) {
		lost = &parserError(l, e).Place
	}
	return root, lost, nil
}

// objectAfter matches the end of an object before a line that begins with another one.
var objectAfter = regexp.MustCompile(`\}\s*\n\{`)

// firstObject reads the {…} that a text begins with if another one follows, which is an error for the full parser, and not for that of opm:
// opm's parser reads one token ahead (go.yaml.in/yaml/v2: parserc peek_token) and drops the rest, the full parser reads two ahead.
// lost is the place of what is dropped. It returns false if opm rejects the text as well.
func firstObject(text []byte, at Place) (root Node, lost *Place, ok bool) {
	between := objectAfter.FindIndex(text)
	if between == nil || opm.Unmarshal(text, &unread{}) != nil {
		return Node{}, nil, false
	}
	root, _, err := ParseYAML(text[:between[0]+1], at, nil)
	if err != nil || root.Kind != Map {
		return Node{}, nil, false
	}
	place := indexLines(text, at).place(between[1] - 1)
	return root, &place, true
}

// unread accepts any document, and decodes none of its values.
type unread struct{}

func (*unread) UnmarshalYAML(func(any) error) error { return nil }

// commentWork multiplies how many comments there can be by how deep blocks can be nested, judging by the longest run of
// indentation and indicators.
func commentWork(text []byte) int {
	run, longest := 0, 0
	for _, c := range text {
		if c == ' ' || c == '-' || c == '?' || c == ':' {
			run++
		} else {
			longest = max(longest, run)
			run = 0
		}
	}
	return bytes.Count(text, []byte("#")) * min(longest, maxDepth)
}

var parserLine = regexp.MustCompile(`^line (\d+): `)

// parserError takes the line out of the parser's message.
func parserError(l *lines, e error) *Error {
	msg := strings.TrimPrefix(e.Error(), "yaml: ")
	if m := parserLine.FindStringSubmatch(msg); m != nil {
		line, _ := strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
		if isStructural(msg) {
			line++ // these count from 0
		}
		off := l.offset(line, 1)
		if strings.HasSuffix(msg, " key") || strings.HasSuffix(msg, " '-' indicator") {
			off = max(off, blockStop(l.text))
		}
		return &Error{l.place(off), msg}
	}
	if name, ok := strings.CutPrefix(msg, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		if i := bytes.Index(l.text, []byte("*"+name)); i >= 0 {
			return &Error{l.place(i), msg}
		}
	}
	for i, r := range string(l.text) {
		if r == utf8.RuneError && !bytes.HasPrefix(l.text[i:], []byte("\uFFFD")) || isControl(r) {
			return &Error{l.place(i), msg}
		}
	}
	return &Error{l.base, msg}
}

// isStructural reports whether a message is one of the parser and not of its scanner.
func isStructural(msg string) bool {
	what, ok := strings.CutPrefix(msg, "did not find expected ")
	switch what {
	case "key", "node content", "'-' indicator", "',' or ']'", "',' or '}'", "<document start>":
		return ok
	}
	return msg == "found undefined tag handle"
}

// blockStop returns the offset at which the block reader finds a fault in the structure of the text, which is more exact than the
// place that the parser reports. It is 0 if the text there is valid in other styles.
func blockStop(text []byte) int {
	b := blockReader{Scratch: new(Scratch), text: text}
	if !isPlainText(text) || !b.start() || b.col < 0 || b.node(-1, nil) && b.col < 0 ||
		b.pos == len(text) || !startsPlain(text, b.pos) {
		return 0
	}
	return b.pos
}

// isControl reports whether YAML forbids a character.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || 0x7f <= r && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}
