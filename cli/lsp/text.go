package lsp

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs"
)

// index is a text that never changes, and where its lines begin.
type index struct {
	text  []byte
	lines []int // end with \n, as those of catalogs.Pos: a \r alone, which ends a line too for LSP, is in no catalog
	utf8  bool  // characters of positions are bytes, otherwise they are units of UTF-16
	ascii bool  // each byte is a character
}

func newIndex(text []byte, inBytes bool) *index {
	x := &index{text: text, utf8: inBytes, lines: []int{0}, ascii: !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf })}
	for i, c := range text {
		if c == '\n' {
			x.lines = append(x.lines, i+1)
		}
	}
	return x
}

// line returns where a line begins and ends, without its end of line.
func (x *index) line(n int) (from, to int) {
	from, to = x.lines[n], len(x.text)
	if n+1 < len(x.lines) {
		to = x.lines[n+1]
	}
	for to > from && (x.text[to-1] == '\n' || x.text[to-1] == '\r') {
		to--
	}
	return from, to
}

// offset returns the offset of a position. One behind the end of a line or of the text is that end (LSP: Position), one inside of a
// character is that character.
func (x *index) offset(p position) int {
	switch {
	case p.Line >= uint32(len(x.lines)):
		return len(x.text)
	case p.Character == 0:
		return x.lines[p.Line]
	}
	from, to := x.line(int(p.Line))
	units := p.Character
	for from < to {
		r, size := utf8.DecodeRune(x.text[from:to])
		width := x.width(r, size)
		if units < width {
			break
		}
		units, from = units-width, from+size
	}
	return from
}

// width returns how many units of positions a rune has.
func (x *index) width(r rune, size int) uint32 {
	switch {
	case x.utf8:
		return uint32(size)
	case r >= 0x10000:
		return 2
	}
	return 1
}

// position returns the position of an offset, of one inside of a character that of the character.
func (x *index) position(off int) position {
	off = min(max(off, 0), len(x.text))
	n, exact := slices.BinarySearch(x.lines, off)
	if !exact {
		n--
	}
	p := position{Line: uint32(n)}
	if x.ascii {
		p.Character = uint32(off - x.lines[n])
		return p
	}
	for i := x.lines[n]; i < off; {
		r, size := utf8.DecodeRune(x.text[i:])
		if i += size; i <= off {
			p.Character += x.width(r, size)
		}
	}
	return p
}

func (x *index) span(from, to int) textRange { return textRange{x.position(from), x.position(to)} }

// posOffset returns the offset of a position in a catalog: the nearest one if the text does not have it.
func (x *index) posOffset(p catalogs.Pos) int {
	if p.Line < 1 {
		return 0
	}
	if p.Line > len(x.lines) {
		return len(x.text)
	}
	end := len(x.text)
	if p.Line < len(x.lines) {
		end = x.lines[p.Line] - 1
	}
	return min(x.lines[p.Line-1]+max(p.Col-1, 0), end)
}

// place returns the line and column of an offset, as those of catalogs.Pos.
func (x *index) place(off int) (line, col int) {
	n, exact := slices.BinarySearch(x.lines, off)
	if !exact {
		n--
	}
	return n + 1, off - x.lines[n] + 1
}

// valueEnd returns where the scalar or the key at an offset ends, at most the end of its line.
func (x *index) valueEnd(from int) int {
	rest := x.text[from:]
	if i := bytes.IndexAny(rest[:min(len(rest), maxLine)], "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	rest = rest[:min(len(rest), maxLine)]
	if len(rest) == 0 {
		return from
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		return from + quotedEnd(rest, quote)
	}
	for i := 1; i < len(rest); i++ {
		next := byte(' ')
		if i+1 < len(rest) {
			next = rest[i+1]
		}
		if rest[i] == ':' && next == ' ' || rest[i] == ' ' && next == '#' || bytes.IndexByte([]byte(",]}"), rest[i]) >= 0 && bytes.IndexByte([]byte(" ,]}"), next) >= 0 {
			rest = rest[:i]
			break
		}
	}
	return from + len(bytes.TrimRight(rest, " \t"))
}

// maxLine is how much of a line is looked at, in bytes.
const maxLine = 4096

// quotedEnd returns the length of the quoted string that a line begins with.
func quotedEnd(line []byte, quote byte) int {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quote == '"':
			i++
		case line[i] == quote && quote == '\'' && i+1 < len(line) && line[i+1] == quote:
			i++
		case line[i] == quote:
			return i + 1
		}
	}
	return len(line)
}

// change is an edit of a text: what is between two places is replaced. Lines and columns are those of catalogs.Pos.
type change struct {
	file                string
	fromLine, fromCol   int
	untilLine, untilCol int // in the text before
	toLine, toCol       int // where the new text ends
}

// replace returns the text with another one between two offsets.
func (x *index) replace(from, to int, with string) (*index, change) {
	c := change{}
	c.fromLine, c.fromCol = x.place(from)
	c.untilLine, c.untilCol = x.place(to)
	next := newIndex(slices.Concat(x.text[:from], []byte(with), x.text[to:]), x.utf8)
	c.toLine, c.toCol = next.place(from + len(with))
	return next, c
}

// movePos returns where a position is after the change.
func (c change) movePos(p catalogs.Pos) catalogs.Pos {
	switch {
	case p.File != c.file || p.Line == 0 || p.Line < c.fromLine || p.Line == c.fromLine && p.Col <= c.fromCol:
	case p.Line < c.untilLine || p.Line == c.untilLine && p.Col < c.untilCol:
		p.Line, p.Col = c.fromLine, c.fromCol
	case p.Line == c.untilLine:
		p.Line, p.Col = c.toLine, c.toCol+p.Col-c.untilCol
	default:
		p.Line += c.toLine - c.untilLine
	}
	return p
}
