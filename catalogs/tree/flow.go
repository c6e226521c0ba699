package tree

import (
	"bytes"
	"strings"

	opm "go.yaml.in/yaml/v2"
)

// flowAlone reads the {…} that a text begins with if the text after it is an error for the full parser, and not for that of opm:
// opm's parser reads one token ahead (go.yaml.in/yaml/v2: parserc peek_token) and drops the rest, the full parser reads two ahead.
// lost is the place of what is dropped. It returns false if opm rejects the text as well.
func flowAlone(text []byte, at Place) (root Node, lost *Place, ok bool) {
	begin := flowBegin(text)
	end := flowEnd(text, begin)
	rest := end + blanks(text[end:])
	if end == begin || rest == len(text) || opm.Unmarshal(text, &unread{}) != nil {
		return Node{}, nil, false
	}
	root, _, err := ParseYAML(text[:end], at, nil)
	if err != nil || root.Kind != Map {
		return Node{}, nil, false
	}
	place := indexLines(text, at).place(rest)
	return root, &place, true
}

// unread accepts any document, and decodes none of its values.
type unread struct{}

func (*unread) UnmarshalYAML(func(any) error) error { return nil }

// flowBegin returns the offset of the first text after blank lines, comments and a separator line.
func flowBegin(text []byte) int {
	begin := 0
	for begin < len(text) {
		begin += blanks(text[begin:])
		switch rest := text[begin:]; {
		case bytes.HasPrefix(rest, []byte("#")):
			begin += lineLength(rest)
		case bytes.HasPrefix(rest, []byte("---")):
			begin += len("---")
		default:
			return begin
		}
	}
	return begin
}

// blanks returns how many bytes of white space a text begins with.
func blanks(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " \t\r\n")) }

// lineLength returns the length of the first line, without its line feed.
func lineLength(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// flowEnd returns the offset after the {…} or […] that begins at an offset, or that offset if none begins there or it has no end.
// In a plain scalar quotes have no meaning.
func flowEnd(text []byte, begin int) int {
	depth, plain := 0, false
	for i := begin; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth, plain = depth+1, false
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			plain = false
		default:
			i, plain = skipFlowByte(text, i, plain)
		}
		if depth == 0 {
			return begin
		}
	}
	return begin
}

// skipFlowByte returns the offset of the last byte of a comment, a quoted scalar, an anchor, an alias or a tag at an offset, whose
// brackets have no meaning, or else the offset itself; and whether it is in a plain scalar, given whether the byte before is.
func skipFlowByte(text []byte, i int, plain bool) (last int, inPlain bool) {
	switch c := text[i]; c {
	case ',':
		return i, false
	case ':':
		return i, plain && i+1 < len(text) && !endsName(text[i+1])
	case ' ', '\t', '\r', '\n':
		return i, plain
	case '#':
		if i > 0 && bytes.IndexByte([]byte(" \t\r\n"), text[i-1]) >= 0 {
			i += lineLength(text[i:])
		}
		return i, plain
	case '"', '\'', '&', '!', '*':
		if plain {
			return i, true
		}
		if c == '"' || c == '\'' {
			return i + quotedLength(text[i:]) - 1, false
		}
		for i+1 < len(text) && !endsName(text[i+1]) {
			i++
		}
		return i, false
	}
	return i, true
}

// endsName reports whether an anchor or a tag ends before a byte, and a key before the colon in front of it.
func endsName(c byte) bool { return strings.IndexByte(" \t\r\n,[]{}", c) >= 0 }

// quotedLength returns the length of the quoted scalar that a text begins with, over all its lines; that of the whole text if it
// does not end.
func quotedLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == text[0] && text[0] == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}
