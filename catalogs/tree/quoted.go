package tree

import (
	"strconv"
	"unicode/utf8"
)

// quoteEnd returns the offset after a quoted scalar that starts at i, or -1 if it does not end in its line.
func quoteEnd(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote && quote == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case c == quote:
			return i + 1
		case c == '\n':
			return -1
		case c == '\\' && quote == '"' && i+1 < len(text) && text[i+1] != '\n':
			i++
		}
	}
	return -1
}

// readQuoted reads a quoted scalar. The text is valid until the next scalar is read.
func (b *blockReader) readQuoted() (text []byte, ok bool) {
	quote := b.text[b.pos]
	b.pos++
	start := b.pos
	b.quotedRun(quote)
	if b.pos == len(b.text) {
		return nil, false
	}
	text = b.text[start:b.pos]
	if b.text[b.pos] != quote || b.isDoubledQuote() {
		b.buf = append(b.buf[:0], text...)
		if !b.quotedRest(quote) {
			return nil, false
		}
		text = b.buf
	}
	b.pos++
	b.end = b.pos
	return text, true
}

// quotedRun moves to the next byte that may have a meaning of its own in quotes.
func (b *blockReader) quotedRun(quote byte) {
	for b.pos < len(b.text) {
		if c := b.text[b.pos]; c == quote || c == '\n' || c == '\t' || c == '\\' && quote == '"' {
			return
		}
		b.pos++
	}
}

// isDoubledQuote reports whether there are two single quotes here, which mean one inside single quotes.
func (b *blockReader) isDoubledQuote() bool {
	return b.text[b.pos] == '\'' && b.pos+1 < len(b.text) && b.text[b.pos+1] == '\''
}

// quotedRest appends the text up to the closing quote to buf, with its lines folded and its escapes resolved.
func (b *blockReader) quotedRest(quote byte) bool {
	solid := b.solid(0) // the length of buf without the blanks at the line's end
	for {
		switch c := b.text[b.pos]; {
		case c == '\n':
			b.buf = b.buf[:solid]
			b.fold(b.quotedBreaks())
		case b.isDoubledQuote():
			b.buf = append(b.buf, '\'')
			b.pos += 2
		case c == quote:
			return true
		case c != '\\':
			return false
		case b.pos+1 < len(b.text) && b.text[b.pos+1] == '\n':
			b.pos++
			b.breaks(b.quotedBreaks() - 1)
		default:
			if !b.escape() {
				return false
			}
		}
		start := b.pos
		solid = len(b.buf)
		b.quotedRun(quote)
		b.buf = append(b.buf, b.text[start:b.pos]...)
		solid = b.solid(solid)
		if b.pos == len(b.text) {
			return false
		}
	}
}

// solid returns the length of buf without the blanks at its end, but not less than from.
func (b *blockReader) solid(from int) int {
	n := len(b.buf)
	for n > from && b.buf[n-1] == ' ' {
		n--
	}
	return n
}

// quotedBreaks skips line breaks and blanks and returns the number of line breaks.
func (b *blockReader) quotedBreaks() int {
	line := b.line
	for b.pos < len(b.text) {
		switch b.text[b.pos] {
		case ' ':
			b.pos++
		case '\n':
			b.lineBreak()
		default:
			return b.line - line
		}
	}
	return b.line - line
}

// escapes are the characters that a backslash and one letter mean.
var escapes = [256]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '\'': "'", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape appends the character that the escape here means.
func (b *blockReader) escape() bool {
	if b.pos+1 == len(b.text) {
		return false
	}
	letter := b.text[b.pos+1]
	b.pos += 2
	digits := 0
	switch letter {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		b.buf = append(b.buf, escapes[letter]...)
		return escapes[letter] != ""
	}
	if b.pos+digits > len(b.text) {
		return false
	}
	r, err := strconv.ParseUint(string(b.text[b.pos:b.pos+digits]), 16, 32)
	if err != nil || !utf8.ValidRune(rune(r)) {
		return false
	}
	b.pos += digits
	b.buf = utf8.AppendRune(b.buf, rune(r))
	return true
}
