package catalogs

import (
	"bytes"
	"strconv"
	"strings"
)

// only is the name of the one package that is to be read, or "" for all.
type only string

// wants reports whether objects of a package are to be read.
func (o only) wants(pkg string) bool { return o == "" || string(o) == pkg }

// mayBeIn reports whether a text could hold an object of the package. It is false only where the name does not stand in
// the text, in whatever way YAML or JSON could write it.
func (o only) mayBeIn(text []byte) bool {
	return o == "" || !o.plain() || bytes.Contains(text, []byte(o)) || o.escapedIn(text)
}

// plain reports whether nothing but an escape can write the name in another way: no quotes to double, no blanks at which
// a line may break.
func (o only) plain() bool {
	for i := 0; i < len(o); i++ {
		switch c := o[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return false
		}
	}
	return true
}

// escapedIn reports whether a text has an escape that may stand for a character of the name, or for a line break inside it.
func (o only) escapedIn(text []byte) bool {
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
			if err != nil || strings.ContainsRune(string(o), rune(code)) {
				return true
			}
		}
		text = text[i+2:]
	}
}
