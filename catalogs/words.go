package catalogs

import (
	"bytes"
	"hash/maphash"
	"maps"
	"slices"
)

// words are names that say of a text that it has to do with certain packages.
type words [][]byte

// words are those of the packages that have changed: their names and those of their bundles, the groups of the APIs that they
// serve and need, and the packages that they need.
func (p *Pair) words() words {
	all := map[string]bool{}
	for _, name := range p.Changed {
		all[name] = true
		if pkg := p.Now.Package(name); pkg != nil {
			wordsOf(pkg, all)
		}
	}
	delete(all, "")
	var sorted words
	for _, word := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, []byte(word))
	}
	return sorted
}

func wordsOf(p *Package, all map[string]bool) {
	for _, b := range p.Bundles {
		all[b.Name.Value] = true
		d, err := b.Dependencies()
		if err != nil {
			continue // whoever reads the bundle says so
		}
		for _, api := range d.Provides {
			all[api.Group] = true
		}
		for i := range d.Requires {
			required(&d.Requires[i], all)
		}
	}
}

func required(r *Requirement, all map[string]bool) {
	all[r.Package] = true
	if r.API != nil {
		all[r.API.Group] = true
	}
	for i := range r.Of {
		required(&r.Of[i], all)
	}
}

// in reports whether one of the words is a value of the text, and not just a word of a sentence: descriptions name everything.
func (w words) in(text []byte) bool {
	return slices.ContainsFunc(w, func(word []byte) bool { return valueIn(text, word) })
}

func valueIn(text, word []byte) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], word)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(word)
		if beginsValue(text[:begin]) && (end == len(text) || !inName(text[end])) {
			return true
		}
		at = end
	}
}

// beginsValue reports whether a value can begin behind a text: behind a quote, after a key, or on a line of its own.
func beginsValue(before []byte) bool {
	trimmed := bytes.TrimRight(before, "\"' \t\r\n")
	if len(trimmed) == 0 {
		return true
	}
	switch last := trimmed[len(trimmed)-1]; last {
	case ':', '-', '[', '{', ',', '>', '|', '?':
		return len(trimmed) < len(before)
	}
	token := trimmed[1+bytes.LastIndexAny(trimmed, " \t\r\n"):]
	return len(trimmed) < len(before) && (token[0] == '!' || token[0] == '&')
}

func inName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}

// sumSeed is that of all sums of one run: they tell texts apart, and are not kept.
var sumSeed = maphash.MakeSeed()

func sumOf(text []byte) uint64 { return maphash.Bytes(sumSeed, text) }
