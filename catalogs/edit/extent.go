package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// span is a piece of the text.
type span struct{ from, to int }

// scalar returns the span of a string or null that is in one line and has no anchor, alias or tag. flow says whether it is inside
// brackets.
func (d *document) scalar(n *tree.Node, flow bool) (span, error) {
	s := span{n.Off, n.Off}
	if n.Off >= len(d.text) {
		return s, nil // an empty value at the end of the text
	}
	switch d.text[n.Off] {
	case '"', '\'':
		if n.Kind != tree.String {
			return s, ErrForm
		}
		s.to = quoteEnd(d.text, n.Off)
		if s.to < 0 || bytes.IndexByte(d.text[s.from:s.to], '\n') >= 0 {
			return s, ErrForm
		}
		return s, nil
	}
	s.to = plainEnd(d.text, n.Off, flow || d.json)
	switch token := string(d.text[s.from:s.to]); {
	case n.Kind == tree.String && token == n.Text:
		return s, nil
	case n.Kind == tree.Null && slices.Contains([]string{"", "~", "null", "Null", "NULL"}, token):
		return s, nil
	}
	return s, ErrForm
}

// quoteEnd returns the offset after a quoted string, or -1.
func quoteEnd(text []byte, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// plainEnd returns the offset after a plain scalar: at the end of the line or before a comment, in brackets also before what ends an
// item.
func plainEnd(text []byte, at int, flow bool) int {
	i := at
	for i < len(text) && text[i] != '\n' && !(flow && strings.IndexByte(",]}", text[i]) >= 0) && !startsComment(text, i) {
		i++
	}
	return at + len(bytes.TrimRight(text[at:i], " \t\r"))
}

// startsComment reports whether a comment starts at an offset.
func startsComment(text []byte, i int) bool {
	return text[i] == '#' && (i == 0 || strings.IndexByte(" \t\r\n", text[i-1]) >= 0)
}

// valueEnd returns the offset after a value in brackets, or after one that is inside brackets.
func (d *document) valueEnd(n *tree.Node) (int, error) {
	switch {
	case n.Kind == tree.Number || n.Kind == tree.Bool:
		return plainEnd(d.text, n.Off, true), nil
	case n.Kind != tree.List && n.Kind != tree.Map:
		s, err := d.scalar(n, true)
		return s.to, err
	case d.flow(n):
		if end := d.bracketEnd(n.Off); end > 0 {
			return end, nil
		}
	}
	return 0, ErrForm
}

// bracketEnd returns the offset after the bracket that closes the one at an offset, or -1.
func (d *document) bracketEnd(off int) int {
	depth := 0
	for i := off; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"' || c == '\'' && !d.json && startsQuote(d.text, i):
			if i = quoteEnd(d.text, i) - 1; i < 0 {
				return -1
			}
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case !d.json && startsComment(d.text, i):
			i = lineEnd(d.text, i) - 1
		}
	}
	return -1
}

// startsQuote reports whether an apostrophe in brackets begins a string, and is not part of a plain scalar.
func startsQuote(text []byte, i int) bool {
	return i == 0 || strings.IndexByte(" \t\r\n,[{:", text[i-1]) >= 0
}

// flow reports whether a list or an object is written in brackets.
func (d *document) flow(n *tree.Node) bool {
	return n.Off < len(d.text) && (d.text[n.Off] == '[' && n.Kind == tree.List || d.text[n.Off] == '{' && n.Kind == tree.Map)
}

// lineStart returns the start of the line at an offset.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the offset after the line at an offset.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// endsLine reports whether nothing but a comment is between an offset and the end of its line.
func endsLine(text []byte, at int) bool {
	i := at
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i == len(text) || text[i] == '\n' || startsComment(text, i)
}

// lineBreakAt returns the line break of the line at an offset, or, if it has none, that of the line before it.
func lineBreakAt(text []byte, at int) string {
	end := lineEnd(text, at)
	if end == len(text) && (end == 0 || text[end-1] != '\n') {
		end = lineStart(text, at)
	}
	if bytes.HasSuffix(text[:end], []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
