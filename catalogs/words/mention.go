package words

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// MayContain reports whether the values in a text may contain a name. It returns false only if they do not, however YAML or JSON could
// write the name.
func MayContain(text []byte, name string) bool {
	return !isPlain(name) || bytes.Contains(text, []byte(name)) || mayBeEscaped(text, name)
}

// isPlain reports whether a name has only one spelling without escapes: it has no quote that may be doubled, and no blank at which
// a line may break.
func isPlain(name string) bool {
	return hasOnly(name, &nameBytes)
}

func hasOnly(text string, bytes *[256]bool) bool {
	for i := range len(text) {
		if !bytes[text[i]] {
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

// OccurIn reports whether one of the names is a whole value in a text, and not a word of a longer one: descriptions name everything. A
// name that is written with escapes is not found.
func (n Names) OccurIn(text []byte) bool {
	var lengths [256]uint64 // of the names that begin with a byte, as bits
	for name := range n {
		if name != "" {
			lengths[name[0]] |= lengthBit(len(name))
		}
	}
	for at := 0; at < len(text); at++ {
		begin := at
		for at < len(text) && nameBytes[text[at]] {
			at++
		}
		if at > begin && lengths[text[begin]]&lengthBit(at-begin) != 0 && n[string(text[begin:at])] && startsValue(text[:begin]) {
			return true
		}
	}
	return false
}

// Images is a set of references of images.
type Images struct {
	usual   map[string]bool // of the usual characters only
	unusual []string
}

// NewImages returns the set of some references.
func NewImages(images iter.Seq[string]) *Images {
	set := &Images{usual: map[string]bool{}}
	for image := range images {
		if hasOnly(image, &imageBytes) {
			set.usual[image] = true
		} else {
			set.unusual = append(set.unusual, image)
		}
	}
	return set
}

// OccurIn reports whether one of the references is in a text, in time that does not depend on how many there are of the usual characters. One
// that is written with escapes is not found.
func (s *Images) OccurIn(text []byte) bool {
	for at := 0; at < len(text); at++ {
		begin := at
		for at < len(text) && imageBytes[text[at]] {
			at++
		}
		if at > begin && s.usual[string(text[begin:at])] {
			return true
		}
	}
	return slices.ContainsFunc(s.unusual, func(image string) bool { return bytes.Contains(text, []byte(image)) })
}

// lengthBit is one of 64 bits; all greater lengths have the last one.
func lengthBit(length int) uint64 { return 1 << min(length, 63) }

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

const nameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"

// nameBytes are the bytes of which names consist, and imageBytes those of the usual references of images.
var nameBytes, imageBytes = byteSet(nameChars), byteSet(nameChars + "/:@+")

func byteSet(chars string) (is [256]bool) {
	for _, c := range []byte(chars) {
		is[c] = true
	}
	return is
}

// maxWords bounds the memory of Words.
const maxWords = 1 << 20

// Words are the words of texts that could not be parsed: what these would define is among them. The zero value has none.
type Words struct {
	words map[string]bool
	any   bool
}

// Add adds the words of a text: runs of letters, digits, dots, hyphens and underscores, without separators at their ends. A text with
// a NUL is in another encoding, and may have any word.
func (w *Words) Add(text []byte) {
	if bytes.IndexByte(text, 0) >= 0 {
		w.AddAny()
	}
	for at := 0; at < len(text) && !w.any; at++ {
		begin := at
		for at < len(text) && nameBytes[text[at]] {
			at++
		}
		if word := strings.Trim(string(text[begin:at]), "-._"); word != "" {
			w.add(word)
		}
	}
}

func (w *Words) add(word string) {
	if w.words == nil {
		w.words = map[string]bool{}
	}
	if w.words[word] = true; len(w.words) > maxWords {
		w.AddAny()
	}
}

// AddAny says that nothing is known about a text.
func (w *Words) AddAny() { w.words, w.any = nil, true }

// Merge adds all words of another set.
func (w *Words) Merge(more *Words) {
	if more.any {
		w.AddAny()
	}
	for word := range more.words {
		if !w.any {
			w.add(word)
		}
	}
}

// Has reports whether a name may be among the words. A name with other characters may be if there is any word.
func (w *Words) Has(name string) bool {
	return name != "" && (w.any || w.words[name] || !isPlain(name) && len(w.words) > 0)
}
