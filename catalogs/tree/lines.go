package tree

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// lines converts the lines and columns of the YAML parser to places. The parser counts columns in characters, and begins a line also
// after a lone carriage return, U+0085, U+2028 and U+2029.
type lines struct {
	text        []byte
	base        Place
	fileLines   []int32 // offsets of lines
	parserLines []int32 // offsets of the parser's lines

	// The last result, so that many nodes on one line are not each searched from its start.
	line, col, off int
}

func indexLines(text []byte, base Place) *lines {
	l := &lines{text: text, base: base, fileLines: []int32{0}, parserLines: []int32{0}, line: -1}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		crlf := r == '\r' && i < len(text) && text[i] == '\n'
		switch {
		case r == '\n':
			l.fileLines = append(l.fileLines, int32(i))
			l.parserLines = append(l.parserLines, int32(i))
		case r == '\r' && !crlf, r == 0x85, r == 0x2028, r == 0x2029:
			l.parserLines = append(l.parserLines, int32(i))
		}
	}
	return l
}

// offset returns the offset of a line and column of the parser, both 1-based; after the last line, the end of the text.
func (l *lines) offset(line, col int) int {
	line, col = max(line-1, 0), col-1
	if line >= len(l.parserLines) {
		return len(l.text)
	}
	if line != l.line || col < l.col {
		l.line, l.col, l.off = line, 0, int(l.parserLines[line])
		if l.off == 0 && bytes.HasPrefix(l.text, []byte("\uFEFF")) {
			l.off = len("\uFEFF") // which the parser does not count
		}
	}
	for l.col < col && l.off < len(l.text) {
		_, size := utf8.DecodeRune(l.text[l.off:])
		l.off += size
		l.col++
	}
	return l.off
}

// place returns the place of an offset.
func (l *lines) place(off int) Place {
	line, found := slices.BinarySearch(l.fileLines, int32(off))
	if !found {
		line--
	}
	col := off - int(l.fileLines[line])
	return l.base.shift(line, col, off)
}

// shift returns a place in a text that begins at p; line, col and off are 0-based in that text.
func (p Place) shift(line, col, off int) Place {
	if line == 0 {
		col += p.Col - 1
	}
	return Place{Off: p.Off + off, Line: p.Line + line, Col: col + 1}
}

// locate replaces the Line of n and of all nodes below by the offset in the text.
func (l *lines) locate(n *yaml.Node) {
	n.Line = l.offset(n.Line, n.Column)
	for _, child := range n.Content {
		l.locate(child)
	}
}
