// Package mention determines whether texts of YAML or JSON mention names, without parsing them: most texts need not be parsed if
// only one package is read, or a few.
package mention

import (
	"bytes"
	"strconv"
	"strings"
)

// Possible reports whether the values in a text may contain a name. It returns false only if they do not, however YAML or JSON could
// write the name.
func Possible(text []byte, name string) bool {
	return !isPlain(name) || bytes.Contains(text, []byte(name)) || mayBeEscaped(text, name)
}

// isPlain reports whether a name has only one spelling without escapes: it has no quote that may be doubled, and no blank at which
// a line may break.
func isPlain(name string) bool {
	for i := range len(name) {
		if !nameBytes[name[i]] {
			return false
		}
	}
	return true
}

// mayBeEscaped reports whether a text has an escape that may be a character of the name, or a line break inside it.
func mayBeEscaped(text []byte, name string) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return false
		}
		switch text[i+1] {
		case 'x', 'U', '\n', '\r':
			return true
		case 'u':
			code, err := strconv.ParseUint(string(text[i+2:min(i+6, len(text))]), 16, 32)
			if err != nil || strings.ContainsRune(name, rune(code)) {
				return true
			}
		}
		text = text[i+2:]
	}
}

// Names is a set of names. A name has letters, digits, dots, hyphens and underscores only; others are never found.
type Names map[string]bool

// In reports whether one of the names is a whole value in a text, and not a word of a longer one: descriptions name everything. A
// name that is written with escapes is not found.
func (n Names) In(text []byte) bool {
	for at := 0; at < len(text); at++ {
		begin := at
		for at < len(text) && nameBytes[text[at]] {
			at++
		}
		if at > begin && n[string(text[begin:at])] && startsValue(text[:begin]) {
			return true
		}
	}
	return false
}

// startsValue reports whether a value can start after a text: after a quote, after a key, or on a line of its own.
func startsValue(before []byte) bool {
	trimmed := bytes.TrimRight(before, "\"' \t\r\n")
	if len(trimmed) == 0 {
		return true
	}
	switch last := trimmed[len(trimmed)-1]; last {
	case ':', '-', '[', '{', ',', '>', '|', '?':
		return len(trimmed) < len(before)
	}
	token := trimmed[1+bytes.LastIndexAny(trimmed, " \t\r\n"):]
	return len(trimmed) < len(before) && (token[0] == '!' || token[0] == '&') // a tag or an anchor
}

// nameBytes are the bytes of which names consist.
var nameBytes = func() (is [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") {
		is[c] = true
	}
	return is
}()
