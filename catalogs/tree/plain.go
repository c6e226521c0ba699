package tree

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// isPlainText reports whether the text has only characters that all parsers of YAML read alike: no control characters except tabs and
// line feeds, no line breaks of Unicode, no byte order marks, no invalid UTF-8.
func isPlainText(text []byte) bool {
	const (
		ones = 0x0101010101010101
		high = 0x80 * ones
	)
	ascii := true
	i := 0
	for ; i+8 <= len(text); i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		low := word &^ high
		// The high bit of each byte is set if it is below a blank and not a line feed, or delete.
		odd := ^(low+(0x80-' ')*ones)&((low^'\n'*ones)+0x7f*ones) | (low + ones)
		if (odd|word)&high == 0 {
			continue
		}
		for _, c := range text[i : i+8] {
			if c >= utf8.RuneSelf {
				ascii = false
			} else if isOddASCII(c) {
				return false
			}
		}
	}
	for _, c := range text[i:] {
		if c >= utf8.RuneSelf {
			ascii = false
		} else if isOddASCII(c) {
			return false
		}
	}
	return ascii || utf8.Valid(text) && !hasOddUnicode(text)
}

func isOddASCII(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }

// hasOddUnicode reports whether valid UTF-8 has U+0080 to U+009F, U+2028, U+2029, U+FEFF, U+FFFE and U+FFFF.
func hasOddUnicode(text []byte) bool {
	return hasAfter(text, 0xc2, func(next []byte) bool { return next[0] < 0xa0 }) ||
		hasAfter(text, 0xe2, func(next []byte) bool { return next[0] == 0x80 && (next[1] == 0xa8 || next[1] == 0xa9) }) ||
		hasAfter(text, 0xef, func(next []byte) bool {
			return next[0] == 0xbb && next[1] == 0xbf || next[0] == 0xbf && next[1] >= 0xbe
		})
}

func hasAfter(text []byte, lead byte, odd func(next []byte) bool) bool {
	for {
		i := bytes.IndexByte(text, lead)
		if i < 0 {
			return false
		}
		if text = text[i+1:]; odd(text) {
			return true
		}
	}
}

// stops has the bytes that can end a plain scalar, depending on what is before or after them.
var stops = [256]bool{'\n': true, ':': true, '#': true, '\t': true}

// plainEnd returns where a plain scalar that continues at i ends in its line: at a comment, at the colon after a key, at a tab, or at the
// line's end. Blanks before that are included.
func plainEnd(text []byte, i int) int {
	for ; i < len(text); i++ {
		if !stops[text[i]] {
			continue
		}
		switch text[i] {
		case ':':
			if !blankAt(text, i+1) {
				continue
			}
		case '#':
			if text[i-1] != ' ' {
				continue
			}
		}
		break
	}
	return i
}

// blankAt reports whether a blank, a line feed or the end is at i.
func blankAt(text []byte, i int) bool {
	return i >= len(text) || text[i] == ' ' || text[i] == '\n'
}

// startsPlain reports whether a plain scalar can start at i.
func startsPlain(text []byte, i int) bool {
	switch text[i] {
	case '-', '?', ':':
		return i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '\n' && text[i+1] != '\t'
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ' ', '\n', '\t':
		return false
	}
	return true
}
