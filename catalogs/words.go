package catalogs

import (
	"bytes"
	"hash/maphash"
)

// words are names that say of a text that it has to do with certain packages.
type words map[string]bool

// words are those of the packages that have changed: their names and those of their bundles, the groups of the APIs that they
// serve or served and need, and the packages that they need.
func (p *Pair) words() words {
	all := words{}
	for _, name := range p.Changed {
		all[name] = true
		for _, c := range []*Catalog{p.Now, p.Base} {
			if pkg := c.Package(name); pkg != nil {
				wordsOf(pkg, all)
			}
		}
	}
	delete(all, "")
	return all
}

func wordsOf(p *Package, all words) {
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

func required(r *Requirement, all words) {
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
	for at := 0; at < len(text); at++ {
		begin := at
		for at < len(text) && nameBytes[text[at]] {
			at++
		}
		if at > begin && w[string(text[begin:at])] && beginsValue(text[:begin]) {
			return true
		}
	}
	return false
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

// nameBytes are those of which names are made.
var nameBytes = func() (is [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") {
		is[c] = true
	}
	return is
}()

// sumSeed is that of all sums of one run: they tell texts apart, and are not kept.
var sumSeed = maphash.MakeSeed()

func sumOf(text []byte) uint64 { return maphash.Bytes(sumSeed, text) }
